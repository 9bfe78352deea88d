// Every example of docs/examples.yaml prints what it says, and every export of pliant has one. pages.test.ts compiles them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import * as engine from "@pliant/engine";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import * as pliant from "../../packages/cli/src/entries/index.js";
import { examplesOf } from "../src/examples.js";
import { home } from "../src/place.js";

/** The names that api.txt lists for an entry. */
function exportsOf(entry: string): string[] {
  const sections = readFileSync(join(home, "test/api.txt"), "utf8").split("\n\n");
  const [, ...lines] = sections
    .find((text) => text.startsWith(`${entry} (`))!
    .trimEnd()
    .split("\n");
  return lines.map((line) => line.trim().split(/\s+/)[1]);
}

describe("pliant", () => {
  const examples = Object.entries(examplesOf("pliant"));

  test("has an example of every export, which uses it, and of nothing else", () => {
    expect(examples.map(([name]) => name).sort()).toEqual(exportsOf("pliant").sort());
    for (const [name, { code }] of examples)
      expect(code.replace(/^import .*$/gm, ""), name).toMatch(new RegExp(`(?<![.\\w])${name}\\b`));
  });

  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  test.each(examples)("%s", async (_, { code, prints }) => {
    const printed: string[] = [];
    const console = { log: (...values: unknown[]) => printed.push(format(...values)) };
    const names: Record<string, unknown> = { ...engine, ...pliant, console };
    delete names.var;
    const { code: script } = await transform(code.replace(/^import .*$/gm, ""), { loader: "ts" });
    await new AsyncFunction(...Object.keys(names), `{ ${script} }`)(...Object.values(names));
    expect(printed.join("\n")).toBe(prints);
  });
});

/** An expression over the exports of the engine; types in it are for readers. */
const run = (names: object, code: string): unknown =>
  new Function(...Object.keys(names), `return (${code.replace(/: Tensor\b/g, "")});`)(
    ...Object.values(names),
  );

describe("pliant/engine", () => {
  const examples = Object.entries(examplesOf("pliant/engine"));

  test("has examples of the 60 exports that are used most", () => {
    expect(examples.length).toBeGreaterThanOrEqual(60);
    for (const [name, { code }] of examples) {
      expect(engine).toHaveProperty(name);
      expect(code).toContain(`${name}(`);
    }
  });

  test.each(examples)("%s", (_, { code, prints }) => {
    const { var: __, ...names } = engine as Record<string, unknown>;
    const value = engine.evaluate(run(names, code) as engine.Tensor) as engine.NdArray;
    expect(JSON.stringify(value.toNested())).toBe(prints);
  });
});
