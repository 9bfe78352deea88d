// pliant insist: measures what making a requirement hard would cost a finished run, at its level or another.

import { InputError } from "@pliant/core";
import { insistedWords, insistOn } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

/** Starting from the run's solution and starting from scratch may end at different models with the same count. */
const elsewhere =
  "Many models have the same count, so a run with --hard may end at another of them and cost slightly more or less.";

export async function insistCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: 'insist RUN "NAME" [LEVEL]',
    about:
      "Measures what it would cost a finished run to make a requirement hard, at its level or another, by solving again.",
    options: { json: shared.json },
  });
  const [folder, given, level, ...more] = positionals;
  if (given === undefined || more.length > 0)
    throw new InputError(
      'name a run, a requirement of it and perhaps a level: pliant insist RUN "NAME" 0.1.',
    );
  const { name, insisting, asked, reached, before, relative } = await insistOn(folder, given, level);
  const beside = before === undefined ? "" : `; in the run it reached ${before}`;
  const words = insistedWords(insisting, relative);
  console.log(
    values.json
      ? JSON.stringify({ run: folder, name, ...insisting }, null, 2)
      : `${name}: made hard (${asked}), it reaches ${reached}${beside}. ${words}${words.includes("±") ? ` ${elsewhere}` : ""}`,
  );
}
