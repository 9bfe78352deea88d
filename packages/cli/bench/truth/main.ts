// npm run bench -- truth [--json] [--only PATTERN] [--jobs N] [--minutes N] [--lines FILE] [--tables FILE] [--set KEY=VALUE]: is what
// `pliant train` says so? Problems with known structure, trained through the command with its default settings (--set tries others),
// and each number of the report checked: strict rates against their levels, test intervals, prices against re-solved neighbours, the
// cost of insisting against insisting. With --lines each result is kept as it comes, and cases that the file has are not run again.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { python } from "../peer.js";
import { apart } from "./apart.js";
import { bundled } from "./bundled.js";
import { generated } from "./cases.js";
import type { Result } from "./result.js";
import { summarised, told } from "./summary.js";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    /** Problems at a time. */
    jobs: { type: "string", default: "1" },
    /** The time limit of a case; one that takes longer counts as failed. */
    minutes: { type: "string", default: "10" },
    lines: { type: "string" },
    /** scikit-learn's tables as truth/bundled.py printed them, where there is no python. */
    tables: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
  },
});

const say = (line: string): void => (options.json ? console.error(line) : console.log(line));

const tables = bundled(options.tables);
if (!tables) say(`${python} has no scikit-learn (pip install scikit-learn): its tables are left out.`);
const pattern = new RegExp(options.only, "i");
const cases = [...generated, ...(tables ?? [])].filter(({ name }) => pattern.test(name));
if (cases.length === 0) {
  console.error(`No case is called anything like ${options.only}.`);
  process.exit(2);
}

const { lines: file } = options;
const before = file !== undefined && existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
const earlier = new Map(
  before.filter(Boolean).map((line) => {
    const result = JSON.parse(line) as Result;
    return [result.name, result] as const;
  }),
);
const results: Result[] = [];
let count = 0;
const waiting = cases.entries();
const worker = async (): Promise<void> => {
  for (const [i, one] of waiting) {
    const known = earlier.get(one.name);
    results[i] = known ?? (await apart(one, { settings: options.set, minutes: Number(options.minutes) }));
    if (file !== undefined && !known) appendFileSync(file, `${JSON.stringify(results[i])}\n`);
    say(told(results[i], { count: ++count, of: cases.length }));
  }
};
await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
const { summary, lines } = summarised(results);
for (const line of lines) say(line);
if (options.json) console.log(JSON.stringify({ cases: results, summary }));
