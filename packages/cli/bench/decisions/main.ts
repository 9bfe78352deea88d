// npm run bench -- decisions [--json] [--tables A,B] [--models linear,mlp] [--kinds A,B]: requirements on decisions with default settings, on test rows,
// beside the free model with a moved threshold, LightGBM with one, and Fairlearn. A peer that python3 lacks is left out, and said to be.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { python, startPeer, version } from "../peer.js";
import { type Kind, kindsOf } from "./cases.js";
import { asked, costsFor, free, type Model, moved, type Ready, written } from "./ours.js";
import { type Answers, type Scored, scored } from "./score.js";
import { type Case, rules, summaryOf, toldOf } from "./summary.js";
import { tables } from "./tables.js";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    tables: { type: "string" },
    models: { type: "string", default: "linear,mlp" },
    kinds: { type: "string" },
  },
});
const say = (line: string): void => (options.json ? console.error(line) : console.log(line));
const picked = (list: string | undefined, name: string): boolean =>
  list === undefined || list.split(",").some((one) => name.includes(one.trim()));

const versions = {
  lightgbm: version("lightgbm", "lightgbm, sklearn, pandas"),
  fairlearn: version("fairlearn", "fairlearn.reductions, sklearn, pandas"),
};
for (const [name, known] of Object.entries(versions))
  if (known === undefined) say(`${python} has no ${name} (pip install ${name}): it is left out.`);
const peer = Object.values(versions).some((known) => known !== undefined)
  ? startPeer("decisions/decisions_peer.py")
  : undefined;

interface Theirs {
  readonly seconds: number;
  readonly given: number[];
  readonly probability?: number[];
  readonly score?: number[];
  readonly held?: { readonly score: number[]; readonly y: number[]; readonly group: string[] };
}

/** LightGBM's answers and its scores of folds, as the free model's are. */
async function boosted(ready: Ready) {
  const found = await peer!.ask<Theirs>({
    ...{ peer: "lightgbm", train: join(ready.folder, "learnt.csv"), test: join(ready.folder, "test.csv") },
  });
  const names = [...new Set(found.held!.group)];
  const answers: Answers = {
    ...{ given: found.given, seconds: found.seconds, score: found.score! },
    right: found.probability!.map((p, i) => (Number(ready.test.y[i]) === 1 ? p : 1 - p)),
  };
  return {
    answers,
    held: {
      score: found.held!.score,
      target: found.held!.y,
      groups: { group: found.held!.group.map((g) => names.indexOf(g)) },
      values: { group: names },
    },
  };
}

/** Fairlearn at three bounds, as its error falls with the gap that it may leave; and its threshold optimiser. */
async function fair(ready: Ready, kind: Kind): Promise<Record<string, Answers>> {
  const ask = (more: object): Promise<Answers> =>
    peer!.ask<Theirs>({
      ...{ train: join(ready.folder, "learnt.csv"), test: join(ready.folder, "test.csv"), kind: kind.gap },
      ...more,
    });
  const found: Record<string, Answers> = { "threshold optimiser": await ask({ peer: "thresholds" }) };
  for (const bound of [0.01, 0.03, 0.06])
    found[`exponentiated gradient ${bound}`] = await ask({ peer: "exponentiated", bound });
  return found;
}

const root = mkdtempSync(join(tmpdir(), "pliant-decisions-"));
const cases: Case[] = [];
try {
  for (const made of tables().filter(({ name }) => picked(options.tables, name))) {
    const ready = written(root, made);
    const trees = versions.lightgbm !== undefined && made.classes === 2 ? await boosted(ready) : undefined;
    const fairs = new Map<string, Record<string, Answers>>();
    for (const model of options.models.split(",") as Model[]) {
      const rival = await free(ready, model);
      for (const kind of kindsOf(made).filter(({ name }) => picked(options.kinds, name))) {
        const costs = costsFor(kind, ready.test.y, made.classes);
        const of = (answers: Answers): Scored => scored(kind, answers, ready.test, costs, made.learnt);
        const own = await asked(ready, model, kind);
        if (kind.gap && versions.fairlearn !== undefined && made.classes === 2 && !fairs.has(kind.gap))
          fairs.set(kind.gap, await fair(ready, kind));
        const one: Case = {
          ...{ table: made.name, model, kind: kind.name, sort: kind.sort, classes: made.classes },
          ...(kind.cost && { cost: kind.cost }),
          ...(kind.byGroup && { byGroup: true as const }),
          pressed: own.report.decision?.pressed ?? false,
          pliant: of(own.answers),
          free: of(moved(kind, rival)),
          plain: of(rival.answers),
          ...(trees && { lightgbm: of(moved(kind, trees)) }),
          ...(kind.gap && {
            fairlearn: Object.fromEntries(
              Object.entries(fairs.get(kind.gap) ?? {}).map(([name, answers]) => [name, of(answers)]),
            ),
          }),
        };
        cases.push(one);
        say(toldOf(one));
      }
    }
  }
  const summary = summaryOf(cases);
  for (const [bar, { share, of, asks }] of Object.entries(summary))
    say(`${bar}: ${(100 * share).toFixed(0)}% of ${of}, asked ${(100 * asks).toFixed(0)}%`);
  if (options.json) console.log(JSON.stringify({ versions, rules, cases, summary }));
} finally {
  await peer?.close();
  rmSync(root, { recursive: true, force: true });
}
