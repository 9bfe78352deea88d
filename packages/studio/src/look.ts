// One run as its files show it: what was asked and what it came to. Nothing is read here, so a page can say it too.
import type { Note, RunSummary, Status, Sweep, Worst } from "./api.js";
import { certificateOf } from "./certificate.js";
import { clientsViolate } from "./clients.js";
import { quantitiesOf } from "./quantities.js";
import { absentFrom, unreadableIn, unreadableWords } from "./readable.js";
import { excessOf, isViolated, requirementsOf } from "./requirement.js";
import { studyIn } from "./study.js";

type JsonObject = Readonly<Record<string, unknown>>;

export interface Look {
  readonly summary: RunSummary;
  readonly run: JsonObject | undefined;
  readonly report: JsonObject | undefined;
}

/** What the files of a run hold. */
export interface Found {
  readonly run: JsonObject | undefined;
  /** Its report; of a run without one its last evaluation. */
  readonly report: JsonObject | undefined;
  readonly note: Note;
  /** When its files last changed, in milliseconds. */
  readonly updated: number;
  /** What cannot be read of run.json. */
  readonly askedProblem?: string;
  /** How it stands, where something in its report may be unreadable. */
  standing(unreadable: string | undefined): Standing;
}

export interface Standing {
  readonly status: Status;
  readonly problem?: string | undefined;
}

export function lookAt(name: string, { run, report, note, updated, askedProblem, standing }: Found): Look {
  const { unreadable, ...found } = cameTo(report);
  const absent = unreadable === undefined ? unreadableWords(absentFrom(report, run)) : undefined;
  const { status, problem } = standing(unreadable ?? absent);
  const came = absent === undefined ? found : { ...found, ...noVerdict };
  const sweep = sweepOf(run?.sweep);
  const summary: RunSummary = {
    name,
    title: note.title || text(run?.name),
    apart: null,
    command: text(run?.command) ?? "unknown",
    dataset: datasetOf(run),
    started: text(run?.started),
    updated,
    status,
    seed: seedOf(run),
    device: text(run?.device),
    ...came,
    total: totalOf(run),
    sweep,
    study: studyIn(name, sweep),
    note,
    problem: askedProblem ?? problem ?? null,
  };
  return { summary, run, report };
}

interface CameTo
  extends Pick<
    RunSummary,
    "objective" | "quantities" | "steps" | "worst" | "certified" | "counted" | "violated" | "kind" | "clients"
  > {
  /** What of it cannot be read. */
  readonly unreadable: string | undefined;
}

/** Of a report that cannot be read in full. */
const noVerdict = { worst: null, certified: null, kind: null, counted: false, violated: false } as const;

/** What the reports that are kept say, which is read out of each once. */
const told = new WeakMap<JsonObject, CameTo>();

/** What a run came to, by its report or its last line. */
function cameTo(report: JsonObject = {}): CameTo {
  const before = told.get(report);
  if (before) return before;
  const { steps, rounds, communicationRounds, step } = report;
  const unreadable = unreadableWords(unreadableIn(report));
  const found = {
    unreadable,
    objective: number(report.objective),
    quantities: quantitiesOf(report),
    steps: [steps, rounds, communicationRounds, step].map(number).find(known) ?? null,
    ...(unreadable === undefined
      ? {
          worst: worstOf(report),
          ...certifiedOf(report),
          counted: isCounted(report),
          violated: Object.values(requirementsOf(report)).some(isViolated) || clientsViolate(report),
        }
      : noVerdict),
    clients: clientsOf(report),
  };
  told.set(report, found);
  return found;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const number = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
const known = (value: number | null): value is number => value !== null;
const object = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null ? (value as JsonObject) : undefined;

function seedOf(run: JsonObject | undefined): string | null {
  const seeds = Array.isArray(run?.seeds) ? run.seeds : [run?.seed];
  const numbers = seeds.filter((seed) => known(number(seed)));
  return numbers.length > 0 ? numbers.join(", ") : null;
}

/** Commands name their data in their own places. */
function datasetOf(run: JsonObject | undefined): string | null {
  for (const holder of [run, object(run?.settings), object(run?.spec), object(run?.recipe)]) {
    const named = text(holder?.dataset) ?? text(holder?.data);
    if (named) return named;
    const data = object(holder?.data) ?? object(holder?.dataset);
    const inner = text(data?.name) ?? text(data?.dataset) ?? text(data?.file) ?? text(data?.csv);
    if (inner) return inner;
  }
  return null;
}

/** Commands say in their own places how long they may go on. */
function totalOf(run: JsonObject | undefined): number | null {
  const [settings, recipe] = [object(run?.settings), object(run?.recipe)];
  return [run?.steps, settings?.steps, settings?.rounds, recipe?.rounds].map(number).find(known) ?? null;
}

/** Of those that could be missed, where there are such: what the model is built to meet is at its level whatever is learnt. */
function worstOf(report: JsonObject | undefined): Worst | null {
  const stated = object(report?.requirements);
  const all = Object.entries(requirementsOf(report)).map(([name, r]) => ({
    name,
    excess: excessOf(r),
    relaxation: r.relaxation,
    price: r.price,
  }));
  const open = all.filter(({ name }) => object(stated?.[name])?.byConstruction !== true);
  return (open.length > 0 ? open : all).reduce<Worst | null>(
    (a, b) => (a && a.excess >= b.excess ? a : b),
    null,
  );
}

function certifiedOf(report: JsonObject | undefined): Pick<RunSummary, "certified" | "kind"> {
  const { holds, kind } = certificateOf(report) ?? {};
  return { certified: holds ?? null, kind: (holds && kind) || null };
}

/** The report's own rule: decisions were made, nothing is certified, and no requirement is left open. */
function isCounted(report: JsonObject): boolean {
  const all = Object.values(requirementsOf(report)).filter(({ cost }) => cost !== "free");
  return (
    object(report.decision) !== undefined &&
    certificateOf(report)?.holds === false &&
    all.length > 0 &&
    all.every(({ status }) => status !== undefined && status !== "unknown")
  );
}

function sweepOf(value: unknown): Sweep | null {
  const sweep = object(value);
  const [parameter, group] = [text(sweep?.parameter), text(sweep?.group)];
  const given = text(sweep?.value)?.trim();
  const at =
    given === "" ? null : (number(given === undefined ? sweep?.value : Number(given)) ?? given ?? null);
  return parameter !== null && at !== null && group !== null ? { parameter, value: at, group } : null;
}

function clientsOf(report: JsonObject | undefined): number | null {
  if (Array.isArray(report?.clients)) return report.clients.length;
  const columns = Object.values(object(report?.clients) ?? {}).filter(Array.isArray);
  return columns.length > 0 ? columns[0].length : null;
}
