// The page is built beside and put in place whole, by whoever needs it first.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { putInPlace } from "../src/page-build.js";
import { temporaryFolder } from "./fixtures.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());

test("many may put theirs in place at once, and one whole page is left", async () => {
  const place = join(folder.path, "page");
  const made = Array.from({ length: 20 }, (_, i) => {
    const beside = `${place}-${i}`;
    mkdirSync(beside);
    for (const file of ["index.html", "script.js"]) writeFileSync(join(beside, file), String(i));
    return beside;
  });
  await Promise.all(made.map((beside) => putInPlace(beside, place)));
  expect(readdirSync(folder.path)).toEqual(["page"]);
  const [index, script] = ["index.html", "script.js"].map((file) => readFileSync(join(place, file), "utf8"));
  expect(index).toBe(script);
});

test("a folder that cannot be put in place is an error", async () => {
  const made = join(folder.path, "made");
  mkdirSync(made);
  await expect(putInPlace(made, join(folder.path, "nowhere", "page"))).rejects.toThrow("ENOENT");
});
