// Pliant with default settings, and the rival that it begins at: the free model, whose threshold is moved on its scores of folds, here by
// trying one after another.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { predictions, readSpec, type TrainReport, trainedModel, trainInFolder } from "@pliant/train";
import { part, writeCsv } from "../table.js";
import { gaveFor, type Kind, missedBy, type Rows } from "./cases.js";
import type { Answers } from "./score.js";
import type { Made } from "./tables.js";

export type Model = "linear" | "mlp";

export interface Ready extends Made {
  readonly folder: string;
  readonly test: Rows;
}

export function written(root: string, made: Made): Ready {
  const folder = join(root, made.name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  writeCsv(join(folder, "learnt.csv"), part(made.table, 0, made.learnt));
  writeCsv(join(folder, "test.csv"), part(made.table, made.learnt));
  const { y, group } = part(made.table, made.learnt);
  return { ...made, folder, test: { y, group: group as string[] } };
}

async function ran(
  ready: Ready,
  name: string,
  spec: object,
): Promise<{ report: TrainReport; answers: Answers; run: string }> {
  const file = join(ready.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(spec));
  const run = join(ready.folder, name);
  const start = performance.now();
  const { report } = await trainInFolder(readSpec(file), {
    ...{ name, out: run, device: "cpu" as const, insist: false, progress: { show: () => {}, end: () => {} } },
  });
  const seconds = (performance.now() - start) / 1000;
  const found = await predictions(trainedModel(run), join(ready.folder, "test.csv"));
  const rows = found as { class: string; score?: number; probabilities: Record<string, number> }[];
  return {
    report,
    run,
    answers: {
      seconds,
      given: rows.map((row) => row.class),
      right: rows.map((row, i) => row.probabilities[String(ready.test.y[i])]),
      ...(ready.classes === 2 && { score: rows.map(({ score }) => score!) }),
    },
  };
}

const specOf = ({ classes }: Made, model: Model, more: object): object => ({
  data: {
    ...{ file: "learnt.csv", target: "y", test: "test.csv", columns: { group: "group", y: "category" } },
    ...(classes === 2 && { positive: "1" }),
  },
  model: { kind: model },
  ...more,
});

/** Requirements as a person writes them, nothing else set. */
export const asked = (ready: Ready, model: Model, { asked: list, cost, name, byGroup }: Kind) =>
  ran(
    ready,
    `${model}-${name.replaceAll(/\W+/g, "-")}`,
    specOf(ready, model, {
      requirements: Object.fromEntries(list.map((one) => [one.name, one.spec])),
      ...(cost && { decision: { cost, ...(byGroup && { threshold: "by group", by: "group" }) } }),
    }),
  );

/** Scores of rows by which a rival's threshold is chosen: of two classes one a row, of several the log-probability of each. */
export interface Held {
  readonly scores: readonly (readonly number[])[];
  readonly rows: Rows;
}

/**
 * The free model, with its scores of held-out rows. A run keeps those of folds for two classes; of several its rows learnt from are
 * scored by the model itself.
 */
export async function free(ready: Ready, model: Model): Promise<{ answers: Answers; held: Held }> {
  const { run, answers } = await ran(
    ready,
    `${model}-free`,
    specOf(ready, model, {
      requirements: { watched: { metric: "loss", level: 9, cost: "free" } },
      decision: { cost: "errors" },
    }),
  );
  if (ready.classes === 2) {
    const held = JSON.parse(readFileSync(join(run, "held-out.json"), "utf8")) as {
      score: number[];
      target: number[];
      groups: Record<string, number[]>;
      values: Record<string, string[]>;
    };
    const group = held.groups.group.map((g) => held.values.group[g]);
    return { answers, held: { scores: held.score.map((s) => [s]), rows: { y: held.target, group } } };
  }
  const { y, group } = part(ready.table, 0, ready.learnt);
  const scores = await logProbabilities(run, join(ready.folder, "learnt.csv"));
  const test = await logProbabilities(run, join(ready.folder, "test.csv"));
  return {
    answers: { ...answers, classScores: test },
    held: { scores, rows: { y, group: group as string[] } },
  };
}

/** By row and class, in the order of the classes' names. */
async function logProbabilities(run: string, file: string): Promise<number[][]> {
  const rows = (await predictions(trainedModel(run), file)) as { probabilities: Record<string, number> }[];
  return rows.map(({ probabilities }) =>
    Object.keys(probabilities)
      .sort()
      .map((name) => Math.log(Math.max(1e-12, probabilities[name]))),
  );
}

/** The costs of a wrong decision about each row. */
export function costsFor({ cost, sort }: Kind, y: Rows["y"], classes: number): number[] {
  if ((cost ?? (sort === "gap" ? "balanced" : "errors")) === "errors") return y.map(() => 1);
  const counts = new Map<string, number>();
  for (const one of y) counts.set(String(one), (counts.get(String(one)) ?? 0) + 1);
  return y.map((one) => y.length / (classes * counts.get(String(one))!));
}

/** What a rival's decisions come to: what must hold first, then errors and giving way. */
type Value = readonly [missed: number, paid: number];

const judge =
  (kind: Kind, rows: Rows, classes: number) =>
  (given: readonly (number | string)[]): Value => {
    const costs = costsFor(kind, rows.y, classes);
    const wrong =
      given.reduce<number>((sum, g, i) => sum + Number(g !== rows.y[i]) * costs[i], 0) / given.length;
    return [missedBy(kind, given, rows), wrong + gaveFor(kind, given, rows)];
  };

const isLess = (a: Value, b: Value): boolean => a[0] < b[0] - 1e-9 || (a[0] <= b[0] + 1e-9 && a[1] < b[1]);

/** The best of many places in a sorted list, and then of many near it. */
function bestPlace(sorted: readonly number[], valueAt: (threshold: number) => Value, many: number): number {
  const at = (place: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, Math.floor(place)))];
  let [best, value] = [0, [Number.POSITIVE_INFINITY, 0] as Value];
  const consider = (place: number): void => {
    const found = valueAt(at(place));
    if (isLess(found, value)) [best, value] = [place, found];
  };
  const step = sorted.length / (many - 1);
  for (let i = 0; i < many; i++) consider(i * step);
  const centre = best;
  for (let i = -40; i < 40; i++) consider(centre + (i / 40) * step);
  return at(best);
}

