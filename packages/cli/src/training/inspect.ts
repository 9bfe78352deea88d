// pliant inspect: what a table holds, before anything is learnt from it.
import { parseArgs } from "node:util";
import { progress } from "@pliant/learn/runs";
import { inspect, summaryText } from "@pliant/train";
import { InputError } from "pliant";

export async function inspectCommand(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      target: { type: "string" },
      group: { type: "string", multiple: true, default: [] },
      json: { type: "boolean", default: false },
    },
  });
  if (positionals.length !== 1) throw new InputError("name one file: pliant inspect rows.csv.");
  const line = progress();
  const [file] = positionals;
  let told = Date.now();
  const summary = await inspect(file, {
    target: values.target,
    groups: values.group,
    onRows: (rows) => {
      if (Date.now() - told < 500) return;
      told = Date.now();
      line.show(`reading ${file}: ${rows.toLocaleString("en")} rows`);
    },
  }).finally(() => line.end());
  console.log(values.json ? JSON.stringify(summary, null, 2) : summaryText(summary));
}
