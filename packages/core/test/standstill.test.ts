// Why an objective stands still at a slope, on problems of which it is known; and that what is advised then settles them.
import { array, reference, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import {
  adam,
  atMost,
  minimise,
  newton,
  type Optimizer,
  quadratic,
  type SolveOptions,
  settling,
  sgd,
  solve,
} from "../src/index.js";

const backend = reference();

test("next to a kink that nobody spoke of, and settled where somebody does", async () => {
  const data = array([0], { dtype: "float64" });
  const task = minimise({
    params: { x: array([0], { dtype: "float64" }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3.3).abs().sum(),
  }).subjectTo({ x: atMost(5, (x) => x, { hard: true }) });
  const found = (kinks: boolean) =>
    solve(task, { data, backend, optimizer: settling(adam(0.03)), kinks, steps: 1500 });
  expect((await found(false)).certificate.short.join()).toMatch(/stands still .* kinks: true asks/);
  const { certificate, params } = await found(true);
  expect(certificate).toMatchObject({ holds: true, short: [] });
  expect(params.x.item()).toBeCloseTo(3.3, 6);
});

type Rows = { x: Tensor; y: Tensor };
/** y over x, which lies so far from 0 that a constant and x are as good as one column. */
const fitted = async (
  { dtype, from = 1000, optimizer }: { dtype: "float32" | "float64"; from?: number; optimizer?: Optimizer },
  more: Partial<SolveOptions<Rows>> = {},
) => {
  const xs = Array.from({ length: 50 }, (_, i) => from + i / 50);
  const data = {
    x: array(xs, { dtype }),
    y: array(
      xs.map((x, i) => 3 * (x - from) + Math.sin(i * 7) + 1),
      { dtype },
    ),
  };
  const task = minimise({
    params: { a: array([0], { dtype }), b: array([0], { dtype }) },
    forward: ({ a, b }: Record<"a" | "b", Tensor>, { x, y }: Rows) => x.mul(b).add(a).sub(y),
    objective: (error) => error.pow(2).mean(),
  }).subjectTo({ mean: atMost(1, (error) => error.mean()) });
  const { certificate, report } = await solve(task, { data, backend, optimizer, steps: 1000, ...more });
  return { ...certificate, objective: report.objective };
};

test("not next to a kink where a smooth loss has a slope left for float32", async () => {
  const task = minimise({
    params: { x: array([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(5e-9).sum(),
  }).subjectTo({ x: atMost(1e4, (x) => x.mul(1e4), { cost: quadratic(2.5e-17) }) });
  const { certificate } = await solve(task, { data: array([0]), backend, optimizer: newton() });
  expect(certificate.short.join()).not.toContain("kink");
});

test("slow where one direction is much flatter than another, and settled by each of what is advised", async () => {
  const slow = "and other steps still lower it: ";
  const { short } = await fitted({ dtype: "float64", optimizer: sgd(5e-7) });
  expect(short.join()).toContain(`${slow}newton where losses are convex, or columns of one size around 0`);
  const best = await fitted({ dtype: "float64", optimizer: newton() });
  expect(best.holds).toBe(true);
  const centred = await fitted({ dtype: "float64", from: -0.5, optimizer: sgd(0.3) });
  expect(centred.holds).toBe(true);
  for (const { objective } of [best, centred]) expect(objective).toBeCloseTo(0.48545, 4);
  // In float32 the two columns differ by too little.
  const rounded = await fitted({ dtype: "float32", optimizer: newton() });
  expect(rounded.short.join()).toContain(`${slow}float64, or columns of one size around 0`);
  expect((await fitted({ dtype: "float32", from: -0.5, optimizer: newton() })).holds).toBe(true);
});
