// Records finished runs: request, report and thinned metrics, small enough for a repository.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlannedRun } from "./item.js";
import { finished } from "./plan.js";

const lines = 20;

/** With this many digits: more for a report, whose numbers are shown, than for metrics. */
const json = (value: unknown, digits = 9): string => {
  const rounded = (_: string, entry: unknown): unknown =>
    typeof entry === "number" && !Number.isInteger(entry) ? Number(entry.toPrecision(digits)) : entry;
  return `${JSON.stringify(value, rounded)}\n`;
};

/** Every so many evaluations, the last one among them. */
export function thinned(metrics: string): string {
  const all = metrics.trimEnd().split("\n");
  const step = Math.max(1, Math.ceil((all.length - 1) / (lines - 1)));
  const kept = all.filter((_, i) => (all.length - 1 - i) % step === 0);
  return kept.map((line) => json(JSON.parse(line), 6)).join("");
}

/** Copies the runs that are finished; answers how many those are. */
export function record(runs: readonly PlannedRun[], from: string, into: string): number {
  let recorded = 0;
  for (const run of runs) {
    const done = finished(from, run);
    if (!done) continue;
    const folder = join(into, run.folder);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "run.json"), json(done.asked));
    writeFileSync(join(folder, "report.json"), json(done.report));
    const metrics = ["metrics.jsonl", "metrics-thinned.jsonl"]
      .map((name) => join(from, run.folder, name))
      .find((file) => existsSync(file));
    if (metrics) writeFileSync(join(folder, "metrics-thinned.jsonl"), thinned(readFileSync(metrics, "utf8")));
    recorded++;
  }
  return recorded;
}
