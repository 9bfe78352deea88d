// npm run bench -- truth [--json] [--only PATTERN] [--jobs N] [--set KEY=VALUE]: is what `pliant train` says so? Problems with known
// structure, trained through the command with its default settings (--set tries others), and each number of the report checked:
// strict rates against their levels, test intervals, prices against re-solved neighbours, the cost of insisting against insisting.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { python } from "../peer.js";
import { knowsValidation } from "../pliant.js";
import { bundled } from "./bundled.js";
import { generated } from "./cases.js";
import { judged, type Result } from "./result.js";
import { summarised, told } from "./summary.js";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    /** Problems at a time. */
    jobs: { type: "string", default: "1" },
    set: { type: "string", multiple: true, default: [] },
  },
});

const say = (line: string): void => (options.json ? console.error(line) : console.log(line));

const tables = bundled();
if (!tables) say(`${python} has no scikit-learn (pip install scikit-learn): its tables are left out.`);
const validation = await knowsValidation();
if (!validation) say("Specs know no validation rows: the cases that ask for them are trained without.");
const pattern = new RegExp(options.only, "i");
const cases = [...generated, ...(tables ?? [])].filter(({ name }) => pattern.test(name));
if (cases.length === 0) {
  console.error(`No case is called anything like ${options.only}.`);
  process.exit(2);
}

const root = mkdtempSync(join(tmpdir(), "pliant-truth-"));
const results: Result[] = [];
try {
  const waiting = cases.entries();
  const worker = async (): Promise<void> => {
    for (const [i, one] of waiting) {
      const folder = join(root, String(i));
      results[i] = await judged(one, folder, { validation, settings: options.set });
      rmSync(folder, { recursive: true });
      say(told(results[i], cases.length));
    }
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
} finally {
  rmSync(root, { recursive: true, force: true });
}
const { summary, lines } = summarised(results);
for (const line of lines) say(line);
if (options.json) console.log(JSON.stringify({ cases: results, summary }));
