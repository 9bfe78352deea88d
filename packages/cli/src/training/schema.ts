// pliant schema: the JSON Schema of spec files.
import { schemaText, writeWhole } from "@pliant/train";
import { readArgs, refuseWords } from "../arguments.js";

export async function schemaCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "schema",
    about: "The JSON Schema of spec files, by which editors complete keys and mark mistakes.",
    options: { out: { type: "string", value: "FILE", about: "where it goes; standard output unless given" } },
  });
  refuseWords(positionals, "schema");
  if (values.out === undefined) process.stdout.write(schemaText());
  else writeWhole(values.out, schemaText());
}
