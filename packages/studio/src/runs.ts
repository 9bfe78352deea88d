// The runs in a folder: any folder in it with a run.json, however deep.
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunDetail, RunFile, RunSummary, Status, Sweep, Worst } from "./api.js";
import { isAtWork, workFile } from "./at-work.js";
import { apartFrom } from "./differences.js";
import { type Json, jsonReader, lastLines, statsOf, textOf } from "./files.js";
import { noteFile, noteFrom, noteIn, writeNote } from "./notes.js";
import { folderOf, pathOf, realRoot } from "./places.js";
import { quantitiesOf } from "./quantities.js";
import { excessOf, requirementsOf } from "./requirement.js";
import { canStop, stop } from "./stop.js";

export interface Runs {
  list(): Promise<RunSummary[]>;
  summary(name: string): Promise<RunSummary>;
  detail(name: string): Promise<RunDetail>;
  /** Keeps what a person says of a run. */
  note(name: string, sent: Readonly<Record<string, unknown>>): Promise<void>;
  /** Has the process that trains a run save it and end. */
  stop(name: string): Promise<void>;
  /** The names of runs that lie inside a run's folder. */
  inside(name: string): Promise<string[]>;
}

type JsonObject = Readonly<Record<string, unknown>>;

const deepest = 8;

export function runsIn(root: string): Runs {
  const read = jsonReader();
  const summary = async (name: string): Promise<RunSummary> =>
    (await look(await folderOf(root, name), name, { read })).summary;
  return {
    summary,
    async list() {
      const real = await realRoot(root);
      if (!real) return [];
      const runs = await find(real, "", 0);
      // What was found on the way lies there and is no link; a folder may go while it is looked at.
      const found = await Promise.all(
        runs.map(async ({ name, files }) => {
          const folder = pathOf(real, name);
          return folder && look(folder, name, { read, files }).catch(() => undefined);
        }),
      );
      return toldApart(found.filter((one): one is Look => typeof one === "object"));
    },
    async note(name, sent) {
      await writeNote(await folderOf(root, name), noteFrom(sent));
    },
    async stop(name) {
      await stop(await folderOf(root, name), read);
    },
    async inside(name) {
      const all = await find(await folderOf(root, name), "", 0);
      return all.map((run) => run.name).filter((other) => other !== ".");
    },
    async detail(name) {
      const folder = await folderOf(root, name);
      const { summary, run, report } = await look(folder, name, { read });
      const files = await filesIn(folder);
      const [spec, [last]] = await Promise.all([
        specIn(folder, files),
        lastLines(join(folder, "metrics.jsonl"), 1),
      ]);
      // The times of files may be those of their copying.
      const ended = summary.status === "running" ? null : text(last?.time);
      const path = join(root, name);
      const again = await freeBeside(path);
      const stoppable = summary.status === "running" && (await canStop(folder, read));
      return { summary, path, again, run: run ?? {}, report: report ?? null, ended, stoppable, files, spec };
    },
  };
}

/** PATH-again, or with the first number of which there is nothing. */
async function freeBeside(path: string): Promise<string> {
  for (let i = 1; ; i++) {
    const free = `${path}-again${i === 1 ? "" : `-${i}`}`;
    if (!(await lstat(free).catch(() => undefined))) return free;
  }
}

interface Found {
  readonly name: string;
  /** The names of what lies in its folder. */
  readonly files: ReadonlySet<string>;
}

async function find(root: string, inside: string, depth: number): Promise<Found[]> {
  const entries = await readdir(join(root, inside), { withFileTypes: true }).catch(() => []);
  const here = entries.some((entry) => entry.name === "run.json" && entry.isFile())
    ? [{ name: inside || ".", files: new Set(entries.map(({ name }) => name)) }]
    : [];
  if (depth === deepest) return here;
  // Links are no folders here.
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const below = await Promise.all(
    folders.map(({ name }) => find(root, inside ? `${inside}/${name}` : name, depth + 1)),
  );
  return [...here, ...below.flat()];
}

interface Look {
  readonly summary: RunSummary;
  readonly run: JsonObject | undefined;
  readonly report: JsonObject | undefined;
}

