// npm run bench -- tables [--json] [--only reading|steps|whole|bundled|seeds] [--table NAME]: large tables and small ones. Reading and encoding CSV beside pandas and scikit-learn, each in
// a process of its own; a training step with a group gap beside one without; a whole constrained run beside Fairlearn's;
// on the tables that come with scikit-learn, the test error beside the best of its models; and five seeds of the loans example beside one.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { python, script, startPeer, version } from "../peer.js";
import { train } from "../pliant.js";
import { besideBundled } from "./bundled.js";
import { writeLarge } from "./large.js";
import { fiveSeedsBesideOne } from "./seeds.js";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" }, table: { type: "string" } },
});
const say = (line: string): void => (options.json ? console.error(line) : console.log(line));
const wanted = (part: string): boolean => options.only === undefined || options.only === part;

interface Timed {
  readonly seconds: number;
  /** Seconds of processors, all threads together. */
  readonly processor: number;
  readonly peakMegabytes: number;
}

const sklearn = version("scikit-learn", "sklearn, pandas");
const fairlearn = version("fairlearn", "fairlearn.reductions, sklearn, pandas");
if (sklearn === undefined) say(`${python} has no pandas or scikit-learn: reading stands alone.`);
if (fairlearn === undefined) say(`${python} has no fairlearn: the whole run stands alone.`);
say(`${cpus()[0]?.model.trim()}, ${cpus().length} threads`);

const root = mkdtempSync(join(tmpdir(), "pliant-tables-"));
const found: Record<string, unknown> = { machine: cpus()[0]?.model.trim() };
try {
  const sizes = [
    { rows: 1_000_000, columns: 10 },
    { rows: 300_000, columns: 20 },
  ].map((size) => ({ ...size, file: join(root, `${size.rows}x${size.columns}.csv`) }));
  for (const { rows, columns, file } of wanted("reading") ? sizes : wanted("steps") ? [sizes[1]] : [])
    writeLarge(file, rows, columns);
  if (wanted("reading")) found.reading = sizes.map((size) => ({ ...size, ...besidePandas(size.file) }));
  if (wanted("steps")) found.steps = await withAndWithoutGap(sizes[1].file);
  if (wanted("whole")) found.whole = await besideFairlearn();
  if (wanted("bundled") && sklearn !== undefined)
    found.bundled = await besideBundled(root, say, options.table);
  if (wanted("seeds")) found.seeds = await fiveSeedsBesideOne(root, say);
} finally {
  rmSync(root, { recursive: true });
}
if (options.json) console.log(JSON.stringify(found, null, 2));

/** The best of three, which others at work on the machine lengthen least. */
function besidePandas(file: string): {
  pliant: Timed;
  pandas?: Timed;
  timesAsLong?: number;
  timesTheWork?: number;
} {
  const own = fileURLToPath(new URL("./read.js", import.meta.url));
  const best = (command: string, args: readonly string[]): Timed =>
    [1, 2, 3]
      .map(() => JSON.parse(execFileSync(command, args, { encoding: "utf8" })) as Timed)
      .reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const pliant = best(process.execPath, [own, file]);
  const pandas = sklearn === undefined ? undefined : best(python, [script("tables/read_peer.py"), file]);
  const shown = ({ seconds, processor, peakMegabytes }: Timed): string =>
    `${seconds.toFixed(2)} s, ${processor.toFixed(2)} s of processors, peak ${peakMegabytes.toFixed(0)} MB`;
  say(
    `reading and encoding ${file.replace(/.*\//, "")}: ${shown(pliant)}${pandas ? `; pandas and scikit-learn ${shown(pandas)}` : ""}`,
  );
  return {
    pliant,
    ...(pandas && {
      pandas,
      timesAsLong: pliant.seconds / pandas.seconds,
      timesTheWork: pliant.processor / pandas.processor,
    }),
  };
}

function specFor(file: string, budget: object, gap: boolean): object {
  return {
    data: { file, target: "y", columns: { group: "group" }, test: 0.1 },
    model: { kind: "linear" },
    requirements: gap
      ? { gap: { metric: "positive-rate", by: "group", gap: true, level: 0.05 } }
      : { watched: { metric: "loss", level: 10, cost: "free" } },
    decision: { threshold: 0.5 },
    budget,
  };
}

async function trained(name: string, spec: object) {
  writeFileSync(join(root, "spec.json"), JSON.stringify(spec));
  return train(root, name, ["--no-insist", "--force"]);
}

/** Seconds a step, of processors too, from runs of two lengths, so that reading and reporting cancel. */
async function withAndWithoutGap(file: string) {
  const [few, many] = [20, 140];
  const step = async (gap: boolean): Promise<{ seconds: number; processor: number }> => {
    const length = (steps: number) => {
      const budget = { steps, tolerance: 1e-9, every: 20 };
      return trained(`steps-${steps}-${gap}`, specFor(file, budget, gap));
    };
    const [short, long] = [await length(few), await length(many)];
    const each = (a = Number.NaN, b = Number.NaN): number => (b - a) / (many - few);
    return {
      seconds: each(short.seconds, long.seconds),
      processor: each(short.processor, long.processor),
    };
  };
  const [without, withGap] = [await step(false), await step(true)];
  const times = withGap.seconds / without.seconds;
  const timesTheWork = withGap.processor / without.processor;
  const shown = ({ seconds, processor }: { seconds: number; processor: number }): string =>
    `${(1000 * seconds).toFixed(1)} ms (${(1000 * processor).toFixed(1)} ms of processors)`;
  say(
    `a step at 300,000 rows: ${shown(without)}; with a group gap ${shown(withGap)}: ${times.toFixed(2)} times as long, ${timesTheWork.toFixed(2)} times the work`,
  );
  return { without, withGap, times, timesTheWork };
}

async function besideFairlearn() {
  const numbers = join(root, "numbers.csv");
  writeLarge(numbers, 300_000, 20, { category: false });
  const ran = await trained("whole", specFor(numbers, {}, true));
  const certified = ran.report?.certificate.holds;
  say(
    `a whole run at 300,000 rows: ${ran.seconds.toFixed(1)} s, ${ran.report?.steps} steps, ${certified ? "" : "not "}certified`,
  );
  if (fairlearn === undefined) return { pliant: ran.seconds, certified };
  const peer = startPeer("fairness/fairlearn_peer.py");
  try {
    const { seconds } = await peer.ask<{ seconds: number }>({
      train: numbers,
      test: numbers,
      kind: "parity",
      bound: 0.05,
    });
    say(`Fairlearn's fit alone: ${seconds.toFixed(1)} s; ${(ran.seconds / seconds).toFixed(2)} times`);
    return { pliant: ran.seconds, certified, fairlearn: seconds, times: ran.seconds / seconds };
  } finally {
    peer.close();
  }
}
