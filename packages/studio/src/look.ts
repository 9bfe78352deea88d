// One run as its files show it: what was asked, what it came to, and whether it is still at work.
import { join } from "node:path";
import type { RunSummary, Status, Sweep, Worst } from "./api.js";
import { endOf, isAtWork, workFile } from "./at-work.js";
import { certificateOf } from "./certificate.js";
import { type Json, type JsonReader, lastLines, statsOf } from "./files.js";
import { noteFile, noteIn } from "./notes.js";
import { quantitiesOf } from "./quantities.js";
import { unreadableIn, unreadableWords } from "./readable.js";
import { excessOf, isViolated, requirementsOf } from "./requirement.js";
import { studyIn } from "./study.js";

type JsonObject = Readonly<Record<string, unknown>>;

export interface Look {
  readonly summary: RunSummary;
  readonly run: JsonObject | undefined;
  readonly report: JsonObject | undefined;
}

export async function look(
  folder: string,
  name: string,
  { read, files }: { read: JsonReader; files?: ReadonlySet<string> },
): Promise<Look> {
  const at = (file: string) => join(folder, file);
  /** What is known not to be there is not looked for. */
  const of = <T>(file: string, look: (path: string) => T) =>
    files && !files.has(file) ? undefined : look(at(file));
  const [asked, answer, mark, note] = ["run.json", "report.json", workFile, noteFile].map((file) =>
    of(file, read),
  );
  const [metrics, checkpoint] = ["metrics.jsonl", "checkpoint.safetensors"].map((file) => of(file, statsOf));
  const run = asked?.value;
  const said = noteIn(note);
  const changes = [asked?.changed, answer?.changed, metrics?.mtimeMs, checkpoint?.mtimeMs];
  const updated = Math.max(...changes.map((time) => time ?? 0));
  // A run that begins in the folder of another removes its report first.
  const lines = answer ? [] : await lastLines(at("metrics.jsonl"), 2);
  const report = answer ? answer.value : lines.at(-1);
  const { unreadable, ...came } = cameTo(report);
  const damaged = answer?.problem && `report.json ${answer.problem}, so no verdict is given.`;
  const { status, problem } = answer ? overAs(damaged ?? unreadable) : statusFrom(mark, updated, lines);
  const sweep = sweepOf(run?.sweep);
  const summary: RunSummary = {
    name,
    title: said.title || text(run?.name),
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
    note: said,
    problem: asked?.problem ? `run.json ${asked.problem}.` : (problem ?? null),
  };
  return { summary, run, report };
}

interface CameTo
  extends Pick<
    RunSummary,
    "objective" | "quantities" | "steps" | "worst" | "certified" | "violated" | "kind" | "clients"
  > {
  /** What of it cannot be read. */
  readonly unreadable: string | undefined;
}

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
    worst: unreadable === undefined ? worstOf(report) : null,
    ...(unreadable === undefined ? certifiedOf(report) : { certified: null, kind: null }),
    violated: unreadable === undefined && Object.values(requirementsOf(report)).some(isViolated),
    clients: clientsOf(report),
  };
  told.set(report, found);
  return found;
}

interface Standing {
  readonly status: Status;
  readonly problem?: string | undefined;
}

const overAs = (problem: string | undefined): Standing => ({
  status: problem === undefined ? "finished" : "unreadable",
  problem,
});

const minute = 60_000;

/**
 * Without a report a run is at work as long as its process is there; where that cannot be known, as long as its files change: for a
 * minute, or five times what a line took.
 */
function statusFrom(mark: Json | undefined, updated: number, lines: readonly JsonObject[]): Standing {
  const atWork = isAtWork(mark);
  if (atWork !== undefined) return atWork ? { status: "running" } : endOf(mark);
  const [before, last] = lines.map(({ time }) => Date.parse(String(time)));
  const patience = Math.max(minute, 5 * (last - before) || 0);
  return { status: Date.now() - updated < patience ? "running" : "stopped" };
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

function sweepOf(value: unknown): Sweep | null {
  const sweep = object(value);
  const [parameter, group] = [text(sweep?.parameter), text(sweep?.group)];
  const given = text(sweep?.value)?.trim();
  const at = given === "" ? null : (number(Number(given ?? sweep?.value)) ?? given ?? null);
  return parameter !== null && at !== null && group !== null ? { parameter, value: at, group } : null;
}

function clientsOf(report: JsonObject | undefined): number | null {
  if (Array.isArray(report?.clients)) return report.clients.length;
  const columns = Object.values(object(report?.clients) ?? {}).filter(Array.isArray);
  return columns.length > 0 ? columns[0].length : null;
}
