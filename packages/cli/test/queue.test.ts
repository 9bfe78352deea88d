// The paper's plan by a queue on a real server: three workers, one killed in the middle of a run, every run finished once.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { items as lab } from "@pliant/lab";
import { openQueue, type Queue } from "@pliant/queue";
import { dataFiles, readSpec, type Sweep } from "@pliant/train";
import { afterAll, describe, expect, it, vi } from "vitest";
import { natsServer, startServer } from "../../queue/test/nats-server.js";
import { workCommand } from "../src/queue/work.js";
import { reproduceAll } from "../src/reproduce/all.js";
import { trainCommand } from "../src/training/train.js";
import { builtCommand } from "./fixtures/command.js";
import { smallLoans } from "./fixtures/loans.js";
import { printed } from "./fixtures/output.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-queue-"));
const begun: ChildProcess[] = [];
afterAll(() => {
  for (const each of begun) each.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** Paths of a file's folders, below a folder. */
const holding = (path: string, file: string): string[] =>
  (existsSync(path) ? (readdirSync(path, { recursive: true }) as string[]) : [])
    .filter((name) => name.endsWith(`/${file}`))
    .map((name) => name.slice(0, -file.length - 1));

let command: string;
function startWorker(address: string, out: string): ChildProcess {
  const worker = spawn(process.execPath, [command, "work", address, "--device", "cpu", "--out", out], {
    stdio: "ignore",
  });
  begun.push(worker);
  return worker;
}

/** Workers are started and killed until one was in the middle of a run; answers that run. */
async function killedInARun(address: string, out: string): Promise<string> {
  while (true) {
    const worker = startWorker(address, out);
    while (holding(out, "at-work.json").length === 0) await setTimeout(5);
    worker.kill("SIGKILL");
    await new Promise((ended) => worker.on("exit", ended));
    const finished = holding(out, "report.json");
    const [left] = holding(out, "at-work.json").filter((run) => !finished.includes(run));
    if (left) return left;
  }
}

describe.skipIf(!natsServer)("a queue", () => {
  it("is processed by three workers, one of them killed; each run is done once, and its folder returns", async () => {
    command = await builtCommand();
    const server = await startServer();
    const address = `${server.address}/paper`;
    const queue: Queue = await openQueue(address, { patience: 30 });
    const out = join(folder, "gathered");
    const own = ["a", "b", "c", "killed"].map((name) => join(folder, name));
    vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      const items = ["federated-levels", "federated-ranks"];
      const wanted = lab.planOf(
        lab.items.filter(({ name }) => items.includes(name)),
        "small",
      );
      const gathered = reproduceAll([
        ...["--small", "--item", items.join(","), "--queue", address, "--out", out, "--json"],
      ]);
      const left = await killedInARun(address, own[3]);
      for (const each of own.slice(0, 3)) startWorker(address, each);
      await gathered;

      const status = JSON.parse(log.mock.calls.flat().join("\n"));
      expect([status.done, status.runs]).toEqual([wanted.length, wanted.length]);
      const folders = wanted.map((run) => run.folder).sort();
      expect(holding(out, "report.json").sort()).toEqual(folders);
      expect(holding(out, "checkpoint.safetensors")).toEqual([]);
      expect(holding(out, "metrics.jsonl").sort()).toEqual(folders);
      // Each was done by one worker, and what is here is what that one has.
      const done = own.flatMap((path) => holding(path, "report.json").map((run) => ({ path, run })));
      expect(done.map(({ run }) => run).sort()).toEqual(folders);
      expect(done.find(({ run }) => run === left)?.path).not.toBe(own[3]);
      for (const { path, run } of done)
        expect(readFileSync(join(out, run, "report.json"), "utf8")).toBe(
          readFileSync(join(path, run, "report.json"), "utf8"),
        );
      expect(await queue.waiting()).toBe(0);
    } finally {
      vi.restoreAllMocks();
      await queue.close();
      server.stop();
    }
  });
});

describe.skipIf(!natsServer)("a sweep over a queue", () => {
  it("carries its spec and data, and returns the same runs as a local sweep", async () => {
    const server = await startServer();
    const { folder: at, spec, csv } = smallLoans({ rows: 300 });
    const asked = ["--sweep", "cost=0.5,4", "--set", "budget.steps=60", "--device", "cpu", "--json"];
    const address = `${server.address}/sweep`;
    const queue = await openQueue(address);
    try {
      const here: Sweep = JSON.parse(
        await printed(() => trainCommand([spec, "--out", join(at, "here"), ...asked])),
      );
      const there = printed(async () => {
        const swept = trainCommand([spec, "--out", join(at, "there"), "--queue", address, ...asked]);
        while ((await queue.waiting()) < 2) await setTimeout(20);
        await workCommand([address, "--once", "--device", "cpu", "--out", join(at, "worker")]);
        return swept;
      });
      const text = await there;
      const found: Sweep = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
      expect(found.points.map(({ value }) => value)).toEqual([0.5, 4]);
      // The first point starts afresh here too.
      const { run, ...first } = found.points[0];
      const { run: _, ...wanted } = here.points[0];
      expect(first).toEqual(wanted);
      expect(JSON.parse(readFileSync(join(run, "run.json"), "utf8")).sweep).toEqual({
        parameter: "cost",
        value: 0.5,
        group: "there-cost",
      });
      expect(dataFiles(readSpec(join(run, "spec.yaml")))).toEqual({ "data.file": csv });
      expect(await queue.waiting()).toBe(0);
    } finally {
      await queue.close();
      server.stop();
    }
  });
});

it("--queue needs a sweep", async () => {
  const { spec } = smallLoans({ rows: 30 });
  await expect(trainCommand([spec, "--queue", "nats://127.0.0.1"])).rejects.toThrow(
    /^--queue goes with --sweep/,
  );
});

it("an invalid queue address is refused", async () => {
  await expect(workCommand([])).rejects.toThrow("name one queue: pliant work nats://HOST:PORT.");
  await expect(workCommand(["127.0.0.1:4222"])).rejects.toThrow(/a queue is nats:\/\/HOST:PORT/);
});
