// Folders of long runs to show. Runs share one file of metrics (hard links), so that they fit on a disk; the server knows nothing of it.
import { appendFileSync, linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsLine, report } from "./long-run.js";

function writeMetrics(path: string, points: number): void {
  const most = 10_000;
  for (let from = 0; from < points; from += most)
    appendFileSync(
      path,
      Array.from({ length: Math.min(most, points - from) }, (_, i) => metricsLine(from + i)).join(""),
    );
}

/** Writes so many runs of so many evaluations under a folder, and tells their names. */
export function writeRuns(folder: string, count: number, points: number): string[] {
  const shared = join(folder, `metrics-${points}.jsonl`);
  writeMetrics(shared, points);
  return Array.from({ length: count }, (_, i) => {
    const name = `of-${points}/group-${i % 5}/run-${i}`;
    const run = join(folder, "runs", name);
    mkdirSync(run, { recursive: true });
    const asked = {
      command: "train",
      seed: i,
      device: "cpu",
      settings: { rate: 0.1 * (i + 1) },
      started: new Date(Date.now() - i * 3_600_000).toISOString(),
    };
    linkSync(shared, join(run, "metrics.jsonl"));
    writeFileSync(join(run, "run.json"), JSON.stringify(asked));
    writeFileSync(join(run, "report.json"), JSON.stringify(report(points)));
    return name;
  });
}