/** The free model at the threshold that does best on its held-out rows; of several classes at the offsets that do. */
export function moved(kind: Kind, { answers, held }: { answers: Answers; held: Held }): Answers {
  const { scores, rows } = held;
  if (answers.classScores) {
    const names = [...new Set(rows.y.map(String))].sort();
    const offsets = offsetsFor(kind, held, names);
    return { ...answers, given: answers.classScores.map((own) => names[likeliest(own, offsets)]) };
  }
  const value = judge(kind, rows, 2);
  const threshold = bestPlace(
    scores.map(([s]) => s).sort((a, b) => a - b),
    (at) => value(scores.map(([s]) => Number(s > at))),
    200,
  );
  return { ...answers, given: answers.score!.map((s) => Number(s > threshold)) };
}

function likeliest(own: readonly number[], offsets: readonly number[]): number {
  let best = 0;
  for (let k = 1; k < own.length; k++) if (own[k] + offsets[k] > own[best] + offsets[best]) best = k;
  return best;
}

/** One class after another, three times over: the offset at which its decisions do best beside the others'. */
function offsetsFor(kind: Kind, { scores, rows }: Held, names: readonly string[]): number[] {
  const value = judge(kind, rows, names.length);
  const offsets = names.map(() => 0);
  for (let sweep = 0; sweep < 3; sweep++)
    for (const k of names.keys()) {
      const others = offsets.map((offset, j) => (j === k ? Number.NEGATIVE_INFINITY : offset));
      const rival = scores.map((own) => likeliest(own, others));
      const lacks = scores.map((own, i) => own[rival[i]] + offsets[rival[i]] - own[k]);
      offsets[k] = bestPlace(
        [...lacks].sort((a, b) => a - b),
        (at) => value(lacks.map((lack, i) => (at > lack ? names[k] : names[rival[i]]))),
        60,
      );
    }
  return offsets;
}
