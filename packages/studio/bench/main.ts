// How long the Studio takes to show many long runs: npm run bench -- studio [--runs 200] [--points 100000] [--json].
// The runs share one file of metrics (hard links), so that they fit on a disk; the server knows nothing of it.
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serveStudio } from "@pliant/studio";
import { metricsLine, report } from "./long-run.js";
import { pageTimes } from "./page-times.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    points: { type: "string", default: "100000" },
    json: { type: "boolean", default: false },
  },
});
const [count, points] = [Number(values.runs), Number(values.points)];

const folder = mkdtempSync(join(tmpdir(), "pliant-studio-bench-"));
try {
  const runs = join(folder, "runs");
  const shared = join(folder, "metrics.jsonl");
  mkdirSync(runs);
  writeFileSync(shared, "");
  for (let from = 0; from < points; from += 10_000)
    writeFileSync(
      shared,
      Array.from({ length: Math.min(10_000, points - from) }, (_, i) => metricsLine(from + i)).join(""),
      { flag: "a" },
    );
  for (let i = 0; i < count; i++) {
    const run = join(runs, `group-${i % 5}`, `run-${i}`);
    mkdirSync(run, { recursive: true });
    const asked = {
      command: "train",
      seed: i,
      device: "cpu",
      started: new Date(Date.now() - i * 3_600_000).toISOString(),
    };
    linkSync(shared, join(run, "metrics.jsonl"));
    writeFileSync(join(run, "run.json"), JSON.stringify(asked));
    writeFileSync(join(run, "report.json"), JSON.stringify(report(points)));
  }
  const serving = await serveStudio({ runs, port: 0 });
  try {
    const taken = async (path: string): Promise<number> => {
      const begun = performance.now();
      await (await fetch(`${serving.url}${path}`)).arrayBuffer();
      return Math.round(performance.now() - begun);
    };
    const series = (i: number) => `api/series?name=group-${i % 5}/run-${i}`;
    const found = {
      runs: count,
      points,
      server: {
        listFirst: await taken("api/runs"),
        listAgain: await taken("api/runs"),
        seriesFirst: await taken(series(0)),
        seriesAgain: await taken(series(0)),
      },
      page: await pageTimes(serving.url, ["group-1/run-1", "group-1/run-1", "group-2/run-2"]),
    };
    if (values.json) console.log(JSON.stringify(found, null, 2));
    else {
      console.log(`${count} runs of ${points} evaluations each; milliseconds`);
      console.log(
        `server  list ${found.server.listFirst}, again ${found.server.listAgain}; series of a run ${found.server.seriesFirst}, again ${found.server.seriesAgain}`,
      );
      console.log(
        found.page
          ? `page    list of runs shown ${found.page.list}; a run with its curves ${found.page.runs.join(", ")} (the second of them again)`
          : "page    no Chromium was found; name one in CHROMIUM",
      );
    }
  } finally {
    await serving.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}
