// Federated recipes run in folders: what they leave there, and that a run which ended at any moment goes on to the same numbers.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strokes } from "@pliant/data";
import { open } from "@pliant/engine/device";
import { InputError } from "pliant";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { federated } from "../src/index.js";

const { folderOf, recipe, runFederated } = federated;
const small = { dataset: "strokes", preset: "corrected", clients: 5, rounds: 10 } as const;
const dataset = strokes({ train: 400, test: 1000, seed: 0 });

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
    expect(row.meanAccuracy).toBeGreaterThan(20);
    // The exact step: u = λ/α at every client.
    for (const { relaxation, price } of row.perClient) expect(relaxation).toBeCloseTo(price / 2, 9);
    expect(row.largestPrice).toBeGreaterThan(0);

    const folder = folderOf(out, recipe(asked), 0);
    expect(json(folder, "run.json")).toMatchObject({ command: "federated", seed: 0, device: "cpu" });
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
    const [resumed] = await run(asked, { resume: true });
    expect(resumed.perClient).toEqual(straight.perClient);
    const untouched = async () => {
      throw new Error("nothing to load");
    };
    const [again] = await run(asked, { resume: true, load: untouched });
    expect(again).toEqual(resumed);
  });

  it("trains by every method", async () => {
    const methods = ["unconstrained", "agnostic", "q-fair", "ratio-loss"] as const;
    for (const method of methods) {
      const [row] = await run({ ...small, rounds: 5, method });
      expect(row.meanTrainLoss).toBeLessThan(2.4);
      expect(row.relaxationRms).toBe(0);
    }
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

  it("is not mixed with one of other settings", async () => {
    const asked = { ...small, rounds: 5, method: "unconstrained" } as const;
    await run(asked);
    const other = recipe({ ...asked, minority: [1] });
    const options = { backend, out, resume: true, load: async () => dataset };
    await expect(runFederated([other], [0], options)).rejects.toThrow(InputError);
  });

  it("of more clients than samples is refused in one sentence", async () => {
    await expect(run({ ...small, method: "resilient", clients: 5000 })).rejects.toThrow(
      /5000 clients cannot share \d+ samples/,
    );
  });
});
