// The faults of `npm run mutate`: each has its one place in the code, and tests to be seen by.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rooms } from "../mutate/faults.js";
import { kept } from "../mutate/results.js";

const faults = Object.values(rooms).flat();
const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

test("there are at least sixty", () => {
  expect(faults.length).toBeGreaterThanOrEqual(60);
});

test("their results are on record: nine in ten were detected, each by a named test", () => {
  const named = ({ file, what }: { file: string; what: string }): string => `${file}: ${what}`;
  const known = new Set(faults.map(named));
  expect(kept().filter((found) => !known.has(named(found)))).toEqual([]);
  for (const { seen, by } of kept()) expect(by !== undefined).toBe(seen);
  const seen = kept().filter((found) => found.seen).length;
  expect(seen / faults.length).toBeGreaterThanOrEqual(0.9);
});

test.each(faults.map((fault) => [`${fault.file}: ${fault.what}`, fault] as const))(
  "%s",
  (_, { file, from, to, tests }) => {
    expect(readFileSync(at(file), "utf8").split(from).length - 1).toBe(1);
    expect(to).not.toBe(from);
    for (const name of tests) expect(existsSync(at(`test/${name}.test.ts`))).toBe(true);
  },
);
