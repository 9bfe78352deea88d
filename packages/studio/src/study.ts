// A study: the runs of a sweep, of several seeds or folds, or of their product, as a table of what was set and what came of it.
import { symmetricOf } from "@pliant/train/words";
import type { RequirementResult, RunSummary, Sweep } from "./api.js";
import { certificateOf } from "./certificate.js";
import { differences } from "./differences.js";
import { fields, isNumber, text } from "./fields.js";
import { type Insisted, insistedIn } from "./insisted.js";
import { measureOf, requirementsOf } from "./requirement.js";
import { tellableOf } from "./tellable.js";
import { gaveBy, isBeyond, type Verdict, verdictOf } from "./verdict.js";

type JsonObject = Readonly<Record<string, unknown>>;
type Interval = readonly [number, number];
export type Setting = string | number;

/** What a run is made from. */
export interface Studied {
  readonly summary: RunSummary;
  readonly run: JsonObject;
  readonly report: JsonObject | null;
  /** insisted.json, where there is one. */
  readonly insisted?: unknown;
}

export interface StudyRun {
  readonly summary: RunSummary;
  /** Those that are not the same in all runs, by name. */
  readonly settings: Readonly<Record<string, Setting>>;
  /** The numbers of the run, by name. */
  readonly values: Readonly<Record<string, number>>;
  /** 95% confidence intervals of those that have one. */
  readonly intervals: Readonly<Record<string, Interval>>;
  /** What levels are asked for and reached, by requirement. */
  readonly levels: Readonly<Record<string, Level>>;
  /** What insisting on a level costs, as far as it is known. */
  readonly insisted: readonly Insisted[];
  /** What became of each requirement that was asked for. */
  readonly came: Readonly<Record<string, Came>>;
}

export interface Came extends Pick<RequirementResult, "sense" | "level" | "asked" | "hard"> {
  readonly verdict: Verdict;
  /** How far it is beyond its level; 0 where it holds. */
  readonly beyond: number;
}

export interface Level {
  readonly sense: string;
  readonly level: number;
  readonly reached: number;
  /** What insisting on it is paid in. */
  readonly in: string;
}

export interface Study {
  readonly id: string;
  /** The settings that differ: the swept key first, seeds and folds last. */
  readonly settings: readonly string[];
  /** The setting that was swept; null where there are only repeats. */
  readonly swept: string | null;
  /** Seeds or folds: what differs between runs that are asked for the same. */
  readonly repeated: readonly string[];
  /** Whether all runs are trained and tested on the same rows, whatever their seeds. */
  readonly sameRows: boolean;
  readonly values: readonly string[];
  readonly runs: readonly StudyRun[];
}

const repeat = /^(.*)\/(seed|fold)-[\w.]+$/;

/** The study that a run is of, by where it lies and what was swept; null where it stands alone. */
export function studyIn(name: string, sweep: Pick<Sweep, "parameter" | "group"> | null): string | null {
  const [, around] = repeat.exec(name) ?? [];
  if (!sweep) return around ?? null;
  // The group of a sweep names the values of what else was set; the study is all of them.
  const key = `-${sweep.parameter.replace(/^requirements\./, "").replace(/[^\p{L}\p{N}_.+-]+/gu, "_")}`;
  const end = sweep.group.indexOf(key);
  const group = end < 0 ? sweep.group : sweep.group.slice(0, end + key.length);
  const beside = (around ?? name).split("/").slice(0, -1).join("/");
  return beside && end >= 0 ? `${beside}/${group}` : group;
}

const repeats = ["seed", "fold"] as const;

