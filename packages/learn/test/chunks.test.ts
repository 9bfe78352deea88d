// The host's loop of a run: how many chunks it does, and when it stops.
import { type Interrupt, Interrupted, runChunks } from "@pliant/learn/runs";
import { expect, test } from "vitest";

/** Stops at the first check for which it is asked to. */
const stopping = (when: () => boolean): Interrupt => ({
  check: async (sentence) => {
    if (when()) throw new Interrupted(await sentence(), "signal");
  },
  release: () => {},
});

const counting = (end: number) => {
  const did: string[] = [];
  return {
    did,
    run: {
      done: (n: number) => n >= end,
      next: async (n: number) => {
        did.push(`chunk ${n + 1}`);
        return n + 1;
      },
      stop: (n: number) => {
        did.push(`saved ${n}`);
        return `stopped after ${n}.`;
      },
    },
  };
};

test("a run completes its chunks from any starting point", async () => {
  const { did, run } = counting(3);
  expect(
    await runChunks(
      1,
      run,
      stopping(() => false),
    ),
  ).toBe(3);
  expect(did).toEqual(["chunk 2", "chunk 3"]);
  expect(
    await runChunks(
      3,
      run,
      stopping(() => true),
    ),
  ).toBe(3);
  expect(did).toHaveLength(2);
});

test("a stopped run completes at least one chunk, saves its state and says so", async () => {
  const { did, run } = counting(3);
  await expect(
    runChunks(
      0,
      run,
      stopping(() => true),
    ),
  ).rejects.toThrow(/^stopped after 1\.$/);
  expect(did).toEqual(["chunk 1", "saved 1"]);
});

test("a run that has finished ignores a stop request", async () => {
  const { did, run } = counting(3);
  expect(
    await runChunks(
      0,
      run,
      stopping(() => did.length >= 3),
    ),
  ).toBe(3);
  expect(did).toEqual(["chunk 1", "chunk 2", "chunk 3"]);
});
