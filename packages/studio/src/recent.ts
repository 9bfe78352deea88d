// Keeps the metrics of runs looked at lately; the ones not looked at for longest go first.
import { join } from "node:path";
import { type Metrics, readMetrics } from "./metrics.js";
import type { Table } from "./table.js";

/** Numbers kept in all: some hundred megabytes. */
const most = 18_000_000;
const sizeOf = ({ rows, requirements, other }: Table): number =>
  rows * (4 + 3 * requirements.size + other.size);

export function recentMetrics(): (folder: string) => Metrics {
  const kept = new Map<string, Metrics>();
  return (folder) => {
    const found = kept.get(folder) ?? readMetrics(join(folder, "metrics.jsonl"));
    kept.delete(folder);
    let numbers = sizeOf(found.table);
    for (const [other, { table }] of [...kept].reverse()) {
      numbers += sizeOf(table);
      if (numbers > most) kept.delete(other);
    }
    kept.set(folder, found);
    return found;
  };
}
