// Federated recipes run in folders: what they leave there, and that a run which ended at any moment goes on to the same numbers.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strokes } from "@pliant/data";
import { NdArray } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { decodeState, encodeState, type Saved } from "@pliant/learn/runs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { federated } from "../src/index.js";

const { folderOf, recipe, runFederated } = federated;
const small = { dataset: "strokes", preset: "corrected", clients: 5, rounds: 10 } as const;
const dataset = strokes({ train: 150, test: 1000, seed: 0 });

let out: string;
let backend: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "pliant-federated-"));
  backend = await open("cpu");
});
afterAll(async () => {
  await backend.close();
  rmSync(out, { recursive: true });
});

const run = (asked: federated.Request, options: Partial<federated.FederatedOptions> = {}, seeds = [0]) =>
  runFederated([recipe(asked)], seeds, { backend, out, load: async () => dataset, ...options });
const checkpoint = (folder: string) => {
  const file = join(folder, "checkpoint.safetensors");
  return { file, state: decodeState<Saved & { seconds: NdArray }>(readFileSync(file), file) };
};
const lastLine = (folder: string) => {
  const lines = readFileSync(join(folder, "metrics.jsonl"), "utf8").trim().split("\n");
  return { lines: lines.length, metrics: JSON.parse(lines[lines.length - 1]) };
};
const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