export function studyOf(id: string, all: readonly Studied[]): Study {
  const specs = all.map(({ run }) => run.spec ?? run.recipe ?? run.settings ?? {});
  const found = differences(specs).filter(({ path }) => path[0] !== "name");
  const sweep = all.find(({ summary }) => summary.sweep)?.summary.sweep ?? null;
  // What the costs of the spec are multiplied by is no cost itself.
  const swept = sweep && (sweep.parameter === "cost" ? "cost ×" : nameOf(sweep.parameter.split(".")));
  const columns = new Map<string, (Setting | undefined)[]>();
  if (swept)
    columns.set(
      swept,
      all.map(({ summary }) => summary.sweep?.value),
    );
  for (const { path, values } of found)
    if (swept !== "cost ×" || path.at(-1) !== "cost") {
      const name = nameOf(path);
      if (!columns.has(name)) columns.set(name, values.map(settingOf));
    }
  const repeated = repeats.filter((name) => columns.has(name));
  const order = [...columns.keys()].sort((a, b) => rank(a, repeated) - rank(b, repeated));
  const runs = all.map(({ summary, report, insisted }, i) => ({
    summary,
    levels: levelsOf(report),
    came: cameOf(report),
    insisted: insistedIn(report, insisted),
    settings: Object.fromEntries(
      order.flatMap((name) => {
        const value = columns.get(name)?.[i];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    ...numbersOf(summary, report),
  }));
  const values = [...new Set(runs.flatMap((run) => Object.keys(run.values)))];
  const sameRows =
    !repeated.includes("fold") && specs.every((spec) => isNumber(fields(fields(spec).data).seed));
  return { id, settings: order, swept, repeated, sameRows, values, runs };
}

/** Those of which a level can be asked: a number, of a run that knows what it came to. */
function levelsOf(report: JsonObject | null): Record<string, Level> {
  const currency = text(fields(fields(report).decision).in) ?? "wrong decisions";
  const known = Object.entries(requirementsOf(report)).flatMap(([name, r]): [string, Level][] =>
    typeof r.level !== "number" ||
    r.unreadable !== undefined ||
    r.unsettled ||
    r.examples ||
    r.cost === "free"
      ? []
      : [[name, { sense: r.sense, level: r.level, reached: r.reached, in: r.decidedOn ? currency : "loss" }]],
  );
  return Object.fromEntries(known);
}

/** Without what is only watched, and without the other side of a gap between two groups. */
function cameOf(report: JsonObject | null): Record<string, Came> {
  const tolerance = Math.max(certificateOf(report)?.tolerance ?? 1e-3, 1e-4);
  const found: Record<string, Came> = Object.create(null);
  const mirrors = new Set(symmetricOf(tellableOf(report, () => "unknown").requirements));
  for (const [name, r] of Object.entries(requirementsOf(report))) {
    const verdict = verdictOf(r, tolerance);
    if (verdict === "watched" || mirrors.has(name)) continue;
    const holds = verdict === "met" || verdict === "held" || (verdict === "open" && !isBeyond(r));
    const { sense, level, asked, hard } = r;
    found[name] = { sense, level, hard, ...(asked && { asked }), verdict, beyond: holds ? 0 : gaveBy(r) };
  }
  return found;
}

const rank = (name: string, repeated: readonly string[]): number => (repeated.includes(name) ? 1 : 0);

/** data.test.fold is the fold; requirements.misses.level is misses level. */
const nameOf = (path: readonly string[]): string =>
  path.at(-1) === "fold" ? "fold" : path.filter((part) => part !== "requirements").join(" ");

const settingOf = (text: string | undefined): Setting | undefined =>
  text !== undefined && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;

function numbersOf(summary: RunSummary, report: JsonObject | null): Pick<StudyRun, "values" | "intervals"> {
  const values: Record<string, number> = { ...summary.quantities };
  const intervals: Record<string, Interval> = {};
  const test = fields(fields(report).test);
  for (const key of ["loss", "error"]) {
    const measure = measureOf(test[key]);
    if (measure?.interval) intervals[`test ${key}`] = measure.interval;
  }
  for (const [name, r] of Object.entries(requirementsOf(report))) {
    if (r.unreadable !== undefined || !Object.hasOwn(values, `${name}: reached`)) continue;
    if (!r.unsettled) values[`${name}: relaxation`] = r.relaxation;
    if (r.test?.interval) intervals[`${name}: on test data`] = r.test.interval;
    const costs = r.insisting?.had ? r.insisting.costs : undefined;
    if (isNumber(costs) && !r.unsettled) values[`${name}: insisting costs`] = costs;
  }
  return { values, intervals };
}
