// The forms of issues, as GitHub reads them: one that it cannot read it leaves out without a word.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../../.github/ISSUE_TEMPLATE");
const forms = readdirSync(folder);

interface Field {
  readonly type: string;
  readonly id: string;
  readonly attributes: { readonly label: string };
  readonly validations?: { readonly required: boolean };
}
const fieldsOf = (file: string): Field[] => parse(readFileSync(join(folder, file), "utf8")).body;

describe("the forms of issues", () => {
  it.each(forms)("%s has all that GitHub asks of one", (file) => {
    expect(parse(readFileSync(join(folder, file), "utf8"))).toEqual({
      name: expect.stringMatching(/^.{4,}$/),
      description: expect.stringMatching(/^.{4,}$/),
      body: expect.any(Array),
    });
    const fields = fieldsOf(file);
    for (const { type, id, attributes } of fields) {
      expect(["input", "textarea", "dropdown", "checkboxes"]).toContain(type);
      expect(id).toMatch(/^[\w-]+$/);
      expect(attributes.label).toMatch(/\?$/);
    }
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    expect(fields.some(({ validations }) => validations?.required)).toBe(true);
  });

  it("ask for what pliant doctor says wherever the machine may matter", () => {
    const asking = forms.filter((file) =>
      fieldsOf(file).some(
        ({ attributes, validations }) =>
          attributes.label.includes("npx pliant doctor") && validations?.required,
      ),
    );
    expect(asking.sort()).toEqual(["bug.yml", "wrong-number.yml"]);
  });
});
