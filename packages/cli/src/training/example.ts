// pliant example: writes the files of an example and names the command to run next.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, unknownName } from "@pliant/core";
import { examples, schemaText, specText, word, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

/** Written beside the spec, unless the spec names a schema elsewhere. */
const ownSchema = "spec.schema.json";

interface ExampleOptions {
  readonly folder: string;
  /** Overwrite files that differ. */
  readonly force: boolean;
  /** The path of a schema that the spec names instead of its own. */
  readonly schema?: string;
}

/** Writes the files of an example, and returns their names. */
export function writeExample(name: string, { folder, force, schema }: ExampleOptions): string[] {
  const files = {
    ...examples[name].files,
    "spec.yaml": () => specText(name, schema ?? ownSchema),
    ...(schema === undefined && { [ownSchema]: schemaText }),
  };
  const written = Object.entries(files).map(([file, text]) => ({ path: join(folder, file), text: text() }));
  const changed = written.find(({ path, text }) => existsSync(path) && readFileSync(path, "utf8") !== text);
  if (changed && !force)
    throw new InputError(
      `${changed.path} exists and differs from the example's; use --out DIR for another folder, or --force to overwrite it.`,
    );
  for (const { path, text } of written) writeWhole(path, text);
  return Object.keys(files);
}

export async function exampleCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "example NAME",
    about: "Writes an example to train: loans, strokes or svm.",
    options: {
      out: { type: "string", value: "DIR", about: "the folder to write (default: NAME)" },
      force: { type: "boolean", default: false, about: "overwrite files that differ" },
      schema: {
        type: "string",
        value: "PATH",
        about: "the schema that the spec names, instead of one beside it",
      },
      json: shared.json,
    },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new InputError(`name one example: ${Object.keys(examples).join(", ")}.`);
  if (!Object.hasOwn(examples, name)) throw unknownName("an example", name, Object.keys(examples));
  const folder = values.out ?? name;
  const files = writeExample(name, { ...values, folder });
  const spec = join(folder, "spec.yaml");
  console.log(
    values.json
      ? JSON.stringify({ folder, files, spec }, null, 2)
      : `Wrote ${files.join(", ")} to ${folder}. Train it with: npx pliant train ${word(spec)}`,
  );
}