async function look(
  folder: string,
  name: string,
  { read, files }: { read(path: string): Promise<Json | undefined>; files?: ReadonlySet<string> },
): Promise<Look> {
  const at = (file: string) => join(folder, file);
  /** What is known not to be there is not looked for. */
  const of = <T>(file: string, look: (path: string) => Promise<T>) =>
    files && !files.has(file) ? undefined : look(at(file));
  const [asked, answer, mark, note, metrics, checkpoint] = await Promise.all([
    of("run.json", read),
    of("report.json", read),
    of(workFile, read),
    of(noteFile, read),
    of("metrics.jsonl", statsOf),
    of("checkpoint.safetensors", statsOf),
  ]);
  const run = asked?.value;
  const said = noteIn(note);
  const changes = [asked?.changed, answer?.changed, metrics?.mtimeMs, checkpoint?.mtimeMs];
  const updated = Math.max(...changes.map((time) => time ?? 0));
  // A run that begins in the folder of another removes its report first.
  const finished = answer?.value !== undefined;
  const lines = finished ? [] : await lastLines(at("metrics.jsonl"), 2);
  const report = finished ? answer?.value : lines.at(-1);
  const status = finished ? "finished" : statusFrom(isAtWork(mark), updated, lines);
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
    objective: number(report?.objective),
    quantities: quantitiesOf(report),
    steps:
      [report?.steps, report?.rounds, report?.communicationRounds, report?.step].map(number).find(known) ??
      null,
    total: totalOf(run),
    worst: worstOf(report),
    certified: certifiedOf(report),
    sweep: sweepOf(run?.sweep),
    clients: clientsOf(report),
    note: said,
    problem: asked?.problem
      ? `run.json ${asked.problem}.`
      : answer?.problem
        ? `report.json ${answer.problem}.`
        : null,
  };
  return { summary, run, report };
}

/** Runs with one title, by how their specs differ from that of the first that was started. */
function toldApart(all: readonly Look[]): RunSummary[] {
  const alike = new Map<string, Look[]>();
  for (const one of all) {
    const { title, command } = one.summary;
    const key = JSON.stringify([title, command]);
    if (title !== null) alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  const started = ({ summary }: Look): string => `${summary.started ?? ""} ${summary.name}`;
  const words = new Map<Look, string>();
  for (const [first, ...others] of [...alike.values()].map((list) =>
    list.sort((a, b) => (started(a) < started(b) ? -1 : 1)),
  ))
    for (const other of others) words.set(other, apartFrom(specOf(other), specOf(first)));
  return all.map((one) => ({ ...one.summary, apart: words.get(one) || null }));
}

const specOf = ({ run }: Look): unknown => run?.spec ?? run?.recipe ?? run?.settings ?? {};

const minute = 60_000;

/**
 * Without a report a run is at work as long as its process is there; where that cannot be known, as long as its files change: for a
 * minute, or five times what a line took.
 */
function statusFrom(atWork: boolean | undefined, updated: number, lines: readonly JsonObject[]): Status {
  if (atWork !== undefined) return atWork ? "running" : "stopped";
  const [before, last] = lines.map(({ time }) => Date.parse(String(time)));
  const patience = Math.max(minute, 5 * (last - before) || 0);
  return Date.now() - updated < patience ? "running" : "stopped";
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

function worstOf(report: JsonObject | undefined): Worst | null {
  const all = Object.entries(requirementsOf(report)).map(([name, r]) => ({
    name,
    excess: excessOf(r),
    relaxation: r.relaxation,
    price: r.price,
  }));
  return all.reduce<Worst | null>((a, b) => (a && a.excess >= b.excess ? a : b), null);
}

function certifiedOf(report: JsonObject | undefined): boolean | null {
  const holds = object(report?.certificate)?.holds;
  return typeof holds === "boolean" ? holds : null;
}

function sweepOf(value: unknown): Sweep | null {
  const sweep = object(value);
  const [parameter, group] = [text(sweep?.parameter), text(sweep?.group)];
  const at = sweep?.value === undefined || sweep.value === "" ? null : number(Number(sweep.value));
  return parameter !== null && at !== null && group !== null ? { parameter, value: at, group } : null;
}

function clientsOf(report: JsonObject | undefined): number | null {
  if (Array.isArray(report?.clients)) return report.clients.length;
  const columns = Object.values(object(report?.clients) ?? {}).filter(Array.isArray);
  return columns.length > 0 ? columns[0].length : null;
}

/** What can be downloaded: plain files of known kinds directly in the folder. */
const downloadable = /^[\w][\w .()-]*\.(json|jsonl|safetensors|onnx|ya?ml|csv|svg|txt|md)$/;

export async function filesIn(folder: string): Promise<RunFile[]> {
  // It may be deleted while it is looked at.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((e) => e.isFile() && downloadable.test(e.name) && e.name !== workFile)
    .map((e) => e.name);
  const files = await Promise.all(
    names.sort().map(async (name) => ({ name, bytes: (await statsOf(join(folder, name)))?.size })),
  );
  return files.filter((file): file is RunFile => file.bytes !== undefined);
}

async function specIn(folder: string, files: readonly RunFile[]): Promise<RunDetail["spec"]> {
  const file = files.find(({ name }) => /^spec\.(ya?ml|json)$/.test(name))?.name;
  const content = file && (await textOf(join(folder, file), 256 << 10));
  return content ? { file, text: content } : null;
}
