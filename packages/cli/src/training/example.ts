// pliant example: the files of an example and the command to run next.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { examples, schemaText, specText, word, writeWhole } from "@pliant/train";
import { InputError, unknownName } from "pliant";

/** Beside the spec, unless one elsewhere is named. */
const ownSchema = "spec.schema.json";

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
