// What to do next about a run, and the command that does it.
import type { RunDetail } from "../../../src/api.js";
import { fields } from "../../../src/fields.js";
import { rerunCommand, resumeCommand, trainCommand, word } from "./rerun.js";
import type { ToldResult } from "./said.js";
import { verdictOf } from "./verdict.js";

export interface NextStep {
  readonly words: string;
  readonly command?: string;
}

type Results = Readonly<Record<string, ToldResult>>;

/** Undefined where there is nothing that a reader could do. */
export function nextStep(detail: RunDetail, requirements: Results, tolerance: number): NextStep | undefined {
  const { status, certified } = detail.summary;
  if (status === "running") return undefined;
  if (status === "failed" || status === "killed" || status === "stopped") return goOn(detail);
  if (status === "unreadable") return withCommand("Train it again.", rerunCommand(detail));
  const all = Object.entries(requirements);
  const violated = all.find(([, r]) => r.hard && verdictOf(r, tolerance) === "missed");
  if (violated) return loosen(detail, ...violated);
  if (certified === false && !isDecided(detail.report))
    return withCommand("Train with more steps.", moreSteps(detail));
  if (certified === null) return undefined;
  // What gave way misses its level on any rows, and a threshold is chosen on held-out rows already.
  const missed = all.find(
    ([, r]) => r.test?.verdict === "missed" && !r.decidedOn && verdictOf(r, tolerance) !== "gave",
  );
  if (missed) return validate(detail, missed[0]);
  const gave = all.filter(([, r]) => verdictOf(r, tolerance) === "gave");
  const unasked = gave.find(([, r]) => !r.insisting);
  if (unasked) return insist(detail, unasked[0]);
  if (gave[0]) return require(detail, gave[0][0]);
  return detail.spec
    ? { words: "Write its model card.", command: `npx pliant card ${word(detail.path)} --out card.md` }
    : undefined;
}

/** Scores that were moved towards the requirements are no equilibrium, however long they train: what counts is counted. */
const isDecided = (report: RunDetail["report"]): boolean => fields(fields(report).decision).pressed === true;

const withCommand = (words: string, command: string | undefined): NextStep => ({
  words,
  ...(command && { command }),
});

/** What a process left behind when it ended before its time. */
function goOn(detail: RunDetail): NextStep {
  const { status } = detail.summary;
  const saved = detail.files.some(({ name }) => name === "checkpoint.safetensors");
  const resume = saved ? resumeCommand(detail) : undefined;
  const again = resume ?? rerunCommand(detail);
  const first = status === "failed" ? "Correct the cause, then " : "";
  const what = resume ? "continue from its last checkpoint" : "train it again";
  const words = `${first}${what}.`;
  return withCommand(words[0].toUpperCase() + words.slice(1), again);
}

/** The level that the run can meet, a little looser than what it reached. */
function loosen(detail: RunDetail, name: string, r: ToldResult): NextStep {
  const key = specKey(detail, name);
  const least = r.sense === "at least";
  // In two digits, on the side that holds.
  const power = 10 ** (Math.floor(Math.log10(Math.abs(r.reached) || 1)) - 1);
  const level = Number(((least ? Math.floor : Math.ceil)(r.reached / power) * power).toPrecision(6));
  const fits = key !== undefined && typeof r.level === "number" && !r.asked && Number.isFinite(level);
  return withCommand(
    fits
      ? `Ask for ${name} ${r.sense} ${level}, which this model can reach, or let it give way.`
      : `Loosen the level of ${name}, or let it give way.`,
    fits ? trainCommand(detail, ["--set", `requirements.${key}.level=${level}`]) : undefined,
  );
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
