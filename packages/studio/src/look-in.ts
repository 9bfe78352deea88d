// One run in its folder, and whether it is still at work.
import { join } from "node:path";
import { endOf, isAtWork, workFile } from "./at-work.js";
import { type Json, type JsonReader, lastLines, statsOf } from "./files.js";
import { type Look, lookAt, type Standing } from "./look.js";
import { noteFile, noteIn } from "./notes.js";

type JsonObject = Readonly<Record<string, unknown>>;

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
  const changes = [asked?.changed, answer?.changed, metrics?.mtimeMs, checkpoint?.mtimeMs];
  const updated = Math.max(...changes.map((time) => time ?? 0));
  // A run that begins in the folder of another removes its report first.
  const lines = answer ? [] : await lastLines(at("metrics.jsonl"), 2);
  const report = answer ? answer.value : lines.at(-1);
  const damaged = answer?.problem && `report.json ${answer.problem}, so no verdict is given.`;
  return lookAt(name, {
    ...{ run: asked?.value, report, updated, note: noteIn(note) },
    ...(asked?.problem && { askedProblem: `run.json ${asked.problem}.` }),
    standing: (unreadable) => (answer ? overAs(damaged ?? unreadable) : statusFrom(mark, updated, lines)),
  });
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
