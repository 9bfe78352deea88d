// What the server tells of metrics.jsonl: curves, a first glimpse at them, and the rounds of a federation.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Federation, FirstLook, Series } from "../src/api.js";
import { readMetrics } from "../src/metrics.js";
import { appendLine, line, writeFederated, writeRun, writeSweep } from "./fixtures.js";
import { get, list, runs, serveEach } from "./served.js";

serveEach();

test("series have at most a thousand points a curve, ends and extremes among them", async () => {
  writeRun(runs, "long", { rows: 5000 });
  const { rows, objective, requirements } = await get<Series>("series", { name: "long" });
  expect(rows).toBe(5000);
  expect(objective.x.length).toBeLessThanOrEqual(1000);
  expect([objective.x[0], objective.x.at(-1)]).toEqual([100, 500_000]);
  expect(Object.keys(requirements)).toEqual(["misses in B", "misses in A", "false alarms"]);
  expect(requirements["misses in B"].path.x.length).toBeLessThanOrEqual(300);
});

test("a first glimpse at a long run has its ends, and the whole follows", async () => {
  writeRun(runs, "long", { rows: 6000 });
  const some = await get<Series>("series", { name: "long", glimpse: "" });
  expect(some.whole).toBe(false);
  expect(some.objective.x.length).toBe(128);
  expect([some.objective.x[0], some.objective.x.at(-1)]).toEqual([100, 600_000]);
  expect(some.objective.x).toEqual([...some.objective.x].sort((a, b) => a - b));
  const all = await get<Series>("series", { name: "long" });
  expect([all.whole, all.rows]).toEqual([true, 6000]);
  const again = await get<Series>("series", { name: "long", glimpse: "" });
  expect(again.whole).toBe(true);
});

test("several runs in one answer: each with its description and outline, a missing one with the reason", async () => {
  writeRun(runs, "long", { rows: 6000 });
  writeRun(runs, "short", { rows: 5 });
  const names = ["long", "nowhere", "short", "../short"];
  const found = await get<FirstLook[]>(
    "first",
    names.map((name) => ["name", name]),
  );
  expect(found.map(({ name }) => name)).toEqual(names);
  const problem = "There is no such run.";
  expect([found[1], found[3]]).toEqual([
    { name: "nowhere", problem },
    { name: "../short", problem },
  ]);
  for (const [look, whole] of [
    [found[0], false],
    [found[2], true],
  ] as const) {
    if (!("detail" in look)) throw new Error(look.problem);
    expect(look.detail).toEqual(await get("run", { name: look.name }));
    expect(look.series.whole).toBe(whole);
    expect(look.series).toEqual(await get("series", { name: look.name, glimpse: "" }));
  }
});

test("a file is ready when it has been read, and not while it is read on", async () => {
  const run = writeRun(runs, "reading", { rows: 3 });
  const metrics = readMetrics(join(run, "metrics.jsonl"));
  expect(metrics.ready).toBe(false);
  await metrics.refresh();
  expect(metrics.ready).toBe(true);
  appendLine(run, 400);
  const reading = metrics.refresh();
  expect(metrics.ready).toBe(false);
  await reading;
  expect([metrics.ready, metrics.place.rows]).toEqual([true, 4]);
});

test("half a line is left for later, a spoilt one is passed over", async () => {
  const run = writeRun(runs, "growing", { rows: 2 });
  appendFileSync(join(run, "metrics.jsonl"), "not json\n");
  const next = line(300);
  appendFileSync(join(run, "metrics.jsonl"), next.slice(0, 50));
  expect((await get<Series>("series", { name: "growing" })).rows).toBe(2);
  appendFileSync(join(run, "metrics.jsonl"), next.slice(50));
  expect((await get<Series>("series", { name: "growing" })).objective.x).toEqual([100, 200, 300]);
});

test("numbers beside the objective are series of their own", async () => {
  const run = writeRun(runs, "more", { rows: 0 });
  writeFileSync(
    join(run, "metrics.jsonl"),
    `${JSON.stringify({ step: 1, objective: 2, epoch: 1, test: { accuracy: 0.9 }, accuracy: [90, 92] })}\n`,
  );
  expect((await get<Series>("series", { name: "more" })).other).toEqual({
    epoch: { x: [1], y: [1] },
    "test accuracy": { x: [1], y: [0.9] },
    "mean accuracy": { x: [1], y: [91] },
  });
});

test("if a run has more numbers than a page can show, the first are kept", async () => {
  const run = writeRun(runs, "many", { rows: 0 });
  const numbers = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`number ${i}`, i]));
  writeFileSync(join(run, "metrics.jsonl"), `${JSON.stringify({ step: 1, ...numbers })}\n`);
  expect(Object.keys((await get<Series>("series", { name: "many" })).other)).toHaveLength(24);
});

test("a line without end is passed over, and the run is still shown", async () => {
  const run = writeRun(runs, "endless", { rows: 2, finished: false });
  appendFileSync(join(run, "metrics.jsonl"), `{"step":300,"note":"${"a".repeat(33 << 20)}`);
  expect((await get<Series>("series", { name: "endless" })).rows).toBe(2);
  expect((await list()).map(({ name }) => name)).toEqual(["endless"]);
  appendFileSync(join(run, "metrics.jsonl"), `"}\n${line(400)}`);
  expect((await get<Series>("series", { name: "endless" })).objective.x).toEqual([100, 200, 400]);
});

test("a sweep's runs say where they stand in it", async () => {
  writeSweep(runs, "alpha", [0.1, 1]);
  expect((await list()).map(({ sweep }) => sweep?.value).sort()).toEqual([0.1, 1]);
});

test("a federation: rounds, what each client has, what the report says of it", async () => {
  writeFederated(runs, "fed", { clients: 7, rounds: 12 });
  const found = await get<Federation>("federation", { name: "fed" });
  expect(found.rounds).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  expect(found.clients[11].relaxation).toHaveLength(7);
  expect(found.attributes.minorityShare).toHaveLength(7);
  expect((await list())[0]).toMatchObject({ command: "federated", clients: 7, steps: 12 });
});
