// What those who watch a federation see: who is late and why, k of n, means, how many give way; a site's own numbers at the site.
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import {
  binOf,
  type CoordinatorMachine,
  invite,
  join,
  serve,
  status,
  type WatchedCoordinator,
  type WatchedSite,
} from "@pliant/federation";
import { afterAll, expect, test, vi } from "vitest";
import { pictureOf } from "../src/run/picture.js";
import { sayingWhoIsAway } from "../src/service/serve.js";
import { csvOf, specOf, tablesOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-watched-"));
afterAll(() => rmSync(folder, { recursive: true }));
const read = <T>(...names: string[]): T => JSON.parse(readFileSync(path(folder, ...names), "utf8")) as T;

test("a site that left is late and said to be; the others are counted, and how far they give way is known without who", async () => {
  const spec = specOf({ training: { rounds: 3, communicationRounds: 2 } });
  const tables = tablesOf(4);
  const out = path(folder, "coordinator");
  const patience = { training: 700, answer: 250_000, again: 200 };
  let serving: Promise<unknown> | undefined;
  await new Promise<void>((listening, failed) => {
    serving = serve({ spec, out, patience, onListening: () => listening() });
    serving.catch(failed);
  });
  const pictures: WatchedCoordinator[] = [];
  const watching = watch(
    out,
    (_, name) => name === "federation.json" && pictures.push(read("coordinator", name)),
  );
  const leaving = new AbortController();
  const joining = [];
  for (const [i, site] of ["gone", "b", "c", "d"].entries()) {
    const data = path(folder, `${site}.csv`);
    writeFileSync(data, csvOf(tables[i], spec));
    const code = await invite(out, site);
    const joined = join({
      code,
      data,
      out: path(folder, site),
      signal: i === 0 ? leaving.signal : undefined,
    });
    if (i > 0) joining.push(joined);
    else {
      joined.catch(() => {});
      while (!(await status(out)).sites[0].joined) await new Promise((resolve) => setTimeout(resolve, 20));
      leaving.abort(new Error("left"));
      await joined.catch(() => {});
    }
  }
  // It is not told that it is over, and is waited for no longer than for an answer: this test does not.
  const reports = await Promise.all(joining);
  watching.close();

  const last = read<WatchedCoordinator>("coordinator", "federation.json");
  expect(last).toMatchObject({
    role: "coordinator",
    rounds: { done: 3, of: 3 },
    exchanges: { done: 6, of: 6 },
    counted: { sites: 3, of: 4 },
    requirement: "loss at most mean + 0.01",
  });
  const late = pictures.flatMap(({ now }) => (now?.phase === "gathering" ? now.late : []));
  expect(late).toContainEqual({ site: "gone", why: "is not connected" });
  expect(last.sites.map(({ site, counted }) => [site, counted])).toEqual([
    ["gone", 0],
    ["b", 6],
    ["c", 6],
    ["d", 6],
  ]);
  const bins = reports.map(({ relaxation }) => binOf(relaxation));
  expect(last.relaxations?.sites).toEqual(bins[0].map((_, k) => bins.reduce((sum, bin) => sum + bin[k], 0)));
  expect(reports[2].relaxation).toBeGreaterThan(0);

  const own = read<WatchedSite>("d", "federation.json");
  expect(own).toMatchObject({
    role: "site",
    site: "d",
    rows: 16,
    classes: { no: 8, yes: 8 },
    phase: "finished",
    exchanges: { last: 5, of: 6 },
    price: reports[2].price,
    relaxation: reports[2].relaxation,
  });
  const told =
    readFileSync(path(out, "federation.json"), "utf8") + readFileSync(path(out, "metrics.jsonl"), "utf8");
  for (const { price, relaxation } of reports)
    for (const value of [price, relaxation]) if (value !== 0) expect(told).not.toContain(String(value));
  const lines = readFileSync(path(out, "metrics.jsonl"), "utf8").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual([1, 2, 3]);

  await vi.waitUntil(async () => (await status(out)).late.length === 1, { timeout: 60_000 });
  expect(await status(out)).toMatchObject({
    running: true,
    late: [{ site: "gone", why: "is not connected" }],
  });

  // It ends once the one that left has come back.
  const back = { data: path(folder, "gone.csv"), out: path(folder, "gone") };
  const [report, ended] = await Promise.all([serving, join(back)]);
  expect(await status(out)).toMatchObject({ running: false, late: [] });

  // Asked to go on, a run that is over says the same again, and so does a site, without anyone there.
  expect(report).toMatchObject({ finished: { sites: 4, of: 4 } });
  expect(await serve({ out })).toEqual(report);
  expect(await join(back)).toEqual(ended);
});

test("a disconnected site is late while a sum proceeds without it, until it returns or learns that the run is over", () => {
  const lateIn = (machine: Partial<CoordinatorMachine>, connected: readonly string[]) =>
    pictureOf(
      {
        ...{ phase: "uploading", waiting: ["b"], asked: ["a", "b", "c"], gone: new Map(), left: new Set() },
        ...{ ledger: { exchange: 0, attempts: 1 } },
        ...machine,
      } as CoordinatorMachine,
      connected,
    ).late;
  const sending = { site: "b", why: "has not sent its update" };
  const away = { site: "a", why: "is not connected" };
  expect(lateIn({}, ["a", "b", "c"])).toEqual([sending]);
  expect(lateIn({}, ["b", "c"])).toEqual([sending, away]);
  expect(lateIn({ waiting: ["a"] }, ["b", "c"])).toEqual([away]);
  expect(lateIn({ gone: new Map([["a", "refuses"]]) }, ["b", "c"])).toEqual([
    sending,
    { site: "a", why: "refuses" },
  ]);
  expect(lateIn({ phase: "finished", waiting: [], asked: [] }, [])).toEqual([]);
});

test("disconnected sites are reported once, and again when all are back", () => {
  const said: string[] = [];
  let connected = ["z"];
  const seen = sayingWhoIsAway(
    (what) => said.push(what),
    () => connected,
  );
  const late = (...sites: string[]) => ({ late: sites.map((site) => ({ site, why: "is not connected" })) });
  seen({ late: [{ site: "z", why: "is training" }] });
  seen(late("a"));
  // A sum is made without it: it is not waited for, and is not back either.
  seen(late());
  seen(late("a"));
  seen(late("a", "b", "c", "d", "e", "f", "g"));
  connected = ["b", "c", "d", "e", "f", "g"];
  seen(late("a"));
  connected = ["a", "b", "c", "d", "e", "f", "g"];
  seen(late());
  seen(late());
  expect(said).toEqual([
    "Not connected: a.",
    "Not connected: a, b, c, d, e and 2 more.",
    "Not connected: a.",
    "All sites that are waited for are connected again.",
  ]);
});

test("bins have upper ends, and none gives way in the first", () => {
  expect(binOf(0)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
  expect(binOf(1e-9)).toEqual([0, 1, 0, 0, 0, 0, 0, 0]);
  expect(binOf(0.5)).toEqual([0, 0, 0, 0, 0, 0, 1, 0]);
  expect(binOf(7)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
});
