// The server over real folders: what it lists, tells, follows, deletes and brings back.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Federation, RunDetail, RunList, RunSummary, Series } from "../src/api.js";
import { createStudio, type Serving, serveStudio } from "../src/index.js";
import { readMetrics } from "../src/metrics.js";
import {
  age,
  appendLine,
  federatedLine,
  line,
  temporaryFolder,
  writeFederated,
  writeRun,
  writeSweep,
} from "./fixtures.js";

let folder: ReturnType<typeof temporaryFolder>;
let runs: string;
let server: Serving;

beforeEach(async () => {
  folder = temporaryFolder();
  runs = join(folder.path, "runs");
  mkdirSync(runs);
  server = await serveStudio({ runs, port: 0, page: join(folder.path, "page") });
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

async function get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
  const response = await fetch(`${server.url}api/${path}?${new URLSearchParams(query)}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function post(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${server.url}api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const list = async (): Promise<readonly RunSummary[]> => (await get<RunList>("runs")).runs;

test("lists runs however deep, with what they came to", async () => {
  writeRun(runs, "demo", { rows: 50 });
  writeRun(runs, "invariance/mnist/resilient-1", { seed: 3, more: { dataset: "mnist" } });
  mkdirSync(join(runs, "not-a-run"));
  const found = await list();
  expect(found.map(({ name }) => name).sort()).toEqual(["demo", "invariance/mnist/resilient-1"]);
  const demo = found.find(({ name }) => name === "demo");
  expect(demo).toMatchObject({
    command: "demo",
    status: "finished",
    seed: "1",
    device: "cpu",
    steps: 5000,
    certified: true,
  });
  expect(demo?.worst?.name).toBe("misses in B");
  expect(demo?.worst?.excess).toBeCloseTo(0.215, 3);
  expect(found.find(({ seed }) => seed === "3")?.dataset).toBe("mnist");
});

test.skipIf(process.platform === "win32")("a run may be named by its time", async () => {
  writeRun(runs, "2026-11-15T08:00:00 first");
  expect((await list()).map(({ name }) => name)).toEqual(["2026-11-15T08:00:00 first"]);
});

test("a folder that is not there yet has no runs", async () => {
  rmSync(runs, { recursive: true });
  expect(await list()).toEqual([]);
});

test("the runs folder may itself be a run", async () => {
  writeRun(runs, ".", {});
  expect((await list()).map(({ name }) => name)).toEqual(["."]);
  expect((await post("delete", { names: ["."] })).status).toBe(409);
});

test("tells running, finished and stopped apart by the files", async () => {
  const running = writeRun(runs, "running", { finished: false });
  age(writeRun(runs, "stopped", { finished: false }));
  const status = async () => Object.fromEntries((await list()).map((run) => [run.name, run.status]));
  expect(await status()).toEqual({ running: "running", stopped: "stopped" });
  expect((await list()).find(({ name }) => name === "running")?.objective).toBeGreaterThan(0);
  writeFileSync(join(running, "report.json"), readReport());
  expect((await status()).running).toBe("finished");
  // Copied files may have any order of times.
  age(running, ["report.json"]);
  expect((await status()).running).toBe("finished");
});

const readReport = (): string =>
  readFileSync(join(writeRun(folder.path, "elsewhere"), "report.json"), "utf8");

test("a slow run is not taken for stopped between two evaluations", async () => {
  const run = writeRun(runs, "slow", { finished: false, rows: 0 });
  const hour = 3_600_000;
  const now = Date.now();
  writeFileSync(
    join(run, "metrics.jsonl"),
    line(1, {}, new Date(now - 7 * hour)) + line(2, {}, new Date(now - 4 * hour)),
  );
  age(run);
  expect((await list())[0].status).toBe("running");
});

test("a damaged run.json is listed with a sentence, not an error", async () => {
  const run = writeRun(runs, "broken");
  writeFileSync(join(run, "run.json"), "{");
  expect((await list())[0].problem).toMatch(/run\.json is damaged/);
});

test("one run: what was asked, the report, the spec, the files", async () => {
  const run = writeRun(runs, "loans");
  writeFileSync(join(run, "spec.yaml"), "seed: 1\n");
  writeFileSync(join(run, "model.onnx"), "model");
  writeFileSync(join(run, "private.key"), "secret");
  const detail = await get<RunDetail>("run", { name: "loans" });
  expect(detail.run.seed).toBe(1);
  expect(detail.path).toBe(join(runs, "loans"));
  expect(detail.report).toHaveProperty("requirements");
  expect(detail.spec).toEqual({ file: "spec.yaml", text: "seed: 1\n" });
  expect(detail.files.map(({ name }) => name)).toEqual([
    "checkpoint.safetensors",
    "metrics.jsonl",
    "model.onnx",
    "report.json",
    "run.json",
    "spec.yaml",
  ]);
  const file = await fetch(`${server.url}api/file?name=loans&file=model.onnx`);
  expect(await file.text()).toBe("model");
  expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="loans-model\.onnx"/);
  expect((await fetch(`${server.url}api/file?name=loans&file=private.key`)).status).toBe(404);
});

test("is trained again where there is nothing yet", async () => {
  writeRun(runs, "loans");
  const again = async () => (await get<RunDetail>("run", { name: "loans" })).again;
  expect(await again()).toBe(join(runs, "loans-again"));
  mkdirSync(join(runs, "loans-again"));
  expect(await again()).toBe(join(runs, "loans-again-2"));
});

test("a run that is over says when, by its own log and not by the times of its files", async () => {
  const started = new Date("2026-01-02T03:04:05Z");
  writeRun(runs, "over", { started, rows: 3 });
  writeRun(runs, "at work", { started, rows: 3, finished: false });
  expect((await get<RunDetail>("run", { name: "over" })).ended).toBe("2026-01-02T03:04:05.100Z");
  expect((await get<RunDetail>("run", { name: "at work" })).ended).toBeNull();
});

test("a file that grows while it is saved comes as it was", async () => {
  const run = writeRun(runs, "growing", { rows: 10_000, finished: false });
  const file = await fetch(`${server.url}api/file?name=growing&file=metrics.jsonl`);
  appendLine(run, 2_000_000);
  expect((await file.arrayBuffer()).byteLength).toBe(Number(file.headers.get("content-length")));
  writeFileSync(join(run, "metrics.jsonl"), "");
  expect(await (await fetch(`${server.url}api/file?name=growing&file=metrics.jsonl`)).text()).toBe("");
});

test("an answer has no more bytes than it says, whoever sends it", async () => {
  const run = writeRun(runs, "growing", { rows: 2000, finished: false });
  const studio = createStudio({ runs, page: join(folder.path, "page") });
  const address = "http://localhost/api/file?name=growing&file=metrics.jsonl";
  const file = await studio(new Request(address, { headers: { host: "localhost" } }));
  appendLine(run, 2_000_000);
  expect((await file.arrayBuffer()).byteLength).toBe(Number(file.headers.get("content-length")));
});

test.skipIf(process.platform !== "linux")("asking about a file leaves none open", async () => {
  const run = writeRun(runs, "heads");
  const address = `${server.url}api/file?name=heads&file=checkpoint.safetensors`;
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(address, { method: "HEAD" })));
  expect(answers.map(({ headers }) => headers.get("content-length"))).toEqual(Array(5).fill("1800"));
  const open = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd));
    } catch {
      return "";
    }
  });
  expect(open).not.toContain(join(run, "checkpoint.safetensors"));
});

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
  expect(some.objective.x.length).toBe(200);
  expect([some.objective.x[0], some.objective.x.at(-1)]).toEqual([100, 600_000]);
  expect(some.objective.x).toEqual([...some.objective.x].sort((a, b) => a - b));
  const all = await get<Series>("series", { name: "long" });
  expect([all.whole, all.rows]).toEqual([true, 6000]);
  const again = await get<Series>("series", { name: "long", glimpse: "" });
  expect(again.whole).toBe(true);
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

test("of numbers beyond what a page can show the first are kept", async () => {
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

const idIn = (body: unknown): string => (body as { id: string }[])[0].id;

test("deleting moves a run to the trash, and undo brings it back as it was", async () => {
  const run = writeRun(runs, "group/one");
  const before = readFileSync(join(run, "metrics.jsonl"), "utf8");
  const { body } = await post("delete", { names: ["group/one"] });
  expect(existsSync(run)).toBe(false);
  const after = await get<RunList>("runs");
  expect(after.runs).toEqual([]);
  expect(after.deleted.map(({ name }) => name)).toEqual(["group/one"]);
  expect((await post("restore", { id: idIn(body) })).status).toBe(200);
  expect(readFileSync(join(run, "metrics.jsonl"), "utf8")).toBe(before);
  expect((await get<RunList>("runs")).deleted).toEqual([]);
});

test("of several runs all are deleted or none, those inside others with them", async () => {
  for (const name of ["one", "outer", "outer/inner"]) writeRun(runs, name);
  writeRun(runs, "busy", { finished: false });
  const names = async () => (await list()).map(({ name }) => name).sort();
  const all = await names();
  for (const obstacle of ["busy", "nowhere"])
    expect((await post("delete", { names: ["one", "outer", "outer/inner", obstacle] })).status).not.toBe(200);
  expect(await names()).toEqual(all);
  const { status, body } = await post("delete", { names: ["outer", "one", "outer/inner"] });
  expect(status).toBe(200);
  expect(await names()).toEqual(["busy"]);
  for (const { id } of (body as unknown as { id: string }[]).reverse())
    expect((await post("restore", { id })).status).toBe(200);
  expect(await names()).toEqual(all);
});

test("what lies in a hidden folder of a run is no run, and in nobody's way", async () => {
  writeRun(runs, "outer");
  writeRun(runs, "outer/.hidden/inner");
  expect((await get<RunList>("runs")).runs.map(({ name }) => name)).toEqual(["outer"]);
  expect((await post("delete", { names: ["outer"] })).status).toBe(200);
});

test("a run with other runs inside is not deleted with them", async () => {
  writeRun(runs, "outer");
  writeRun(runs, "outer/inner");
  expect(await post("delete", { names: ["outer"] })).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/inside outer/) },
  });
  expect((await post("delete", { names: ["outer/inner"] })).status).toBe(200);
  expect((await post("delete", { names: ["outer"] })).status).toBe(200);
});

test("a run that is at work is not deleted, and none is restored over another", async () => {
  writeRun(runs, "busy", { finished: false });
  expect(await post("delete", { names: ["busy"] })).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/still running/) },
  });
  writeRun(runs, "done");
  const { body } = await post("delete", { names: ["done"] });
  writeRun(runs, "done");
  expect(await post("restore", { id: idIn(body) })).toMatchObject({ status: 409 });
  expect(await post("restore", { id: "../done" })).toMatchObject({ status: 404 });
});

/** Events of a live run, one after another. */
async function* events(
  name: string,
  from = "",
): AsyncGenerator<{ event: string; data: Record<string, unknown> }> {
  const stop = new AbortController();
  const response = await fetch(`${server.url}api/live?${new URLSearchParams({ name, from })}`, {
    signal: stop.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = /^event: (.*)$/m.exec(block)?.[1];
        if (event) yield { event, data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null") };
      }
    }
  } finally {
    stop.abort();
  }
}

/** The next event of a kind; points in place of a reset, or the other way round, are none to wait through. */
async function next(stream: AsyncGenerator<{ event: string; data: Record<string, unknown> }>, kind: string) {
  for (;;) {
    const { value, done } = await stream.next();
    if (done) throw new Error("the stream ended");
    if (value.event === kind) return value.data;
    if (value.event !== "run") throw new Error(`${value.event} were told where ${kind} was to be`);
  }
}

test("evaluations are told as they are appended, from where the page stands", async () => {
  const run = writeRun(runs, "live", { finished: false, rows: 3 });
  const { version, rows } = await get<Series>("series", { name: "live" });
  const stream = events("live", `${version}:${rows}`);
  expect((await next(stream, "run")).status).toBe("running");
  appendLine(run, 400);
  const points = await next(stream, "points");
  expect(points).toMatchObject({ step: [400], rows: 4, version });
  expect(points.requirements).toHaveProperty("misses in B");
  writeFileSync(join(run, "report.json"), readReport());
  expect((await next(stream, "run")).status).toBe("finished");
  await stream.return(undefined);
});

test("a file that was cut, or replaced by another, is told as a reset", async () => {
  const run = writeRun(runs, "live", { finished: false, rows: 5 });
  const metrics = join(run, "metrics.jsonl");
  const first = await get<Series>("series", { name: "live" });
  const stream = events("live", `${first.version}:${first.rows}`);
  await next(stream, "run");
  truncateSync(metrics, line(100).length);
  const cut = await next(stream, "reset");
  expect(cut.version).not.toBe(first.version);
  writeFileSync(`${metrics}.new`, line(100) + line(200) + line(300));
  renameSync(`${metrics}.new`, metrics);
  expect(await next(stream, "reset")).toMatchObject({ rows: 3 });
  appendLine(run, 400);
  expect(await next(stream, "points")).toMatchObject({ step: [400] });
  await stream.return(undefined);
});

test("a file rewritten in place to the same length or more is read again", async () => {
  const run = writeRun(runs, "again", { rows: 4 });
  await get<Series>("series", { name: "again" });
  const rewritten = [900, 1000, 1100, 1200, 1300, 1400].map((step) => line(step, { seed: 5 })).join("");
  writeFileSync(join(run, "metrics.jsonl"), rewritten);
  expect((await get<Series>("series", { name: "again" })).objective.x).toEqual([
    900, 1000, 1100, 1200, 1300, 1400,
  ]);
});

test("a federation's rounds come with what each client has", async () => {
  const run = writeFederated(runs, "fed", { clients: 4, rounds: 2, finished: false });
  const { version, rows } = await get<Federation>("federation", { name: "fed" });
  const stream = events("fed", `${version}:${rows}`);
  await next(stream, "run");
  appendFileSync(join(run, "metrics.jsonl"), federatedLine(3, { clients: 4 }));
  const { clients } = await next(stream, "points");
  expect((clients as Record<string, number[]>).testAccuracy).toHaveLength(4);
  await stream.return(undefined);
});
