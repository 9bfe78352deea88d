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

/** The free model, with its scores of held-out rows. */
export async function free(ready: Ready, model: Model) {
  const { run, answers } = await ran(
    ready,
    `${model}-free`,
    specOf(ready, model, {
      requirements: { watched: { metric: "loss", level: 9, cost: "free" } },
      decision: { cost: "errors" },
    }),
  );
  const held = JSON.parse(readFileSync(join(run, "held-out.json"), "utf8")) as {
    score: number[];
    target: number[];
    groups: Record<string, number[]>;
    values: Record<string, string[]>;
  };
  return { answers, held };
}

/** The costs of a wrong decision about each row. */
export function costsFor({ cost, sort }: Kind, y: Rows["y"], classes: number): number[] {
  if ((cost ?? (sort === "gap" ? "balanced" : "errors")) === "errors") return y.map(() => 1);
  const counts = new Map<string, number>();
  for (const one of y) counts.set(String(one), (counts.get(String(one)) ?? 0) + 1);
  return y.map((one) => y.length / (classes * counts.get(String(one))!));
}

/** The free model at the threshold that does best on its held-out rows; of several classes at none. */
export function moved(kind: Kind, { answers, held }: Awaited<ReturnType<typeof free>>): Answers {
  if (!answers.score) return answers;
  const rows: Rows = { y: held.target, group: held.groups.group.map((g) => held.values.group[g]) };
  const costs = costsFor(kind, rows.y, 2);
  const sorted = [...held.score].sort((a, b) => a - b);
  const at = (place: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, Math.floor(place)))];
  const judged = (threshold: number): [number, number] => {
    const given = held.score.map((s) => Number(s > threshold));
    const wrong = given.reduce((sum, g, i) => sum + Number(g !== rows.y[i]) * costs[i], 0) / given.length;
    return [missedBy(kind, given, rows), wrong + gaveFor(kind, given, rows)];
  };
  const grid = Array.from({ length: 200 }, (_, i) => (i / 199) * sorted.length);
  let [best, value] = [0, [Number.POSITIVE_INFINITY, 0] as [number, number]];
  const consider = (place: number): void => {
    const found = judged(at(place));
    if (found[0] < value[0] - 1e-9 || (found[0] <= value[0] + 1e-9 && found[1] < value[1]))
      [best, value] = [place, found];
  };
  for (const place of grid) consider(place);
  const step = sorted.length / 199;
  for (const place of Array.from({ length: 80 }, (_, i) => best + ((i - 40) / 40) * step)) consider(place);
  const threshold = at(best);
  return { ...answers, given: answers.score.map((s) => Number(s > threshold)) };
}
