// Every operation made of others, its value and gradient, on every native back end: as on the reference, on NaN, infinities,
// both zeros, the smallest and largest numbers and empty arrays, within what is promised of what it is made of.
import type { Backend } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { type Calls, calls, isPrimitive } from "./calls/index.js";
import { fuzz, seedsFrom } from "./fuzz/run.js";
import { openNatives } from "./natives.js";

const names = Object.keys(calls).filter((name) => !isPrimitive(name));
/** A few at once, which compile in less time. */
const together = 8;
const groups = Array.from({ length: Math.ceil(names.length / together) }, (_, i) =>
  names.slice(together * i, together * (i + 1)),
);

/** The programs of each operation alone. */
async function disagreements(backend: Backend, group: readonly string[], draws: number): Promise<string[]> {
  const found: string[] = [];
  for (const name of group) {
    const only: Calls = { [name]: calls[name] };
    const tally = await fuzz(backend, seedsFrom(7, draws), undefined, { calls: only, most: 1 });
    found.push(...tally.disagreements.map((d) => `${name}: ${d}`));
    // Something was compared.
    if (tally.elements === 0) found.push(`${name}: no element was compared`);
  }
  return found;
}

const natives = await openNatives();
describe.each(natives)("$name gives what the reference gives", (backend) => {
  test.each(groups.map((group) => [group.join(", "), group] as const))("%s", async (_, group) => {
    expect(await disagreements(backend, group, backend.name === "xla" ? 5 : 8)).toEqual([]);
  });
});
