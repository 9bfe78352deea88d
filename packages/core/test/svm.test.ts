// The soft-margin SVM is a resilient problem with one requirement an example and a linear cost: ½‖w‖² + γ Σ uᵢ where
// yᵢ(w·xᵢ + b) ≥ 1 − uᵢ. Judged by solvers that know nothing of Pliant: a QP solver, and coordinate descent on the dual.

import { atLeast, linear, minimise, sgd, solve } from "@pliant/core";
import { array, random, type Tensor } from "@pliant/engine";
import { solveQP } from "quadprog";
import { describe, expect, test } from "vitest";

interface Examples {
  /** One row an example. */
  readonly x: readonly (readonly number[])[];
  readonly y: readonly number[];
}

/** Two Gaussian clouds that overlap. */
function clouds(seed: number, n: number, d: number): Examples {
  const noise = random.normal(random.key(seed), [n, d], { dtype: "float64" }).data;
  const y = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const x = y.map((side, i) =>
    Array.from({ length: d }, (_, j) => noise[i * d + j] + (0.8 * side) / (1 + j)),
  );
  return { x, y };
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, v, i) => sum + v * b[i], 0);

/** ½‖w‖² + γ Σ [1 − yᵢ(w·xᵢ + b)]₊. */
function primal({ x, y }: Examples, gamma: number, w: readonly number[], b = 0): number {
  const loss = x.reduce((sum, row, i) => sum + Math.max(0, 1 - y[i] * (dot(w, row) + b)), 0);
  return dot(w, w) / 2 + gamma * loss;
}

/** By Pliant: w, b and one price an example. `rates` are those of the parameters and of the prices. */
async function resilientSvm(
  { x, y }: Examples,
  gamma: number,
  { offset, rates, tolerance }: { offset: boolean; rates: readonly [number, number]; tolerance: number },
) {
  const float64 = (values: number[] | number[][]) => array(values, { dtype: "float64" });
  const d = x[0].length;
  const task = minimise({
    params: { w: float64(new Array<number>(d).fill(0)), b: float64([0]) },
    forward: ({ w, b }: { w: Tensor; b: Tensor }, { x }: { x: Tensor; y: Tensor }) => {
      const score = x.matmul(w.reshape([d, 1])).reshape([x.shape[0]]);
      return { w, score: offset ? score.add(b) : score };
    },
    objective: ({ w }) => w.pow(2).mul(0.5).sum(),
  }).subjectTo({ margin: atLeast(1, ({ score }, { y }) => score.mul(y)) }, { cost: linear(gamma) });
  const { params, state, certificate, steps } = await solve(task, {
    data: { x: float64(x.map((row) => [...row])), y: float64([...y]) },
    optimizer: sgd(rates[0]),
    dualRate: rates[1],
    tolerance,
    steps: 40_000,
    every: 500,
  });
  const [w, b] = [Array.from(params.w.data), params.b.item()];
  const prices = Array.from(state.prices[0].data);
  const relaxations = Array.from(state.relaxations[0].data);
  return { value: primal({ x, y }, gamma, w, b), w, b, prices, relaxations, certificate, steps };
}

/** max Σ αᵢ − ½‖Σ αᵢyᵢxᵢ‖² over 0 ≤ α ≤ γ and, with an offset, Σ αᵢyᵢ = 0, by quadprog, whose arrays start at 1. */
function quadraticProgram(
  { x, y }: Examples,
  gamma: number,
  offset: boolean,
): { value: number; alpha: number[] } {
  const n = y.length;
  const from1 = <T>(list: readonly T[]): T[] => [undefined as T, ...list];
  const ridge = 1e-9; // it wants a positive definite matrix
  const D = y.map((yi, i) => y.map((yj, j) => yi * yj * dot(x[i], x[j]) + (i === j ? ridge : 0)));
  const A = y.map((yi, i) => {
    const at = (value: number) => y.map((_, j) => (i === j ? value : 0));
    return [...(offset ? [yi] : []), ...at(1), ...at(-1)];
  });
  const bounds = [...(offset ? [0] : []), ...y.map(() => 0), ...y.map(() => -gamma)];
  const found = solveQP(
    from1(D.map(from1)),
    from1(new Array<number>(n).fill(1)),
    from1(A.map(from1)),
    from1(bounds),
    offset ? 1 : 0,
  );
  expect(found.message).toBe("");
  return { value: -found.value[1], alpha: found.solution.slice(1) };
}

/** The same without an offset, one αᵢ after another (Hsieh et al., 2008, as in liblinear), until its own gap is closed. */
function coordinateDescent(examples: Examples, gamma: number): { value: number; alpha: number[] } {
  const { x, y } = examples;
  const alpha = y.map(() => 0);
  const w = x[0].map(() => 0);
  const squares = x.map((row) => dot(row, row));
  for (let epoch = 0; epoch < 20_000; epoch++) {
    for (const i of random.permutation(random.foldIn(random.key(5), epoch), y.length).data) {
      const next = Math.min(gamma, Math.max(0, alpha[i] + (1 - y[i] * dot(w, x[i])) / squares[i]));
      for (const [j, value] of x[i].entries()) w[j] += (next - alpha[i]) * y[i] * value;
      alpha[i] = next;
    }
    const dual = alpha.reduce((a, b) => a + b, 0) - dot(w, w) / 2;
    const value = primal(examples, gamma, w);
    if (value - dual < 1e-6 * value) return { value, alpha };
  }
  throw new Error("Coordinate descent did not close its gap.");
}

const relative = (found: number, best: number): number => Math.abs(found - best) / Math.abs(best);

describe("soft-margin SVM", () => {
  test.each([
    [60, 2, 1, false],
    [60, 2, 0.1, true],
    [120, 4, 1, true],
    [200, 5, 0.5, false],
  ])(
    "with %d examples in %d dimensions and γ = %d agrees with a QP solver (offset: %s)",
    async (n, d, gamma, offset) => {
      const examples = clouds(n + d, n, d);
      const qp = quadraticProgram(examples, gamma, offset);
      const ours = await resilientSvm(examples, gamma, { offset, rates: [0.01, 0.2], tolerance: 1e-6 });
      expect(ours.certificate.holds).toBe(true);
      expect(relative(ours.value, qp.value)).toBeLessThan(1e-5);
      // The prices are the QP's multipliers: 0 beyond the margin, γ for what gives way.
      const w = ours.w.map((_, j) =>
        qp.alpha.reduce((sum, a, i) => sum + a * examples.y[i] * examples.x[i][j], 0),
      );
      for (const [j, value] of ours.w.entries()) expect(value).toBeCloseTo(w[j], 4);
      for (const [i, u] of ours.relaxations.entries())
        if (u > 1e-4) expect(ours.prices[i]).toBeCloseTo(gamma, 6);
    },
  );

  test("with 400 examples agrees with coordinate descent on the dual", async () => {
    const examples = clouds(1, 400, 5);
    const best = coordinateDescent(examples, 1);
    const ours = await resilientSvm(examples, 1, { offset: false, rates: [2e-3, 0.2], tolerance: 1e-3 });
    expect(ours.certificate.holds).toBe(true);
    expect(ours.prices).toHaveLength(400);
    expect(relative(ours.value, best.value)).toBeLessThan(1e-5);
  });

  test("the two judges agree with each other", () => {
    const examples = clouds(9, 100, 3);
    const [qp, descent] = [quadraticProgram(examples, 1, false), coordinateDescent(examples, 1)];
    expect(relative(descent.value, qp.value)).toBeLessThan(2e-6);
  });
});
