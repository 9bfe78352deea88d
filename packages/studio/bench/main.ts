// How long the Studio takes to show many long runs, a study and a model, and how much memory many readers take: npm run bench -- studio
// [--only list,study,model,slider,load,run,overlay,lines,readers] [--runs 300] [--points 100000] [--lines 1000000] [--readers 500] [--json]. Every time is of a server that
// has read nothing before, and the least of three: what else the machine does only adds.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser } from "./browser.js";
import { dragSlider, firstLoad, timeToShow } from "./page-times.js";
import { readAtOnce } from "./readers.js";
import { writeRuns } from "./runs.js";
import { type ServerProcess, startServer } from "./server.js";
import { writeHeldOut, writeStudy } from "./studies.js";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "list,study,model,slider,load,run,overlay,lines,readers" },
    runs: { type: "string", default: "300" },
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
const studied = 100;
const heldOut = 100_000;
const times = 3;

const folder = mkdtempSync(join(tmpdir(), "pliant-studio-bench-"));
const runs = join(folder, "runs");
const served = async <T>(measure: (server: ServerProcess) => Promise<T>, of = runs): Promise<T> => {
  const server = await startServer(of);
  try {
    return await measure(server);
  } finally {
    await server.close();
  }
};
const browser = await openBrowser();
interface Shown {
  readonly milliseconds: number | null;
  readonly pageWork?: number;
  readonly serverWork?: number;
}
/** Until the page shows what is looked for; null without a browser. */
async function shown(route: string, what: string, wanted = 1, of = runs): Promise<Shown> {
  if (!browser) return { milliseconds: null };
  // The first tab of a browser pays for its start.
  await timeToShow(browser, "about:blank", "html");
  const taken: Shown[] = [];
  for (let i = 0; i < times; i++)
    taken.push(
      await served(async ({ url, work }) => {
        const begun = work();
        const time = await timeToShow(browser, `${url}${route}`, what, wanted);
        const ended = work();
        return { ...time, ...(begun !== undefined && ended !== undefined && { serverWork: ended - begun }) };
      }, of),
    );
  const least = (values: readonly (number | null | undefined)[]): number =>
    Math.min(...values.map((value) => value ?? Number.POSITIVE_INFINITY));
  return {
    milliseconds: least(taken.map(({ milliseconds }) => milliseconds)),
    pageWork: least(taken.map(({ pageWork }) => pageWork)),
    ...(taken[0].serverWork !== undefined && {
      serverWork: least(taken.map(({ serverWork }) => serverWork)),
    }),
  };
}

const route = (name: string): string => `#/run/${encodeURIComponent(name)}`;
const curve = "[data-chart=Price] [data-line]";
/** What is measured of so many runs, by name. */
const measures: Record<string, (names: () => string[]) => Promise<object>> = {
  list: async (names) => {
    names();
    return shown("#/runs", "[data-run]");
  },
  run: (names) => shown(route(names()[0]), curve),
  overlay: async (names) => {
    const compared = names()
      .slice(0, overlaid)
      .map((name) => ["run", name]);
    return shown(
      `#/compare?${new URLSearchParams([...compared, ["seeds", "apart"]])}`,
      "[data-chart=Objective] [data-line]",
      compared.length,
    );
  },
  study: async () => {
    const id = writeStudy(join(folder, "study"), studied);
    return shown(`#/study/${id}`, "[data-study-run]", studied, join(folder, "study"));
  },
  model: async () => {
    const name = writeHeldOut(join(folder, "model"), heldOut);
    return shown(`${route(name)}?tab=model`, "[data-figure=ROC] path.line", 1, join(folder, "model"));
  },
  slider: async () => {
    if (!browser) return { framesPerSecond: null };
    const name = writeHeldOut(join(folder, "model"), heldOut);
    return served(({ url }) => dragSlider(browser, `${url}${route(name)}?tab=model`), join(folder, "model"));
  },
  load: async () => {
    if (!browser) return { kilobytes: null };
    mkdirSync(join(folder, "empty"), { recursive: true });
    return served(({ url }) => firstLoad(browser, `${url}#/runs`), join(folder, "empty"));
  },
  lines: () => shown(route(writeRuns(folder, 1, lines)[0]), curve),
  readers: (names) => {
    const [name] = names();
    return served(async (server) => ({
      milliseconds: await readAtOnce(server.url, name, readers),
      megabytes: server.mostMemory() ?? null,
    }));
  },
};
const words: Record<string, string> = {
  study: `a study of ${studied} runs`,
  model: `the model tab of ${heldOut} held-out rows`,
  slider: "its threshold, dragged",
  load: "what the first page loads, compressed",
  list: `the list of ${count} runs of ${points} evaluations`,
  run: "one of them with its curves",
  overlay: `${overlaid} of them over one another`,
  lines: `a run of ${lines} lines`,
  readers: `${readers} readers at once`,
};

try {
  let written: string[] | undefined;
  const names = (): string[] => {
    written ??= writeRuns(folder, count, points);
    return written;
  };
  const found: Record<string, object> = {};
  const processor = { cpu: cpus()[0]?.model.trim(), cores: cpus().length };
  for (const key of values.only.split(",")) {
    const result = { ...(await measures[key](names)), load: Number(loadavg()[0].toFixed(1)) };
    found[key] = result;
    // A time is worth what the load beside it was.
    if (!values.json) console.log(`${words[key].padEnd(50)} ${JSON.stringify(result)}`);
  }
  if (values.json)
    console.log(JSON.stringify({ ...processor, runs: count, points, lines, readers, found }, null, 2));
  else console.log(`${processor.cpu}, ${processor.cores} cores`);
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true });
}
