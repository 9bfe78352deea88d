// pliant schema: the JSON Schema of spec files.
import { schemaText } from "@pliant/train";
import { readArgs, refuseWords } from "../arguments.js";
import { shared } from "../options.js";
import { toStdout, writeAnswer } from "../streams.js";

export async function schemaCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "schema",
    about: "Prints the JSON Schema of spec files, with which editors complete keys and mark mistakes.",
    options: {
      out: { type: "string", value: "FILE", about: "the file to write (default: standard output, like -)" },
      json: shared.json,
    },
  });
  refuseWords(positionals, "schema");
  writeAnswer(values.out, schemaText());
  if (values.json && !toStdout(values.out)) console.log(JSON.stringify({ out: values.out }));
}
