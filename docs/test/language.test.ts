// The English of pages, READMEs, help, error messages and test names: sentences start with their subject, in the field's terms.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HelpAsked } from "../../packages/cli/src/arguments.js";
import { commands } from "../../packages/cli/src/commands.js";
import { home, root } from "../src/place.js";

/** Each with what to write instead. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/(?:^|[.:!?] )Of [a-z]/m, "start with the subject, not with Of"],
  [/(?:^|[.!?] )(?:What|That which) (?:is|was|are) [a-z][^?]*$/m, "start with a noun, not with What is"],
  [/\b(?:is|are|be|was) had\b/, "be satisfied, be met, exist"],
  [/\b(?:is|are|was) told\b|\bunless told\b/, "receives, is shown; by default"],
  [/\b(?:is|are|now) so\b(?! (?:that|many|few|much|large|small|far))/, "say what is the case"],
  [/\b[aA] training\b/, "a run, training"],
  [/\bas far as it takes\b|\bin vain\b|\bby heart\b|\bgo(?:es|ne)? on with\b/, "the field's term"],
  [/\b[Uu]nless given\b/, "default: …"],
  [/\b(?:each|every|a|after|between two) looks?\b(?! (?:at|like))/, "check"],
];

/** Prose alone: no code, tables, figures or front matter. */
const proseOf = (markdown: string): string =>
  markdown
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/^ {4}.*$/gm, "")
    .replace(/^\|.*$/gm, "")
    .replace(/`[^`\n]*`/g, "code");

function mistakes(text: string): string[] {
  return forbidden.flatMap(([pattern, instead]) => {
    const [found] = pattern.exec(text) ?? [];
    return found === undefined ? [] : [`"${found.trim()}": ${instead}`];
  });
}

/** The name of a test or a group of tests. */
const testName = /\b(?:test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*["`]([^"`]+)["`]/g;

/** Written by a command. */
const elsewhere = new Set(["results.md"]);
const pages = readdirSync(home, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".md") && !/^(dist|node_modules)\//.test(file) && !elsewhere.has(file))
  .map((file) => join("docs", file));
const packages = readdirSync(join(root, "packages"));
const files = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "examples/README.md",
  "mutation/README.md",
  ...packages.map((name) => `packages/${name}/README.md`),
  ...pages,
];

describe.each(files)("%s", (file) => {
  const prose = proseOf(readFileSync(join(root, file), "utf8"));

  test("starts sentences with their subject, in the field's terms", () => {
    expect(mistakes(prose)).toEqual([]);
  });

  test("wraps lines", () => {
    // Links and numbers of a record may be longer than what a reader sees of them.
    const shown = prose.replace(/\{\{[^}]*\}\}/g, "0.00").replace(/\]\([^)]*\)/g, "]");
    const long = shown.split("\n").filter((line) => line.length > 120 && !/^(<iframe|!\[)/.test(line));
    expect(long).toEqual([]);
  });
});

const named = ["cli", "learn", "platform", "queue"].map((name) => `packages/${name}/test`);
test.each([...named, "docs/test", "release/test"])(
  "test names of %s describe behaviour in plain English",
  (folder) => {
    const files = readdirSync(join(root, folder), { encoding: "utf8" }).filter((file) =>
      file.endsWith(".test.ts"),
    );
    const names = files.flatMap((file) =>
      [...readFileSync(join(root, folder, file), "utf8").matchAll(testName)].map(([, name]) => name),
    );
    expect(names.filter((name) => mistakes(`${name[0].toUpperCase()}${name.slice(1)}.`).length > 0)).toEqual(
      [],
    );
  },
);

test.each(Object.keys(commands))("pliant %s --help is written likewise", async (name) => {
  const asked = await commands[name].run(["--help"]).catch((reason: unknown) => reason);
  expect(asked).toBeInstanceOf(HelpAsked);
  expect(mistakes((asked as HelpAsked).message)).toEqual([]);
});

test("messages of the command are in plain English", () => {
  const folder = join(root, "packages/cli/src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const texts = files.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
      .map(([, quoted, template]) => (quoted ?? template).replace(/\$\{[^}]*\}/g, "X"))
      .filter((text) => text.includes(" ")),
  );
  expect(texts.length).toBeGreaterThan(200);
  expect(texts.filter((text) => mistakes(text).length > 0)).toEqual([]);
});

test("a page that breaks each rule is detected", () => {
  const bad = [
    "Of rows that are right nothing is learned.",
    "What is free is watched.",
    "Both cannot be had.",
    "It is told twice.",
    "Where that is so, stop.",
    "After a training nothing changes.",
    "It learns rows by heart.",
    "The port, a free one unless given.",
    "After each look it stops.",
  ];
  expect(bad.map((text) => mistakes(text).length)).toEqual(bad.map(() => 1));
});
