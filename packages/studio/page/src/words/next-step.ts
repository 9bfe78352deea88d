// What to do next about a run, and the command that does it.
import type { RunDetail } from "../../../src/api.js";
import { fields } from "../../../src/fields.js";
import { methodCommand, rerunCommand, resumeCommand, trainCommand, word } from "../lib/rerun.js";
import type { ToldResult } from "./said.js";
import { gaveBy, listed, verdictOf } from "./verdict.js";

export interface NextStep {
  readonly words: string;
  readonly command?: string;
}

type Results = Readonly<Record<string, ToldResult>>;

/** Undefined where there is nothing that a reader could do. */
export function nextStep(detail: RunDetail, requirements: Results, tolerance: number): NextStep | undefined {
  const { status, certified } = detail.summary;
  if (status === "running")
    return resumeCommand(detail) === undefined
      ? undefined
      : { words: "Let it finish, or stop it: it saves itself, and --resume goes on with it." };
  if (status === "failed" || status === "killed" || status === "stopped") return goOn(detail);
  if (status === "unreadable") return withCommand("Train it again.", rerunCommand(detail));
  const all = Object.entries(requirements);
  if (detail.summary.command === "reproduce invariance") return reproduced(detail, all, tolerance);
  const violated = all.filter(([, r]) => r.hard && verdictOf(r, tolerance) === "missed");
  if (violated.length > 0) return loosen(detail, violated, requirements);
  if (certified === false && !isDecided(detail.report))
    return withCommand("Train with more steps.", moreSteps(detail));
  if (certified === null) return undefined;
  // What gave way misses its level on any rows, and a threshold is chosen on held-out rows already.
  const missed = all.find(
    ([, r]) => r.test?.verdict === "missed" && !r.decidedOn && verdictOf(r, tolerance) !== "gave",
  );
  if (missed) return validate(detail, missed[0]);
  const gave = all
    .filter(([, r]) => verdictOf(r, tolerance) === "gave")
    .sort(([, a], [, b]) => gaveBy(b) - gaveBy(a));
  const unasked = gave.find(([, r]) => !r.insisting);
  if (unasked) return insist(detail, unasked[0]);
  const attainable = gave.find(([, r]) => canBeMet(r));
  if (attainable) return require(detail, attainable[0]);
  if (gave.length > 0) return loosen(detail, gave, requirements);
  return detail.spec
    ? { words: "Write its model card.", command: `npx pliant card ${word(detail.path)} --out card.md` }
    : undefined;
}

/** Scores that were moved towards the requirements are no equilibrium, however long they train: what counts is counted. */
export const isDecided = (report: RunDetail["report"]): boolean =>
  fields(fields(report).decision).pressed === true;

const withCommand = (words: string, command: string | undefined): NextStep => ({
  words,
  ...(command && { command }),
});

/** Whether insisting was measured to meet it without breaking what must hold. */
const canBeMet = ({ insisting }: ToldResult): boolean =>
  insisting?.had === true && !(insisting.missed > 0) && !insisting.broken?.length;

/** The same experiment with what it asks for insisted on, or let give way. */
function reproduced(
  detail: RunDetail,
  all: readonly (readonly [string, ToldResult])[],
  tolerance: number,
): NextStep | undefined {
  const { method } = fields(detail.run.recipe);
  const holds = (r: ToldResult): boolean => ["met", "held", "open"].includes(verdictOf(r, tolerance));
  if (all.length === 0 || all.every(([, r]) => holds(r))) return undefined;
  const names = listed(all.filter(([, r]) => !holds(r)).map(([name]) => name));
  return method === "constrained"
    ? withCommand(`Let ${names} give way at a cost, and compare.`, methodCommand(detail, "resilient"))
    : withCommand(`Train it with ${names} as hard, and compare.`, methodCommand(detail, "constrained"));
}

/** What a process left behind when it ended before its time. */
function goOn(detail: RunDetail): NextStep {
  // A checkpoint belongs to the spec that failed: with another it is refused, with the same it fails again.
  if (detail.summary.status === "failed") {
    const { rate } = fields(fields(detail.run.spec).budget);
    // A rate that is far off is not mended by a tenth of it.
    const tenth = Number((Number(rate) / 10).toPrecision(6));
    const slower = tenth > 1 ? 0.01 : tenth;
    if (slower > 0 && detail.summary.problem?.includes("smaller rate"))
      return withCommand(
        "Train it at a smaller rate.",
        trainCommand(detail, ["--set", `budget.rate=${slower}`]),
      );
    return withCommand(
      detail.spec
        ? `Correct the cause in ${detail.path}/${detail.spec.file}, then train it again.`
        : "Correct the cause, then train it again.",
      rerunCommand(detail),
    );
  }
  const saved = detail.files.some(({ name }) => name === "checkpoint.safetensors");
  const resume = saved ? resumeCommand(detail) : undefined;
  return resume
    ? withCommand("Continue from its last checkpoint.", resume)
    : withCommand("Train it again.", rerunCommand(detail));
}

