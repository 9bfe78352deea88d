// pliant schema: the JSON Schema of spec files.
import { parseArgs } from "node:util";
import { schemaText, writeWhole } from "@pliant/train";

export async function schemaCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { out: { type: "string" } } });
  if (values.out === undefined) process.stdout.write(schemaText());
  else writeWhole(values.out, schemaText());
}
