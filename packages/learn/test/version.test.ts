// One version for all packages, and the one that runs say they were made with.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { version } from "../src/version.js";

const packages = fileURLToPath(new URL("../..", import.meta.url));
const names = readdirSync(packages).filter((name) => existsSync(join(packages, name, "package.json")));

test.each(names)("packages/%s has this version, and depends on the others at it", (name) => {
  const read = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
  expect(read.version).toBe(version);
  for (const [other, at] of Object.entries(read.dependencies ?? {}))
    if (other === "pliant" || other.startsWith("@pliant/")) expect([other, at]).toEqual([other, version]);
});
