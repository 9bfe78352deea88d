// pliant example: the files of an example and the command to run next.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, unknownName } from "@pliant/core";
import { examples, schemaText, specText, word, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";

/** Beside the spec, unless one elsewhere is named. */
const ownSchema = "spec.schema.json";

export async function exampleCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "example NAME",
    about: "Writes an example to train: loans, strokes or svm.",
    options: {
      out: { type: "string", value: "DIR", about: "where it goes; a folder of its name unless given" },
      force: { type: "boolean", default: false, about: "writes over files that differ" },
      schema: {
        type: "string",
        value: "PATH",
        about: "the schema that the spec names instead of one beside it",
      },
    },
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
  const written = Object.entries(files).map(([file, text]) => ({ path: join(folder, file), text: text() }));
  const changed = written.find(({ path, text }) => existsSync(path) && readFileSync(path, "utf8") !== text);
  if (changed && !values.force)
    throw new InputError(
      `${changed.path} is there and is not the example's; --out DIR writes elsewhere, --force writes over it.`,
    );
  for (const { path, text } of written) writeWhole(path, text);
  console.log(
    `Wrote ${Object.keys(files).join(", ")} to ${folder}. Train it with: npx pliant train ${word(join(folder, "spec.yaml"))}`,
  );
}
