// How long the Studio takes to show many long runs, and how much memory many readers take: npm run bench -- studio [--runs 200]
// [--points 100000] [--lines 1000000] [--readers 500] [--json]. Every time is of a server that has read nothing before.
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser, timeToShow } from "./page-times.js";
import { readAtOnce } from "./readers.js";
import { writeRuns } from "./runs.js";
import { type ServerProcess, startServer } from "./server.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    points: { type: "string", default: "100000" },
    lines: { type: "string", default: "1000000" },
    readers: { type: "string", default: "500" },
    json: { type: "boolean", default: false },
  },
});
const [count, points, lines, readers] = [values.runs, values.points, values.lines, values.readers].map(
  Number,
);
const overlaid = 10;
/** The least of so many: what else the machine does only adds. */
const times = 3;

const folder = mkdtempSync(join(tmpdir(), "pliant-studio-bench-"));
const runs = join(folder, "runs");
const served = async <T>(measure: (server: ServerProcess) => Promise<T>): Promise<T> => {
  const server = await startServer(runs);
  try {
    return await measure(server);
  } finally {
    await server.close();
  }
};
const browser = await openBrowser();
/** Undefined without a browser. */
const shown = async (route: string, what: string, wanted = 1): Promise<number | undefined> => {
  if (!browser) return undefined;
  // The first tab of a browser pays for its start.
  await timeToShow(browser, "about:blank", "html");
  const taken: number[] = [];
  for (let i = 0; i < times; i++)
    taken.push(await served(({ url }) => timeToShow(browser, `${url}${route}`, what, wanted)));
  return Math.min(...taken);
};
const answered = (path: string): Promise<number> =>
  served(async ({ url }) => {
    const begun = performance.now();
    await (await fetch(`${url}${path}`)).arrayBuffer();
    return Math.round(performance.now() - begun);
  });

try {
  const names = writeRuns(folder, count, points);
  const route = (name: string): string => `#/run/${encodeURIComponent(name)}`;
  const compared = names.slice(0, overlaid).map((name) => ["run", name]);
  const aline = "[data-chart=Price] [data-line]";
  const found = {
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    load: Number(loadavg()[0].toFixed(1)),
    runs: count,
    points,
    milliseconds: {
      listAnswered: await answered("api/runs"),
      listShown: await shown("#/runs", "[data-run]"),
      runShown: await shown(route(names[0]), aline),
      overlayShown: await shown(
        `#/compare?${new URLSearchParams([...compared, ["seeds", "apart"]])}`,
        "[data-chart=Objective] [data-line]",
        Math.min(overlaid, count),
      ),
    },
    lines,
    linesShown: await shown(route(writeRuns(folder, 1, lines)[0]), aline),
    readers,
    reading: await served(async (server) => ({
      milliseconds: await readAtOnce(server.url, names[0], readers),
      megabytes: server.mostMemory(),
    })),
  };
  if (values.json) console.log(JSON.stringify(found, null, 2));
  else {
    const { milliseconds: ms, reading } = found;
    const told = (time: number | undefined): string =>
      time === undefined ? "no Chromium was found; name one in CHROMIUM" : `${time} ms`;
    console.log(
      `${count} runs of ${points} evaluations, ${found.cpu}, ${found.cores} cores, load ${found.load}`,
    );
    console.log(`list answered                  ${told(ms.listAnswered)}`);
    console.log(`list shown                     ${told(ms.listShown)}`);
    console.log(`a run with its curves          ${told(ms.runShown)}`);
    console.log(`${overlaid} runs over one another       ${told(ms.overlayShown)}`);
    console.log(`a run of ${lines} lines       ${told(found.linesShown)}`);
    console.log(
      `${readers} readers at once           ${told(reading.milliseconds)}, ${reading.megabytes ?? "?"} MB`,
    );
  }
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true });
}
