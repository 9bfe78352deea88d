// pliant card: what is to be known of a run's model, for people who did not train it.

import { InputError } from "@pliant/core";
import { cardOf, finishedRun, html, markdown, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";

export async function cardCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "card RUN",
    about:
      "A model card of a finished run: its data, what was asked, what gave way and at what price, how it does on rows it did not learn\nfrom; what it is meant for is left to fill in.",
    options: {
      out: {
        type: "string",
        value: "FILE",
        about: "where it goes, FILE.md or FILE.html; Markdown on standard output unless given",
      },
    },
  });
  if (positionals.length !== 1) throw new InputError("name one run folder: pliant card RUN.");
  const [folder] = positionals;
  const { asked, report } = finishedRun(folder);
  const card = cardOf(asked, report);
  const { out } = values;
  if (out === undefined) {
    process.stdout.write(markdown(card));
    return;
  }
  if (!/\.(md|html)$/.test(out)) throw new InputError(`${out} should end in .md or .html.`);
  writeWhole(out, out.endsWith(".html") ? html(card, `Model card: ${asked.name}`) : markdown(card));
  console.log(`Wrote the model card to ${out}; what is to fill in there says so.`);
}
