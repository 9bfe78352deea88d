// The spec: the published schema is current, and settings on the command line apply.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { examples, jsonSchema, readSpec, specText } from "@pliant/train";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { exampleCommand } from "../src/training/example.js";
import { printed } from "./fixtures/output.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const inRoot = (path: string): string => readFileSync(join(root, path), "utf8");

describe("published files", () => {
  test("docs/spec.schema.json is what pliant schema prints (write it with: npx pliant schema --out docs/spec.schema.json)", () => {
    expect(JSON.parse(inRoot("docs/spec.schema.json"))).toEqual(jsonSchema());
  });

  test.each(Object.entries(examples))(
    "examples/%s is what pliant example writes (with --schema ../../docs/spec.schema.json)",
    (name, { files }) => {
      expect(inRoot(`examples/${name}/spec.yaml`)).toBe(specText(name, "../../docs/spec.schema.json"));
      for (const [file, text] of Object.entries(files))
        expect(inRoot(`examples/${name}/${file}`)).toBe(text());
    },
  );

  test("an editor that reads the JSON Schema accepts the examples and marks misspelt keys", () => {
    const published = z.fromJSONSchema(JSON.parse(inRoot("docs/spec.schema.json")));
    const accepts = (path: string): boolean => published.safeParse(parse(inRoot(path))).success;
    for (const name of Object.keys(examples)) expect(accepts(`examples/${name}/spec.yaml`)).toBe(true);
    for (const name of [
      ...["01-unknown-key", "02-unknown-inner-key", "03-unknown-metric", "06-no-level"],
      ...["09-unknown-cost", "10-cost-without-number", "11-cost-not-positive"],
    ])
      expect(accepts(`packages/cli/test/fixtures/bad/${name}.yaml`)).toBe(false);
  });

  test("the spec in docs/spec.md is valid", () => {
    const [, shown] = /```yaml\n([\s\S]*?)```/.exec(inRoot("docs/spec.md"))!;
    const path = join(mkdtempSync(join(tmpdir(), "pliant-")), "spec.yaml");
    writeFileSync(path, shown);
    expect(Object.keys(readSpec(path).spec.requirements)).toContain("risk rises with age");
  });

  test("an example includes its schema, which its first line names", async () => {
    const out = mkdtempSync(join(tmpdir(), "pliant-"));
    const said = await printed(() => exampleCommand(["svm", "--out", out]));
    expect(said).toContain(`Train it with: npx pliant train ${join(out, "spec.yaml")}`);
    const [first] = readFileSync(join(out, "spec.yaml"), "utf8").split("\n");
    expect(first).toBe("# yaml-language-server: $schema=spec.schema.json");
    expect(JSON.parse(readFileSync(join(out, "spec.schema.json"), "utf8"))).toEqual(jsonSchema());
  });
});

describe("settings", () => {
  const path = join(root, "examples/loans/spec.yaml");

  test("set keys with spaces, and keys that the file lacks", () => {
    const { spec, text } = readSpec(path, [
      { key: "requirements.missed defaults.level", value: "overall + 0.02" },
      { key: "budget.clip", value: "1.5" },
      { key: "model.hidden", value: "[4, 4]" },
    ]);
    expect(spec.requirements["missed defaults"].level).toBe("overall + 0.02");
    expect(spec.budget.clip).toBe(1.5);
    expect(spec.model).toMatchObject({ hidden: [4, 4] });
    expect(text({ name: "again" })).toMatch(/^name: again$/m);
    expect(text()).toContain("# for the requirements, not for the model");
  });

  test("a spec may be JSON", () => {
    const { spec } = readSpec(join(root, "packages/cli/test/fixtures/spec.json"));
    expect(spec.model.kind).toBe("linear");
    expect(spec.cost).toBe("quadratic(1)");
  });
});
