// What READMEs name is there: commands, scripts, files; and what the first one shows as printed is what a page's run prints.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../packages/cli/src/commands.js";
import { root } from "../src/place.js";

const packages = readdirSync(join(root, "packages"));
const files = [
  ...["README.md", "CONTRIBUTING.md", "examples/README.md"],
  ...packages.map((name) => `packages/${name}/README.md`),
];
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const found = (file: string, pattern: RegExp): string[] => [
  ...new Set([...read(file).matchAll(pattern)].map(([, name]) => name)),
];
const scriptsOf = (folder: string): string[] =>
  Object.keys(JSON.parse(read(join(folder, "package.json"))).scripts ?? {});

describe.each(files)("%s", (file) => {
  test("names commands that there are", () => {
    const known = [...Object.keys(commands), "help", "COMMAND"];
    for (const name of found(file, /npx pliant ([\w-]+)/g))
      if (!name.startsWith("-")) expect(known).toContain(name);
  });

  test("names scripts that there are", () => {
    for (const [, name, of] of read(file).matchAll(/npm run ([\w-]+)(?: -w @pliant\/(\w+))?/g))
      expect(scriptsOf(of === undefined ? "." : `packages/${of}`)).toContain(name);
  });

  test("links to files that there are", () => {
    const links = found(file, /\]\(((?!https?:|#)[^)\s#]+)/g);
    expect(links.filter((link) => !existsSync(join(root, dirname(file), decodeURI(link))))).toEqual([]);
  });
});

test("READMEs of installed packages link only to installed files", () => {
  const help = readdirSync(join(root, "packages/cli/src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `packages/cli/src/${name}`);
  const installed = [...packages.map((name) => `packages/${name}/README.md`), ...help];
  expect(installed.filter((file) => /\bdocs\/[\w/-]+\.md/.test(read(file)))).toEqual([]);
  expect(read("docs/spec.md")).toMatch(/^# Specs\n/);
});

test("the report that the first README shows is that of the first page, which is run", () => {
  const page = read("docs/index.md").replace(/\s+/g, " ");
  const [, shown] = /making the requirement hard:\n\n((?: {4}.*\n)+)/.exec(read("README.md"))!;
  const parts = shown
    .split("…")
    .map((part) => part.replace(/\s+/g, " ").trim())
    .filter((part) => part !== "");
  expect(parts).toHaveLength(2);
  for (const part of parts) expect(page).toContain(part);
});
