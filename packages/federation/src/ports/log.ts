// An append-only list of entries, each with a hash over itself and the hash before it: a changed, missing or foreign entry is
// found by whoever reads, and the last hash names the whole list.
import { InputError, PliantError } from "@pliant/core";
import { digest } from "../sums/index.js";

/** The hash before the first entry. */
export const noHash = "0".repeat(64);

export const linkedHash = (before: string, body: string): string => digest(`${before}\n${body}`);

/** Where entries are kept. */
export interface Log {
  /** Hands over the entries that were not handed over before. */
  read(take: (body: string) => void): Promise<void>;
  /** Alone with the log: hands over what is new, then appends what `decide` answers, on the disk before it returns. */
  append(take: (body: string) => void, decide: () => string | undefined): Promise<void>;
  /** Of all that was handed over. */
  readonly head: { readonly entries: number; readonly hash: string };
  /** Held by one coordinator at a time; who holds it is told to another. */
  /** A note of the head beside the log: a log that lost its end is shorter than that. */
  noted?(): { readonly entries: number; readonly hash: string } | undefined;
  lease(holder: string): Promise<Lease>;
  close(): Promise<void>;
}

/** The right to coordinate, as long as it is held. */
export interface Lease {
  release(): Promise<void>;
  /** Resolves when it is lost without being released. */
  readonly lost: Promise<string>;
}

/** Another coordinator has the lease. */
export class HeldError extends InputError {}

export const heldBy = (holder: string): HeldError =>
  new HeldError(
    `This federation has a coordinator: ${holder}. Stop it first, or wait for its end with --standby.`,
  );

export const damaged = (where: string, entry: number): PliantError =>
  new PliantError(
    `${where} is damaged: entry ${entry} is not what was written. Restore it from a copy; nothing from there on is used.`,
  );

/** Within one process: lost with it. */
export function memoryLog(): Log {
  const bodies: string[] = [];
  let taken = 0;
  let hash = noHash;
  const read = async (take: (body: string) => void) => {
    for (; taken < bodies.length; taken++) {
      hash = linkedHash(hash, bodies[taken]);
      take(bodies[taken]);
    }
  };
  return {
    read,
    append: async (take, decide) => {
      await read(take);
      const body = decide();
      if (body !== undefined) bodies.push(body);
      await read(take);
    },
    get head() {
      return { entries: taken, hash };
    },
    lease: async () => ({ release: async () => {}, lost: new Promise(() => {}) }),
    close: async () => {},
  };
}
