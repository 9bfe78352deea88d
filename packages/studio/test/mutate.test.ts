// The faults of `npm run mutate`: each has its one place in the code, and tests to be seen by.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { reckoningFaults, shownFaults } from "../mutate/page-faults.js";
import { serverFaults } from "../mutate/server-faults.js";

const faults = [...serverFaults, ...reckoningFaults, ...shownFaults];
const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

test("there are at least sixty", () => {
  expect(faults.length).toBeGreaterThanOrEqual(60);
});

test.each(faults.map((fault) => [`${fault.file}: ${fault.what}`, fault] as const))(
  "%s",
  (_, { file, from, to, tests }) => {
    expect(readFileSync(at(file), "utf8").split(from).length - 1).toBe(1);
    expect(to).not.toBe(from);
    for (const name of tests) expect(existsSync(at(`test/${name}.test.ts`))).toBe(true);
  },
);
