// The server over real folders: what it lists and tells of runs, and how it hands out their files.
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunDetail } from "../src/api.js";
import { createStudio } from "../src/index.js";
import { age, appendLine, line, writeRun } from "./fixtures.js";
import { folder, get, list, post, readReport, runs, serveEach, server } from "./served.js";

serveEach();

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

test("the list is sent again only where it changed, and compressed", async () => {
  for (let i = 0; i < 20; i++) writeRun(runs, `run-${i}`, { rows: 2 });
  const ask = (headers: Record<string, string>) =>
    createStudio({ runs, page: runs })(
      new Request("http://localhost/api/runs", { headers: { host: "localhost", ...headers } }),
    );
  const first = await ask({});
  const tag = first.headers.get("etag") ?? "";
  expect(tag).not.toBe("");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  const same = await ask({ "if-none-match": tag });
  expect([same.status, await same.text()]).toEqual([304, ""]);
  const packed = await ask({ "accept-encoding": "gzip" });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  const bytes = (await packed.arrayBuffer()).byteLength;
  expect(bytes).toBeLessThan((await first.arrayBuffer()).byteLength / 5);
  writeRun(runs, "another", { rows: 2 });
  expect((await ask({ "if-none-match": tag })).status).toBe(200);
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

test("the worst requirement is one that could be missed: not one that the model is built to meet", async () => {
  const asked = { sense: "at most", relaxation: 0, price: 0, cost: "quadratic(2)" };
  const requirements = {
    monotone: { ...asked, level: 0, reached: 0, byConstruction: true },
    alarms: { ...asked, level: 0.2, reached: 0.15 },
  };
  for (const [name, of] of Object.entries({ both: requirements, one: { monotone: requirements.monotone } })) {
    const run = writeRun(runs, name);
    writeFileSync(join(run, "report.json"), JSON.stringify({ objective: 1, requirements: of }));
  }
  const worst = Object.fromEntries((await list()).map((run) => [run.name, run.worst?.name]));
  expect(worst).toEqual({ both: "alarms", one: "monotone" });
});

test("the page's own files are compressed, and a file of a run is not", async () => {
  const page = join(folder.path, "page");
  mkdirSync(join(page, "assets"), { recursive: true });
  writeFileSync(join(page, "index.html"), `<p>${"Pliant ".repeat(1000)}</p>`);
  writeFileSync(join(page, "assets", "app-1.js"), "const a = 1;\n".repeat(1000));
  writeRun(runs, "run");
  const studio = createStudio({ runs, page });
  const encoding = async (path: string) =>
    (
      await studio(
        new Request(`http://localhost/${path}`, {
          headers: { host: "localhost", "accept-encoding": "gzip" },
        }),
      )
    ).headers.get("content-encoding");
  expect([await encoding(""), await encoding("assets/app-1.js")]).toEqual(["gzip", "gzip"]);
  expect(await encoding("api/file?name=run&file=metrics.jsonl")).toBeNull();
});
