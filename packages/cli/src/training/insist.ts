// pliant insist: what it would cost a finished run to insist on a requirement, at its level or another.

import { InputError } from "@pliant/core";
import { insistedWords, insistOn } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

export async function insistCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: 'insist RUN "NAME" [LEVEL]',
    about:
      "What it would cost a finished run to insist on a requirement, at its level or another; solved anew.",
    options: { json: shared.json },
  });
  const [folder, given, level, ...more] = positionals;
  if (given === undefined || more.length > 0)
    throw new InputError(
      'name a run, a requirement of it and perhaps a level: pliant insist RUN "NAME" 0.1.',
    );
  const { name, insisting, asked, reached, before, relative } = await insistOn(folder, given, level);
  const beside = before === undefined ? "" : ` where it must hold and ${before} in the run`;
  console.log(
    values.json
      ? JSON.stringify({ run: folder, name, ...insisting }, null, 2)
      : `${name}, asked ${asked}, reached ${reached}${beside}. ${insistedWords(insisting, relative)}`,
  );
}
