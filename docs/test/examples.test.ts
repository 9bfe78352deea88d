// Every example of docs/examples.yaml prints what it says.
import * as engine from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { examplesOf } from "../src/examples.js";

/** An expression over the exports of an entry; types in it are for readers. */
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
