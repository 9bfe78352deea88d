import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atMost, createSolver, minimise, quadratic, type SolverState, sgd } from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import { startRun, train } from "../src/runs/index.js";

test("solving writes evaluations and a checkpoint, and leaves the report to the caller", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "pliant-")), "run");
  const folder = startRun<object, SolverState>(path, {});
  const task = minimise({
    params: { x: array(0) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.pow(2),
  }).subjectTo({ near: atMost(1, (x) => x.sub(2).pow(2)) }, { cost: quadratic(0.1) });
  const solver = await createSolver(task, { data: array(0), optimizer: sgd(0.1), dualRate: 0.2 });
  const { certificate, steps } = await train(solver, folder, {
    steps: 1000,
    every: 25,
    progress: { show: () => {}, end: () => {} },
    resumeWith: "",
  });
  expect(certificate.holds).toBe(true);
  const last = readFileSync(join(path, "metrics.jsonl"), "utf8").trim().split("\n").at(-1)!;
  expect(JSON.parse(last).step).toBe(steps);
  expect(existsSync(join(path, "checkpoint.safetensors"))).toBe(true);
  expect(existsSync(join(path, "report.json"))).toBe(false);
  // Still at work: the costs of insisting may follow.
  expect(existsSync(join(path, "at-work.json"))).toBe(true);
});
