// Keeps the metrics of runs looked at lately; the ones not looked at for longest go first.
import { join } from "node:path";
import { type Metrics, readMetrics } from "./metrics.js";

/** Rows kept in all: at a dozen numbers a row some hundred megabytes at most. */
const most = 1_500_000;

export function recentMetrics(): (folder: string) => Metrics {
  const kept = new Map<string, Metrics>();
  return (folder) => {
    const found = kept.get(folder) ?? readMetrics(join(folder, "metrics.jsonl"));
    kept.delete(folder);
    let rows = found.table.rows;
    for (const [other, { table }] of [...kept].reverse()) {
      rows += table.rows;
      if (rows > most) kept.delete(other);
    }
    kept.set(folder, found);
    return found;
  };
}
