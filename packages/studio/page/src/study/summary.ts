// The runs of a study together: those that are alike but for a seed or a fold are one point, with a mean and how sure it is.
import type { Came, Setting, Study, StudyRun } from "../../../src/study.js";
import type { Rows } from "../figure/lines.js";
import { inOrder } from "../lib/names.js";
import { deviation, mean, meanInterval } from "../lib/statistics.js";
import { standingOf } from "../words/standing.js";

/** Runs that are asked for the same but for what is repeated. */
export interface Point {
  /** Its settings, or that it is all runs where none differs. */
  readonly label: string;
  readonly settings: Readonly<Record<string, Setting>>;
  readonly runs: readonly StudyRun[];
}

export interface Spread {
  readonly mean: number;
  readonly deviation: number;
  /** 95%: of the mean over repeats, or of the one measurement. */
  readonly interval: readonly [number, number] | undefined;
  readonly count: number;
}

/** In the order of the settings: numbers by size, text as it reads. */
export function pointsOf(study: Study, runs: readonly StudyRun[] = study.runs): Point[] {
  const keys = study.settings.filter((name) => !study.repeated.includes(name));
  const found = new Map<string, StudyRun[]>();
  for (const run of runs) {
    const key = JSON.stringify(keys.map((name) => run.settings[name] ?? null));
    found.set(key, [...(found.get(key) ?? []), run]);
  }
  return [...found.values()]
    .map((list) => {
      const { settings } = list[0];
      const own = Object.fromEntries(
        keys.filter((key) => Object.hasOwn(settings, key)).map((key) => [key, settings[key]]),
      );
      return { label: labelOf(own), settings: own, runs: list };
    })
    .sort((a, b) => orderBy(keys, a, b));
}

const labelOf = (settings: Readonly<Record<string, Setting>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ") || "all runs";

function orderBy(keys: readonly string[], a: Point, b: Point): number {
  for (const key of keys) {
    const [x, y] = [a.settings[key] ?? "", b.settings[key] ?? ""];
    const by = typeof x === "number" && typeof y === "number" ? x - y : inOrder(String(x), String(y));
    if (by !== 0) return by;
  }
  return 0;
}

/** Undefined where no run of the point has the number. */
export function spreadOf({ runs }: Pick<Point, "runs">, name: string): Spread | undefined {
  const having = runs.filter(({ values }) => Object.hasOwn(values, name));
  if (having.length === 0) return undefined;
  const values = having.map((run) => run.values[name]);
  const single = Object.hasOwn(having[0].intervals, name) ? having[0].intervals[name] : undefined;
  // Of two values it would be thirteen standard errors wide, and say nothing.
  const interval = having.length > 2 ? meanInterval(values) : having.length === 1 ? single : undefined;
  return { mean: mean(values), deviation: deviation(values), interval, count: values.length };
}

/** What runs are judged by: the loss on test rows, else the objective. */
export const judgedBy = ({ values }: Pick<Study, "values">): string =>
  ["test loss", "test error", "objective"].find((name) => values.includes(name)) ?? values[0] ?? "";

/** Certified, or counted on held-out rows, with nothing violated. */
export const isSound = ({ summary }: StudyRun): boolean =>
  standingOf(summary).tone === "good" || (standingOf(summary).tone === "open" && summary.counted);

/** In a counted run what a threshold does not settle holds without a certificate. */
const holding: readonly Came["verdict"][] = ["met", "held", "open"];

/** A sound run in which every requirement holds. */
export const meetsAll = (run: StudyRun): boolean =>
  isSound(run) && Object.values(run.came).every(({ verdict }) => holding.includes(verdict));

/** How far a run is from meeting everything: the largest miss, relative to its level. */
export function shortfall({ came }: StudyRun): number {
  const misses = Object.values(came).map(({ beyond, level }) => {
    const size = Math.max(...[level].flat().map(Math.abs));
    return beyond / (size || 1);
  });
  return Math.max(0, ...misses);
}

const least = (runs: readonly StudyRun[], of: (run: StudyRun) => number): StudyRun | undefined =>
  runs.reduce<StudyRun | undefined>((a, b) => (a && of(a) <= of(b) ? a : b), undefined);

/** Of the runs that meet everything the one with the least of a number; undefined where none does. */
export const bestOf = (runs: readonly StudyRun[], by: string): StudyRun | undefined =>
  least(
    runs.filter((run) => meetsAll(run) && Object.hasOwn(run.values, by)),
    ({ values }) => values[by],
  );

/** Where no run meets everything: the sound run that misses its levels by least. */
export const closestOf = (runs: readonly StudyRun[]): StudyRun | undefined =>
  runs.some(meetsAll) ? undefined : least(runs.filter(isSound), shortfall);

/** How far requirements are beyond their levels, what gives way most first: what a loss is traded against. */
export function givingWay({ values, runs }: Pick<Study, "values" | "runs">): string[] {
  const most = (name: string): number => Math.max(...runs.map((run) => run.values[name] ?? -Infinity));
  return values.filter((name) => name.endsWith(": beyond its level")).sort((a, b) => most(b) - most(a));
}

/** The requirements that have a number of this kind, by name. */
export const requirementsWith = (values: readonly string[], kind: string): string[] =>
  values.flatMap((name) => (name.endsWith(`: ${kind}`) ? [name.slice(0, -kind.length - 2)] : []));

/** The runs as a table: settings, how each stands, then numbers. */
export const rowsOf = (study: Study, runs: readonly StudyRun[]): Rows => ({
  columns: ["run", ...study.settings, "standing", ...study.values],
  rows: runs.map(({ summary, settings, values }) => [
    summary.name,
    ...study.settings.map((name) => settings[name] ?? null),
    standingOf(summary).words,
    ...study.values.map((name) => values[name] ?? null),
  ]),
});
