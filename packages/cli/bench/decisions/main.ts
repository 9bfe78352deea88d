// npm run bench -- decisions [--json] [--tables A,B] [--models linear,mlp] [--kinds A,B]: requirements on decisions with default settings, on test rows,
// beside the free model with a moved threshold, LightGBM with one, and Fairlearn. A peer that python3 lacks is left out, and said to be.
//
//   --jobs N        so many parts at a time, each a process of its own
//   --parts FOLDER  keeps the parts there; those that it has are not run again
//   --peers RECORD  takes the peers' rows from an earlier record: they do not change with Pliant
//   --only PART     runs one part: "300 rows | mlp | misses 0.25", "300 rows | linear | free", "300 rows | lightgbm"
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { python, version } from "../peer.js";
import { kindsOf } from "./cases.js";
import type { Model } from "./ours.js";
import {
  type Asked,
  type Free,
  isDone,
  nameOf,
  type Part,
  type Peers,
  type Picked,
  partNamed,
  peersOf,
  resultOf,
  runPart,
  trainingsOf,
} from "./parts.js";
import type { Scored } from "./score.js";
import { type Case, rules, summaryOf, toldOf } from "./summary.js";
import { tables } from "./tables.js";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    tables: { type: "string" },
    models: { type: "string", default: "linear,mlp" },
    kinds: { type: "string" },
    jobs: { type: "string", default: "1" },
    parts: { type: "string" },
    peers: { type: "string" },
    only: { type: "string" },
  },
});
const say = (line: string): void => (options.json ? console.error(line) : console.log(line));
const among =
  (list: string | undefined) =>
  (name: string): boolean =>
    list === undefined || list.split(",").some((one) => name.includes(one.trim()));
const picked: Picked = {
  table: among(options.tables),
  kind: among(options.kinds),
  models: options.models.split(",") as Model[],
};

interface Recorded {
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly cases: readonly Case[];
}

/** The peers' rows of a record, by table and kind. */
function recordedPeers(file: string): {
  versions: Recorded["versions"];
  of(table: string, kind: string): Peers;
} {
  const { versions, cases } = JSON.parse(readFileSync(file, "utf8")) as Recorded;
  return {
    versions,
    of: (table, kind) => {
      const { lightgbm, fairlearn } = cases.find((one) => one.table === table && one.kind === kind) ?? {};
      return { ...(lightgbm && { lightgbm }), ...(fairlearn && { fairlearn }) };
    },
  };
}

function versionsHere(): Recorded["versions"] {
  const versions = {
    lightgbm: version("lightgbm", "lightgbm, sklearn, pandas"),
    fairlearn: version("fairlearn", "fairlearn.reductions, sklearn, pandas"),
  };
  for (const [name, known] of Object.entries(versions))
    if (known === undefined) say(`${python} has no ${name} (pip install ${name}): it is left out.`);
  return versions;
}

/** A process for one part; the exit code. */
const start = (part: Part, folder: string): Promise<number> =>
  new Promise((resolve) => {
    const run = spawn(
      process.execPath,
      [fileURLToPath(import.meta.url), "--only", nameOf(part), "--parts", folder],
      { stdio: ["ignore", "inherit", "inherit"] },
    );
    run.on("close", (code) => resolve(code ?? 1));
  });

async function runParts(parts: readonly Part[], folder: string, jobs: number): Promise<void> {
  const waiting = parts.filter((part) => !isDone(folder, part));
  let done = 0;
  const all = waiting.length;
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const [began, code] = [performance.now(), await start(part, folder)];
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      console.error(
        `${++done} of ${all}: ${nameOf(part)}, ${seconds} s${code === 0 ? "" : `, exit code ${code}`}`,
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

/** The cases whose parts are all there. */
function casesIn(folder: string, peersFor: (table: string, kind: string) => Peers): Case[] {
  return tables()
    .filter(({ name }) => picked.table(name))
    .flatMap((made) =>
      picked.models.flatMap((model) => {
        const rival = resultOf<Free>(folder, { table: made.name, by: model, kind: "free" });
        return kindsOf(made)
          .filter(({ name }) => picked.kind(name))
          .flatMap((kind): Case[] => {
            const own = resultOf<Asked>(folder, { table: made.name, by: model, kind: kind.name });
            if (!own || !rival) return [];
            return [
              {
                ...{ table: made.name, model, kind: kind.name, sort: kind.sort, classes: made.classes },
                ...(kind.cost && { cost: kind.cost }),
                ...(kind.byGroup && { byGroup: true as const }),
                ...own,
                ...rival[kind.name],
                ...peersFor(made.name, kind.name),
              },
            ];
          });
      }),
    );
}

async function main(): Promise<void> {
  const folder = options.parts ?? mkdtempSync(join(tmpdir(), "pliant-decisions-"));
  try {
    if (options.only !== undefined) return await runPart(partNamed(options.only), folder);
    const recorded = options.peers === undefined ? undefined : recordedPeers(options.peers);
    const versions = recorded?.versions ?? versionsHere();
    const has = { lightgbm: versions.lightgbm !== undefined, fairlearn: versions.fairlearn !== undefined };
    const trainings = trainingsOf(picked);
    await runParts([...(recorded ? [] : peersOf(picked, has)), ...trainings], folder, Number(options.jobs));
    const measuredPeers = (table: string, kind: string): Peers => {
      const made = kindsOf(tables().find(({ name }) => name === table)!).find(({ name }) => name === kind)!;
      const trees = resultOf<Record<string, Scored>>(folder, { table, by: "lightgbm" });
      const fairs = resultOf<Record<string, Record<string, Scored>>>(folder, {
        ...{ table, by: "fairlearn", ...(made.gap && { kind: made.gap }) },
      });
      return { ...(trees && { lightgbm: trees[kind] }), ...(fairs && { fairlearn: fairs[kind] }) };
    };
    const cases = casesIn(folder, recorded?.of ?? measuredPeers);
    for (const one of cases) say(toldOf(one));
    const missing = trainings.filter((part) => !isDone(folder, part)).map(nameOf);
    if (missing.length > 0) say(`Not run: ${missing.join("; ")}.`);
    const summary = summaryOf(cases);
    for (const [bar, { share, of, asks }] of Object.entries(summary))
      say(`${bar}: ${(100 * share).toFixed(0)}% of ${of}, asked ${(100 * asks).toFixed(0)}%`);
    if (options.json) console.log(JSON.stringify({ versions, rules, cases, summary, missing }));
  } finally {
    if (options.parts === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

await main();
