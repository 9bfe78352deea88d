// The words about requirements are for pages too: they load only their own files and the core, which runs in a page.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { word } from "../src/store/files.js";

/** The modules that a file loads at run time; types are erased by then. */
const loadedBy = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)"/gms)].map(
    ([, from]) => from,
  );

test("the words need neither Node nor another package than the core", () => {
  const src = fileURLToPath(new URL("../src", import.meta.url));
  const files = new Set([join(src, "text/words.ts")]);
  const packages = new Set<string>();
  for (const file of files)
    for (const from of loadedBy(file))
      if (from.startsWith(".")) files.add(join(dirname(file), from.replace(/\.js$/, ".ts")));
      else packages.add(from);
  expect([...packages]).toEqual(["@pliant/core"]);
  expect([...files].map((file) => file.slice(src.length + 1)).sort()).toEqual(
    [
      ...["format/figure", "format/table", "evaluate/unanswered", "problem/resolution", "questions/answers"],
      ...["calibrated", "decision-text", "judged", "new-rows", "paid-text", "requirement-view"].map(
        (name) => `report/${name}`,
      ),
      ...[
        "report/reservations",
        "report/sentences",
        "report/symmetric-gaps",
        "text/summary-text",
        "text/words",
      ],
    ]
      .map((name) => `${name}.ts`)
      .sort(),
  );
});

test("the page about certificates quotes reports verbatim", () => {
  const root = new URL("../../..", import.meta.url);
  const text = (path: string): string => readFileSync(fileURLToPath(new URL(path, root)), "utf8");
  const said = ["core/src/certificate/words.ts", "core/src/diagnose/diagnose.ts"]
    .map((file) => text(`packages/${file}`))
    .join("\n");
  const [, table] = text("docs/guides/certificate.md").split("| the report says | try |\n|---|---|\n");
  const quoted = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, words]) => words);
  expect(quoted.length).toBeGreaterThan(5);
  // A line may quote several sentences that end alike: "prices, relaxations or values have not settled".
  const phrases = quoted.flatMap((words) => words.split(/, or |, | or /));
  expect(phrases).toContain("values have not settled");
  expect(phrases.filter((words) => !said.includes(words))).toEqual([]);
});

test("a path is one word of a command line, whatever is in it", () => {
  expect(["runs/a-1", "C:\\runs", "my runs/a", "50% of $x", "it's $5"].map(word)).toEqual([
    "runs/a-1",
    "C:\\runs",
    '"my runs/a"',
    "'50% of $x'",
    "'it'\\''s $5'",
  ]);
});
