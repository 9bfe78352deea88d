// The runs in a folder: any folder in it with a run.json, however deep.
import { type Dirent, readdirSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { RunDetail, RunFile, RunSummary } from "./api.js";
import { apartFrom } from "./differences.js";
import { fields } from "./fields.js";
import { jsonReader, lastLines, statsOf, textOf } from "./files.js";
import { insistedFile } from "./insisted.js";
import type { Look } from "./look.js";
import { look } from "./look-in.js";
import { mergedNote, noteFile, noteFrom, noteIn, writeNote } from "./notes.js";
import { isOffered } from "./offered.js";
import { folderOf, pathOf, realRoot, refuse } from "./places.js";
import { canStop, stop } from "./stop.js";
import { type Study, studyOf } from "./study.js";
import { turns } from "./turns.js";

export interface Runs {
  list(): Promise<RunSummary[]>;
  summary(name: string): Promise<RunSummary>;
  detail(name: string): Promise<RunDetail>;
  /** The runs of a study, in the order of their names. */
  study(id: string): Promise<Study>;
  /** Keeps what a person says of a run. */
  note(name: string, sent: Readonly<Record<string, unknown>>): Promise<void>;
  /** Has the process that trains a run save it and end. */
  stop(name: string): Promise<void>;
  /** The names of runs that lie inside a run's folder. */
  inside(name: string): Promise<string[]>;
}

export interface RunsOptions {
  /** Others than the owner read what is told. */
  readonly shared: boolean;
}

const deepest = 8;

export function runsIn(root: string, options: RunsOptions): Runs {
  const read = jsonReader();
  const summary = async (name: string): Promise<RunSummary> =>
    (await look(await folderOf(root, name), name, { read })).summary;
  const looksAtAll = async (): Promise<Look[]> => {
    const real = await realRoot(root);
    if (!real) return [];
    const turn = turns();
    const found: Look[] = [];
    for (const { name, files } of await find(real, turn)) {
      const folder = pathOf(real, name);
      // What was found on the way lies there and is no link; a folder may go while it is looked at.
      const one = folder && (await look(folder, name, { read, files }).catch(() => undefined));
      if (one) found.push(one);
      await turn();
    }
    return found;
  };
  let latest: Promise<RunSummary[]> | undefined;
  let writing: Promise<void> = Promise.resolve();
  const list = (): Promise<RunSummary[]> => {
    latest = looksAtAll().then(toldApart);
    return latest;
  };
  /** By the latest list, and a new one only where that does not know the run under this title. */
  const apartOf = async ({ name, title }: RunSummary): Promise<string | null> => {
    const known = (runs: readonly RunSummary[] = []) =>
      runs.find((run) => run.name === name && run.title === title);
    return (known(await latest) ?? known(await list()))?.apart ?? null;
  };
  return {
    summary,
    list,
    async study(id) {
      const found = (await looksAtAll()).filter(({ summary: { study } }) => study === id);
      if (found.length === 0) throw refuse(404, "There is no such study.");
      const real = (await realRoot(root)) ?? root;
      const all = found.map(({ summary, run = {}, report = null }) => {
        const folder = pathOf(real, summary.name);
        return { summary, run, report, insisted: folder && read(join(folder, insistedFile))?.value };
      });
      return studyOf(id, all);
    },
    async note(name, sent) {
      const folder = await folderOf(root, name);
      const note = noteFrom(sent);
      const before = sent.before === undefined ? undefined : noteFrom(fields(sent.before));
      // One after another: each is merged with what the one before it left.
      const write = async (): Promise<void> => {
        const now = noteIn(read(join(folder, noteFile)));
        await writeNote(folder, before ? mergedNote(before, note, now) : note);
      };
      writing = writing.then(write, write);
      await writing;
    },
    async stop(name) {
      await stop(await folderOf(root, name), read);
    },
    async inside(name) {
      const all = await find(await folderOf(root, name));
      return all.map((run) => run.name).filter((other) => other !== ".");
    },
    async detail(name) {
      const folder = await folderOf(root, name);
      const { summary: found, run, report } = await look(folder, name, { read });
      const summary = { ...found, apart: found.title === null ? null : await apartOf(found) };
      const files = filesIn(folder, options);
      const [spec, [last]] = await Promise.all([
        specIn(folder, files),
        lastLines(join(folder, "metrics.jsonl"), 1),
      ]);
      // The times of files may be those of their copying.
      const ended = summary.status === "running" || typeof last?.time !== "string" ? null : last.time;
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

async function find(root: string, turn = turns()): Promise<Found[]> {
  const found: Found[] = [];
  const lookIn = async (inside: string, depth: number): Promise<void> => {
    const entries = entriesOf(join(root, inside));
    await turn();
    if (entries.some((entry) => entry.name === "run.json" && entry.isFile()))
      found.push({ name: inside || ".", files: new Set(entries.map(({ name }) => name)) });
    if (depth === deepest) return;
    // Links are no folders here.
    for (const { name } of entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")))
      await lookIn(inside ? `${inside}/${name}` : name, depth + 1);
  };
  await lookIn("", 0);
  return found;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // It may go while it is looked for.
    return [];
  }
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

/** What can be downloaded: plain files directly in the folder whose names are on the list. */
export function filesIn(folder: string, { shared }: RunsOptions): RunFile[] {
  const names = entriesOf(folder)
    .filter((entry) => entry.isFile() && isOffered(entry.name, { shared }))
    .map(({ name }) => name);
  const files = names.sort().map((name) => ({ name, bytes: statsOf(join(folder, name))?.size }));
  return files.filter((file): file is RunFile => file.bytes !== undefined);
}

async function specIn(folder: string, files: readonly RunFile[]): Promise<RunDetail["spec"]> {
  const file = files.find(({ name }) => /^spec\.(ya?ml|json)$/.test(name))?.name;
  const content = file && (await textOf(join(folder, file), 256 << 10));
  return content ? { file, text: content } : null;
}