/** Levels that the model meets together: what each reached, rounded to its loose side. */
function loosen(
  detail: RunDetail,
  missed: readonly (readonly [string, ToldResult])[],
  all: Results,
): NextStep {
  const found = missed.map(([name, r]) => ({ name, r, key: specKey(detail, name), level: looserLevel(r) }));
  const names = listed(missed.map(([name]) => name));
  const levels = new Map<string, number>();
  for (const { r, key, level } of found) {
    if (key === undefined || level === undefined)
      return {
        words: `Loosen the level of ${names}, or let ${missed.length === 1 ? "it" : "them"} give way.`,
      };
    // Groups of one requirement share its level, unless all of them are known.
    const before = levels.get(key) ?? level;
    levels.set(key, r.sense === "at least" ? Math.min(before, level) : Math.max(before, level));
  }
  const looser = new Map(found.map(({ name, level }) => [name, level]));
  const own = new Map([...levels.keys()].map((key) => [key, ownLevels(detail, key, all, looser)]));
  const asked = found.map(
    ({ name, r, key = "", level }) => `${name} ${r.sense} ${own.get(key) ? level : levels.get(key)}`,
  );
  const hard = missed.some(([, r]) => r.hard);
  return withCommand(
    `Ask for ${listed(asked)}, which this model reaches${hard ? `, or let ${missed.length === 1 ? "it" : "them"} give way` : ""}.`,
    trainCommand(
      detail,
      [...levels].flatMap(([key, level]) => ["--set", `requirements.${key}.level=${own.get(key) ?? level}`]),
    ),
  );
}

/** The levels of all groups as a spec has them, of which only those that are missed are looser; undefined where they are not all known. */
function ownLevels(
  detail: RunDetail,
  key: string,
  all: Results,
  looser: ReadonlyMap<string, number | undefined>,
): string | undefined {
  const { by, gap } = fields(fields(fields(detail.run.spec).requirements)[key]);
  const groups = fields(fields(detail.run.data).groups)[String(by)];
  if (gap === true || !Array.isArray(groups)) return undefined;
  const levels = groups.map((group) => {
    const name = `${key} [${by}=${group}]`;
    if (!Object.hasOwn(all, name) || all[name].asked) return undefined;
    const level = looser.get(name) ?? all[name].level;
    return typeof level === "number" ? `${plain(String(group))}: ${Number(level.toPrecision(7))}` : undefined;
  });
  return levels.includes(undefined) ? undefined : `{ ${levels.join(", ")} }`;
}

/** A name as YAML reads it. */
const plain = (name: string): string =>
  /^[A-Za-z]\w*$/.test(name) && !/^(true|false|null)$/i.test(name) ? name : JSON.stringify(name);

/** In two digits, on the side that holds; undefined where the spec's level is not this number. */
function looserLevel(r: ToldResult): number | undefined {
  if (typeof r.level !== "number" || r.asked || !["at most", "at least"].includes(r.sense)) return undefined;
  const power = 10 ** (Math.floor(Math.log10(Math.abs(r.reached) || 1)) - 1);
  const round = r.sense === "at least" ? Math.floor : Math.ceil;
  const level = Number((round(r.reached / power) * power).toPrecision(6));
  return Number.isFinite(level) ? level : undefined;
}

/** The requirement of the spec that a requirement of the report is of. */
function specKey(detail: RunDetail, name: string): string | undefined {
  const reported = (detail.report?.requirements as Record<string, { of?: unknown }> | undefined) ?? {};
  const of = Object.hasOwn(reported, name) ? reported[name].of : undefined;
  const spec = detail.run.spec as { requirements?: object } | undefined;
  const key = typeof of === "string" ? of : name;
  return Object.hasOwn(spec?.requirements ?? {}, key) ? key : undefined;
}

function moreSteps(detail: RunDetail): string | undefined {
  const steps = Math.max(100, 4 * (detail.summary.steps ?? 250));
  return trainCommand(detail, ["--set", `budget.steps=${steps}`]);
}

const validate = (detail: RunDetail, name: string): NextStep =>
  withCommand(
    `${name} is missed on the test rows: keep rows for validation, so that counts are held to rows that are not learnt.`,
    trainCommand(detail, ["--set", "data.validation=0.2"]),
  );

const insist = (detail: RunDetail, name: string): NextStep =>
  withCommand(
    `Measure what insisting on ${name} costs.`,
    detail.spec ? `npx pliant insist ${word(detail.path)} ${word(name)}` : undefined,
  );

const require = (detail: RunDetail, name: string): NextStep =>
  withCommand(`If ${name} must not give way, train with it as hard.`, trainCommand(detail, ["--hard", name]));
