// What loops make of their data before the first step, kept for as long as the data: two loops that make the same of the same
// arrays share it, and it goes when the arrays go.
import type { Stored } from "../ndarray.js";

interface Entry {
  /** The arrays it was made of, behind the first. */
  readonly others: readonly WeakRef<Stored>[];
  readonly values: readonly Stored[];
}

export class Kept {
  private readonly made = new WeakMap<Stored, Map<string, Entry>>();

  /** `lasting` says that the contents of an array cannot change; values computed from other arrays are computed again at every call. */
  constructor(private readonly lasting: (array: Stored) => boolean) {}

  /** What `make` makes of the arrays, by a program that `key` names. */
  async of(
    key: string,
    sources: readonly Stored[],
    make: () => Promise<readonly Stored[]>,
  ): Promise<readonly Stored[]> {
    if (!sources.every(this.lasting)) return make();
    const [first, ...others] = sources;
    const entries = this.made.get(first) ?? new Map<string, Entry>();
    this.made.set(first, entries);
    const found = entries.get(key);
    if (found?.others.every((other, i) => other.deref() === others[i])) return found.values;
    const values = await make();
    entries.set(key, { others: others.map((other) => new WeakRef(other)), values });
    return values;
  }
}
