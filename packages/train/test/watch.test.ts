// Writes during a run: evaluations at once, checkpoints and the best model so far at most once a second.
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SolverState } from "@pliant/core";
import { array } from "@pliant/engine";
import { decodeState, resumeRun, startRun } from "@pliant/learn/runs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bestFile, watch } from "../src/fit/watch.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const stateAt = (step: number): SolverState =>
  ({
    params: { w: array([step]) },
    optimizer: [],
    relaxations: [],
    prices: [],
    pace: {},
    inner: [],
    step,
  }) as never;
const lineAt = (step: number, objective: number): object => ({ step, objective, requirements: {} });

function watched() {
  const path = mkdtempSync(join(tmpdir(), "pliant-watch-"));
  const found = watch(startRun<object, SolverState>(path, {}), { cost: "quadratic(1)", giveUp: false });
  const stepIn = (file: string): number | undefined => {
    const whole = join(path, file);
    return existsSync(whole) ? decodeState<SolverState>(readFileSync(whole), whole).step : undefined;
  };
  return {
    ...found,
    path,
    onDisk: () => ({ checkpoint: stepIn("checkpoint.safetensors"), best: stepIn(bestFile) }),
  };
}

test("looks within a second are evaluations alone; the next has the checkpoint and the best model before it", () => {
  const { folder, path, onDisk } = watched();
  folder.save(stateAt(0));
  expect(onDisk()).toEqual({ checkpoint: 0, best: undefined });
  folder.save(stateAt(25), lineAt(25, 3));
  folder.save(stateAt(50), lineAt(50, 4));
  expect(onDisk()).toEqual({ checkpoint: 0, best: undefined });
  expect(readFileSync(join(path, "metrics.jsonl"), "utf8").trim().split("\n")).toHaveLength(2);
  vi.setSystemTime(Date.now() + 1000);
  folder.save(stateAt(75), lineAt(75, 5));
  expect(onDisk()).toEqual({ checkpoint: 75, best: 25 });
});

test("a run that was ended without warning goes on from what is there, and forgets what was seen after it", () => {
  const { folder, path } = watched();
  folder.save(stateAt(0));
  folder.save(stateAt(25), lineAt(25, 3));
  const again = resumeRun<object, SolverState>(path, (asked) => asked as object);
  expect(again.state!.step).toBe(0);
  expect(readFileSync(join(path, "metrics.jsonl"), "utf8")).toBe("");
});

test("pending writes are flushed when a run ends, and before the best model is read", () => {
  const { folder, onDisk, flush, best } = watched();
  folder.save(stateAt(0));
  folder.save(stateAt(25), lineAt(25, 3));
  flush();
  expect(onDisk()).toEqual({ checkpoint: 25, best: 25 });
  folder.save(stateAt(50), lineAt(50, 2));
  folder.save(stateAt(75), lineAt(75, 9));
  expect(best(75)!.step).toBe(50);
  expect(onDisk()).toEqual({ checkpoint: 75, best: 50 });
  expect(best(50)).toBeUndefined();
});

test("a model that is not the best is no file, and one that is kept stands", () => {
  const { folder, onDisk, forget, keep } = watched();
  folder.save(stateAt(0));
  folder.save(stateAt(25), lineAt(25, 3));
  forget();
  expect(onDisk()).toEqual({ checkpoint: 25, best: undefined });
  folder.save(stateAt(50), lineAt(50, 2));
  keep(stateAt(7));
  expect(onDisk()).toEqual({ checkpoint: 50, best: 7 });
});
