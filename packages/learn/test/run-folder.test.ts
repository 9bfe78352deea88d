import {
  appendFileSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { SolverState } from "@pliant/core";
import { array, NdArray } from "@pliant/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { decodeState, encodeState, resumeRun, startRun } from "../src/runs/index.js";

const one = array([1]);
const begun = {
  pace: {
    rates: [one],
    ceilings: [one],
    sides: [one],
    peaks: [one],
    peaksBefore: [one],
    swings: [one],
    since: [one],
    noise: [] as const,
    observed: [one],
    slope: array(1),
    scale: array(1),
  },
  inner: [],
};
const state = (step: number): SolverState => ({
  ...begun,
  params: {
    w: array([
      [1, Math.PI],
      [-0, 3e-42],
    ]),
    "a name.with [marks] é": new NdArray(Float64Array.of(0.1), [1]),
  },
  optimizer: [[], { m: new NdArray(new Float32Array(0), [0]), count: new NdArray(Int32Array.of(7), []) }],
  relaxations: [array([0, step])],
  prices: [array([1, 2])],
  step,
});
const asked = { seed: 3 };
const read = (value: unknown) => value as typeof asked;

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "pliant-")), "runs", "one");
});
const stepsIn = () =>
  readFileSync(join(path, "metrics.jsonl"), "utf8")
    .match(/(?<="step":)\d+/g)
    ?.map(Number);

test("a checkpoint replaces the old one atomically; an open reader keeps the old one", () => {
  const run = startRun<typeof asked, SolverState>(path, asked);
  run.save(state(1));
  const [file, old] = [join(path, "checkpoint.safetensors"), join(path, "held")];
  linkSync(file, old);
  run.save(state(2));
  expect(decodeState<SolverState>(readFileSync(old), old)).toEqual(state(1));
  expect(decodeState<SolverState>(readFileSync(file), file)).toEqual(state(2));
});

describe("a checkpoint", () => {
  test("restores every bit and the structure", () => {
    expect(decodeState(Buffer.from(encodeState(state(40))), "file")).toStrictEqual(state(40));
  });

  test("is laid out as safetensors", () => {
    const bytes = Buffer.from(encodeState(state(40)));
    const length = Number(bytes.readBigUInt64LE(0));
    expect(length % 8).toBe(0);
    const header = JSON.parse(bytes.toString("utf8", 8, 8 + length));
    const { dtype, shape, data_offsets: span } = header["params.w"];
    expect({ dtype, shape, size: span[1] - span[0] }).toEqual({ dtype: "F32", shape: [2, 2], size: 16 });
    expect(bytes.readFloatLE(8 + length + span[0] + 4)).toBe(Math.fround(Math.PI));
  });

  test("truncated anywhere is reported as damaged", () => {
    const bytes = Buffer.from(encodeState(state(40)));
    for (let n = 0; n < bytes.length; n++)
      expect(() => decodeState(bytes.subarray(0, n), "some/file")).toThrow(
        /^some\/file is damaged \(.*\); train the run again\.$/s,
      );
  });
});

describe("a run folder", () => {
  test("starts with the request and resumes from the last saved state", () => {
    const run = startRun(path, asked);
    run.save(state(0));
    run.save(state(10), { step: 10 });
    run.save(state(20), { step: 20 });
    const again = resumeRun(path, read);
    expect(again.asked).toEqual(asked);
    expect(again.state).toStrictEqual(state(20));
    expect(stepsIn()).toEqual([10, 20]);
  });

  test("a run that ended before its first checkpoint resumes from the start", () => {
    startRun(path, asked);
    expect(resumeRun(path, read).state).toBeUndefined();
  });

  test("evaluations after the checkpoint and incomplete lines are dropped", () => {
    const run = startRun(path, asked);
    run.save(state(10), { step: 10 });
    appendFileSync(join(path, "metrics.jsonl"), '{"step":20}\n{"step":3');
    resumeRun(path, read).save(state(20), { step: 20 });
    expect(stepsIn()).toEqual([10, 20]);
  });

  test("partly written temporary files are ignored", () => {
    startRun(path, asked).save(state(10), { step: 10 });
    writeFileSync(join(path, "checkpoint.safetensors.new"), "half");
    expect(resumeRun(path, read).state?.step).toBe(10);
  });

  test("a new run in the same folder removes the old one", () => {
    const run = startRun(path, asked);
    run.save(state(10), { step: 10 });
    run.finish({ done: true });
    startRun(path, asked);
    expect(readdirSync(path).sort()).toEqual(["at-work.json", "run.json"]);
  });

  test("names the process that works on it until it finishes", () => {
    const mark = () => JSON.parse(readFileSync(join(path, "at-work.json"), "utf8"));
    const run = startRun(path, asked);
    run.save(state(10), { step: 10 });
    expect(mark()).toMatchObject({ process: process.pid, host: hostname() });
    rmSync(join(path, "at-work.json"));
    resumeRun(path, read);
    expect(mark()).toMatchObject({ process: process.pid });
    run.finish({ done: true });
    resumeRun(path, read);
    expect(readdirSync(path)).not.toContain("at-work.json");
  });

  test("many runs in a row add one exit listener to the process", () => {
    startRun(path, asked).finish({ done: true });
    const before = process.listenerCount("exit");
    for (let i = 0; i < 3; i++) startRun(path, asked).finish({ done: true });
    expect(process.listenerCount("exit")).toBe(before);
  });

  test("a missing checkpoint is reported", () => {
    startRun(path, asked).save(state(10), { step: 10 });
    rmSync(join(path, "checkpoint.safetensors"));
    expect(() => resumeRun(path, read)).toThrow(/there is no checkpoint\.safetensors in .* to resume from/);
  });
});
