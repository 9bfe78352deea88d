// pliant card: a model card, for people who did not train the model.

import { InputError } from "@pliant/core";
import { cardOf, finishedRun, html, markdown, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";
import { toStdout } from "../streams.js";

export async function cardCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "card RUN",
    about:
      "Writes the model card of a finished run: data, requirements, relaxations and prices, and performance on held-out rows.\nIntended use is left for you to fill in.",
    options: {
      out: {
        type: "string",
        value: "FILE",
        about: "the file to write, .md or .html (default: Markdown on standard output, like -)",
      },
      json: shared.json,
    },
  });
  if (positionals.length !== 1) throw new InputError("name one run folder: pliant card RUN.");
  const [folder] = positionals;
  const { asked, report } = finishedRun(folder);
  const card = cardOf(asked, report);
  const { out } = values;
  if (toStdout(out)) {
    const text = markdown(card);
    process.stdout.write(
      values.json ? `${JSON.stringify({ run: folder, markdown: text }, null, 2)}\n` : text,
    );
    return;
  }
  if (!/\.(md|html)$/.test(out)) throw new InputError(`${out} should end in .md or .html.`);
  writeWhole(out, out.endsWith(".html") ? html(card, `Model card: ${asked.name}`) : markdown(card));
  console.log(
    values.json
      ? JSON.stringify({ run: folder, out })
      : `Wrote the model card to ${out}. Fill in the parts that it marks.`,
  );
}
