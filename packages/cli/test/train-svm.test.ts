// The soft-margin SVM as a spec states it, against a solver that knows nothing of Pliant.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SolverState } from "@pliant/core";
import type { NdArray } from "@pliant/engine";
import { decodeState } from "@pliant/learn/runs";
import { cloudsCsv, prepare, readSpec, svmSpec } from "@pliant/train";
import { solveQP } from "quadprog";
import { expect, test } from "vitest";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, v, i) => sum + v * b[i], 0);

/** min ½‖w‖² + γ Σ ξ where yᵢ(w·xᵢ + b) ≥ 1 − ξᵢ and ξ ≥ 0, by quadprog on its dual; its arrays start at 1. */
function byQuadprog(x: number[][], y: number[], gamma: number): { w: number[]; alpha: number[] } {
  const from1 = <T>(list: readonly T[]): T[] => [undefined as T, ...list];
  // It wants a positive definite matrix, and is inexact with less on the diagonal than this.
  const D = y.map((yi, i) => y.map((yj, j) => yi * yj * dot(x[i], x[j]) + (i === j ? 1e-5 : 0)));
  const A = y.map((yi, i) => {
    const here = (value: number) => y.map((_, j) => (i === j ? value : 0));
    return [yi, ...here(1), ...here(-1)];
  });
  const bounds = [0, ...y.map(() => 0), ...y.map(() => -gamma)];
  const found = solveQP(from1(D.map(from1)), from1(y.map(() => 1)), from1(A.map(from1)), from1(bounds), 1);
  expect(found.message).toBe("");
  const alpha = found.solution.slice(1);
  return { alpha, w: x[0].map((_, j) => alpha.reduce((sum, a, i) => sum + a * y[i] * x[i][j], 0)) };
}

test.each([
  ["linear(1)", 1],
  ["linear(0.2)", 0.2],
])("with the cost %s the weights and the prices are the machine's", async (cost, gamma) => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  const [spec, run] = [join(folder, "spec.yaml"), join(folder, "run")];
  writeFileSync(spec, svmSpec.replace("linear(1)", cost));
  writeFileSync(join(folder, "clouds.csv"), cloudsCsv());
  await printed(() => trainCommand([spec, "--device", "cpu", "--out", run]));

  const { prepared } = await prepare(readSpec(spec));
  const { x, y, count } = prepared.train;
  const rows = Array.from({ length: count }, (_, i) => Array.from(x.data.subarray(2 * i, 2 * i + 2)));
  const best = byQuadprog(
    rows,
    Array.from(y.data, (k) => (k === 1 ? 1 : -1)),
    gamma,
  );

  const state = decodeState<SolverState>(readFileSync(join(run, "checkpoint.safetensors")), run);
  const [{ weight }] = state.params as { weight: NdArray }[];
  for (const [j, w] of best.w.entries()) expect(weight.data[j]).toBeCloseTo(w, 3);
  const prices = Array.from(state.prices[0].data);
  expect(prices).toHaveLength(count);
  expect(prices.reduce((a, b) => a + b)).toBeCloseTo(
    best.alpha.reduce((a, b) => a + b),
    1,
  );
  // Requirements that gave way have the price γ.
  for (const [i, u] of Array.from(state.relaxations[0].data).entries())
    if (u > 1e-2) expect(prices[i]).toBeCloseTo(gamma, 4);
  const report = JSON.parse(readFileSync(join(run, "report.json"), "utf8"));
  expect(report.certificate.holds).toBe(true);
  expect(report.objective).toBeCloseTo(dot(best.w, best.w) / 2, 3);
});