describe("a federated run", () => {
  it("answers a row and leaves run.json, metrics.jsonl, report.json and a checkpoint", async () => {
    const asked = { ...small, method: "resilient" } as const;
    const [row] = await run(asked);
    expect(row).toMatchObject({ dataset: "strokes", method: "resilient", clients: 5, rounds: 10, seed: 0 });
    expect(row.perClient.length).toBe(5);
    // Guessing is ln 10 = 2.3 and 10%.
    expect(row.meanTrainLoss).toBeLessThan(0.5);
    expect(row.meanAccuracy).toBeGreaterThan(48);
    // The exact step: u = λ/α at every client.
    for (const { relaxation, price } of row.perClient) expect(relaxation).toBeCloseTo(price / 2, 9);
    expect(row.largestPrice).toBeGreaterThan(0);

    const folder = folderOf(out, recipe(asked), 0);
    expect(json(folder, "run.json")).toMatchObject({
      command: "federated",
      seed: 0,
      device: "cpu",
      precision: "float32",
      versions: { pliant: expect.stringMatching(/^\d/), node: process.version },
      machine: { processor: expect.stringMatching(/./) },
    });
    const { lines, metrics } = lastLine(folder);
    expect([lines, metrics.step]).toEqual([2, 2]);
    expect(metrics.clients.testAccuracy.length).toBe(5);
    const report = json(folder, "report.json");
    expect(report).toMatchObject({ kind: "federated", rounds: 10, objective: row.meanTrainLoss });
    expect(report.clients).toEqual(row.perClient);
    expect(existsSync(join(folder, "checkpoint.safetensors"))).toBe(true);
  });

  it("that ended after a round goes on to the same numbers, and once done is taken as it is", async () => {
    const asked = { ...small, method: "constrained" } as const;
    const [straight] = await run(asked, { out: join(out, "straight") });
    const ends = {
      show: () => {
        throw new Error("the machine was switched off");
      },
      end: () => {},
    };
    await expect(run(asked, { progress: ends })).rejects.toThrow("switched off");
    // However long the first sitting took, the second counts on from there.
    const { file, state } = checkpoint(folderOf(out, recipe(asked), 0));
    expect(state.seconds.data[0]).toBeGreaterThan(0);
    writeFileSync(
      file,
      encodeState({ ...state, seconds: new NdArray(Float64Array.of(1e6), []) } as typeof state),
    );
    const [resumed] = await run(asked, { resume: true });
    expect(resumed.seconds).toBeGreaterThan(1e6);
    expect(resumed.perClient).toEqual(straight.perClient);
    const untouched = async () => {
      throw new Error("nothing to load");
    };
    const [again] = await run(asked, { resume: true, load: untouched });
    expect(again).toEqual(resumed);
  });

  it("trains by every method", async () => {
    // Guessing is ln 10 = 2.3. q-FedAvg's own step is short at first.
    const reached = { unconstrained: 1, agnostic: 1, "q-fair": 2.25, "ratio-loss": 1 } as const;
    const losses = new Set<number>();
    for (const method of Object.keys(reached) as (keyof typeof reached)[]) {
      const [row] = await run({ ...small, rounds: 5, method });
      expect(row.meanTrainLoss).toBeLessThan(reached[method]);
      expect(row.relaxationRms).toBe(0);
      losses.add(row.meanTrainLoss);
      // The weights of the worst mixture have moved, to be used in the next round.
      if (method === "agnostic") expect(row.largestPrice).toBeGreaterThan(1);
    }
    expect(losses.size).toBe(3);
  });

  it("takes the explicit step of the published code in the official preset", async () => {
    const asked = { ...small, preset: "official", rounds: 5, method: "resilient" } as const;
    const [row] = await run(asked);
    const { metrics } = lastLine(folderOf(out, recipe(asked), 0));
    const { trainLoss, price } = metrics.clients;
    const mean = trainLoss.reduce((a: number, b: number) => a + b, 0) / 5;
    // One dual step over a horizon of 2500 rounds in 5: η_λ·500/C, from prices and relaxations of 0.
    for (const [c, loss] of trainLoss.entries())
      expect(price[c]).toBeCloseTo(Math.max(0, ((0.1 * 500) / 5) * (loss - mean - 0.02)), 9);
    expect(row.relaxationRms).toBe(0);
  });

  it("reports u and λ as they were before the last update in the official preset, after it in the others", async () => {
    for (const [preset, line] of [
      ["official", 0],
      ["stated", 1],
    ] as const) {
      const asked = { ...small, preset, dualRate: 5, method: "resilient" } as const;
      const [row] = await run(asked);
      const lines = readFileSync(join(folderOf(out, recipe(asked), 0), "metrics.jsonl"), "utf8").trim();
      const { price, relaxation } = JSON.parse(lines.split("\n")[line]).clients;
      expect(Math.max(...price)).toBeGreaterThan(0);
      expect(row.perClient.map((client) => client.price)).toEqual(price);
      expect(row.perClient.map((client) => client.relaxation)).toEqual(relaxation);
    }
  });

  it("that is interrupted between two checkpoints saves the round it has reached", async () => {
    // So many rounds that every second one is saved.
    const asked = { ...small, method: "unconstrained", rounds: 1005 } as const;
    const signalled = async () => {
      process.emit("SIGINT");
      return dataset;
    };
    await expect(run(asked, { load: signalled })).rejects.toThrow(/stopped after round 1 of .*continue with/);
    expect(checkpoint(folderOf(out, recipe(asked), 0)).state.step).toBe(1);
  });

  it("stops when its time is over, and goes on from there", async () => {
    const asked = { ...small, method: "unconstrained" } as const;
    await expect(run(asked, { until: Date.now() })).rejects.toMatchObject({
      name: "Interrupted",
      reason: "deadline",
    });
    expect(checkpoint(folderOf(out, recipe(asked), 0)).state.step).toBe(1);
    const [row] = await run(asked, { resume: true });
    expect(row.rounds).toBe(10);
  });

  it("is not lost to another, nor to itself unasked", async () => {
    const asked = { ...small, rounds: 5, method: "unconstrained" } as const;
    await run(asked, { again: true });
    await expect(run(asked)).rejects.toThrow(/there is already a run in .*; .* --resume, .* --force/);
    // Once α was in no name but compared, and one of two constrained runs lost to the other.
    const alphas = [1, 2].map((alpha) => ({ ...asked, method: "constrained", alpha }) as const);
    const [first] = await run(alphas[0]);
    const [second] = await run(alphas[1], { resume: true });
    expect(second).toEqual(first);
    const minority = { ...asked, minority: [1] };
    await run(minority);
    expect(existsSync(folderOf(out, recipe(asked), 0))).toBe(true);
    expect(json(folderOf(out, recipe(minority), 0), "run.json").settings.minority).toEqual([1]);
  });

  it("with more clients than samples is refused with one sentence", async () => {
    await expect(run({ ...small, method: "resilient", clients: 5000 })).rejects.toThrow(
      /5000 clients cannot share \d+ samples/,
    );
  });
});
