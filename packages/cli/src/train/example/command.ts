// pliant example: the files of an example and the command to run next.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { InputError, unknownName } from "pliant";
import { word, writeWhole } from "../files.js";
import { schemaText } from "../schema.js";
import { loansCsv, loansSpec } from "./loans.js";
import { strokesSpec } from "./strokes.js";
import { cloudsCsv, svmSpec } from "./svm.js";

interface Example {
  readonly spec: string;
  readonly files: Readonly<Record<string, () => string>>;
}

export const examples: Readonly<Record<string, Example>> = {
  loans: { spec: loansSpec, files: { "loans.csv": loansCsv } },
  strokes: { spec: strokesSpec, files: {} },
  svm: { spec: svmSpec, files: { "clouds.csv": cloudsCsv } },
};

/** Beside the spec, unless one elsewhere is named. */
const ownSchema = "spec.schema.json";

/** The spec as a file: editors find the schema by its first line. */
export const specText = (name: string, schema: string): string =>
  `# yaml-language-server: $schema=${schema}\n${examples[name].spec}`;

export async function exampleCommand(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { out: { type: "string" }, schema: { type: "string" } },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new InputError(`name one example: ${Object.keys(examples).join(", ")}.`);
  if (!Object.hasOwn(examples, name)) throw unknownName("an example", name, Object.keys(examples));
  const folder = values.out ?? name;
  const files = {
    ...examples[name].files,
    "spec.yaml": () => specText(name, values.schema ?? ownSchema),
    ...(values.schema === undefined && { [ownSchema]: schemaText }),
  };
  for (const [file, text] of Object.entries(files)) writeWhole(join(folder, file), text());
  console.log(
    `Wrote ${Object.keys(files).join(", ")} to ${folder}. Train it with: npx pliant train ${word(join(folder, "spec.yaml"))}`,
  );
}
