// A run whose files are in memory, as a page shows it: what the server would tell of the same folder.
import type { RunDetail, Series, Status } from "./api.js";
import { heldOutFrom, type ModelView, viewOf } from "./held-out.js";
import { lookAt } from "./look.js";
import { isOffered } from "./offered.js";
import { seriesOf } from "./series.js";
import { addLines, emptyTable } from "./table.js";

/** The files of a run folder, by their names. */
export type RunFiles = ReadonlyMap<string, Uint8Array>;

const noNote = { title: "", tags: [], notes: "" };

/** A run that has no report is as the page says it is. */
export function detailOf(name: string, files: RunFiles, unfinished: Status = "stopped"): RunDetail {
  const run = jsonIn(files, "run.json");
  const lines = textIn(files, "metrics.jsonl").trimEnd().split("\n");
  const last = parsed(lines.at(-1) ?? "");
  const report = files.has("report.json") ? jsonIn(files, "report.json") : last;
  const { summary } = lookAt(name, {
    ...{ run, report, note: noNote, updated: Date.parse(String(last?.time ?? run?.started)) || 0 },
    standing: (unreadable) => {
      if (!files.has("report.json")) return { status: unfinished };
      return unreadable === undefined
        ? { status: "finished" }
        : { status: "unreadable", problem: unreadable };
    },
  });
  const spec = ["spec.yaml", "spec.yml", "spec.json"].find((file) => files.has(file));
  const own = [...files].filter(([file]) => isOffered(file, { shared: false }));
  return {
    ...{ summary, path: name, again: `${name}-again`, run: run ?? {}, report: report ?? null },
    stoppable: false,
    ended: summary.status !== "running" && typeof last?.time === "string" ? last.time : null,
    spec: spec === undefined ? null : { file: spec, text: textIn(files, spec) },
    files: own.map(([file, { length }]) => ({ name: file, bytes: length })),
  };
}

/** The curves of its evaluations. */
export function curvesOf(files: RunFiles): Series {
  const table = emptyTable();
  addLines(table, files.get("metrics.jsonl") ?? new Uint8Array(), 0);
  return seriesOf({ table, place: { version: "memory", rows: table.rows } });
}

/** Its decisions over the held-out rows; undefined where it kept none that can be read. */
export function modelOf(files: RunFiles): ModelView | undefined {
  const found = heldOutFrom(jsonIn(files, "held-out.json"));
  return "problem" in found ? undefined : viewOf(found);
}

const textIn = (files: RunFiles, name: string): string => new TextDecoder().decode(files.get(name));
const jsonIn = (files: RunFiles, name: string): Readonly<Record<string, unknown>> | undefined =>
  parsed(textIn(files, name));

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
