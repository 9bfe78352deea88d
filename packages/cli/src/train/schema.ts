// pliant schema: the JSON Schema of spec files.
import { parseArgs } from "node:util";
import { writeWhole } from "./files.js";
import { jsonSchema } from "./spec.js";

export const schemaText = (): string => `${JSON.stringify(jsonSchema(), null, 2)}\n`;

export async function schemaCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { out: { type: "string" } } });
  if (values.out === undefined) process.stdout.write(schemaText());
  else writeWhole(values.out, schemaText());
}
