// Prices that are known only together: requirements whose gradients depend on each other.
import { atMost, hard, minimise, quadratic } from "@pliant/core";
import { NdArray, type Tensor } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kktStep } from "../src/certificate/newton-kkt.js";
import { determined } from "../src/certificate/undetermined.js";
import { float64 } from "./float64.js";
import { modelOf, pointOf } from "./models.js";

/** Half-spaces aᵢ·x ≤ 0 through the origin, all tight, at these prices; the objective follows. */
async function knownOf(
  rows: readonly (readonly number[])[],
  { prices = rows.map(() => 1), cost = hard }: { prices?: readonly number[]; cost?: typeof hard } = {},
) {
  const n = rows[0].length;
  const pull = rows[0].map((_, j) => rows.reduce((sum, row, i) => sum + prices[i] * row[j], 0));
  const A = new NdArray(Float64Array.from(rows.flat()), [rows.length, n]);
  const task = minimise({
    params: { x: float64(new Array(n).fill(0)) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) =>
      x
        .pow(2)
        .mul(0.5)
        .sub(x.mul(float64(pull)))
        .sum(),
  }).subjectTo({ rows: atMost(0, (x) => x.reshape([1, n]).mul(A).sum({ axis: 1 }), { cost }) });
  const { model } = await modelOf(task);
  const step = await kktStep(model, pointOf(model, new Array(n).fill(0), prices));
  return { ...(await determined(model, step)), step, model };
}

const setsOf = async (...of: Parameters<typeof knownOf>) =>
  (await knownOf(...of)).together.map((set) => set.sort((a, b) => a - b));

describe("prices", () => {
  test("of independent rows are determined", async () => {
    expect(await setsOf([[1, 0]])).toEqual([]);
    expect(
      await setsOf([
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 1],
      ]),
    ).toEqual([]);
    // Almost alike is not alike.
    expect(
      await setsOf([
        [1, 0],
        [1, 0.1],
      ]),
    ).toEqual([]);
  });

  test("of a duplicated row are determined together, in any units, and others separately", async () => {
    for (const unit of [1e-4, -1, 1, 1e4])
      expect(
        await setsOf([
          [1, 2, 0],
          [0, 0, 1],
          [unit, 2 * unit, 0],
        ]),
      ).toEqual([[0, 2]]);
  });

  test("of one row too many at a vertex are determined together", async () => {
    const [set, ...more] = await setsOf([
      [1, 0],
      [0, 1],
      [1, 1],
    ]);
    expect([set, more]).toEqual([[0, 1, 2], []]);
    // Two rows too many, each with those that make it.
    const two = await setsOf([
      [1, 0, 0],
      [0, 1, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
    expect(two.sort((a, b) => a[0] - b[0])).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  test("of linearly dependent rows are found, as many as are redundant", async () => {
    const entry = fc.integer({ min: -3, max: 3 });
    const shape = fc.record({
      mix: fc.array(fc.constantFrom(-2, -1, 1, 2), { minLength: 2, maxLength: 2 }),
      noise: fc.array(entry, { minLength: 12, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ mix, noise }) => {
        const base = [0, 1, 2].map((i) =>
          Array.from({ length: 4 }, (_, j) => (i === j ? 4 : 0) + 0.3 * noise[4 * i + j]),
        );
        const made = base[0].map((a, j) => mix[0] * a + mix[1] * base[1][j]);
        expect(await setsOf([...base, made])).toEqual([[0, 1, 3]]);
      }),
      { numRuns: 15 },
    );
  });

  test("of soft requirements are determined by how far they give way", async () => {
    const twice = [
      [1, 0],
      [1, 0],
    ];
    expect(await setsOf(twice, { cost: quadratic(0.5), prices: [1, 1] })).toEqual([]);
  });

  test("that pull only because gradients do not quite cancel belong to no multiplier", async () => {
    const disc = (y: number) => (x: Tensor) =>
      x
        .sub(float64([0, y]))
        .pow(2)
        .sum();
    const { model } = await modelOf(
      minimise({
        params: { x: float64([0, 0]) },
        forward: ({ x }: { x: Tensor }, _: Tensor) => x,
        objective: (x) => x.sum(),
      }).subjectTo({ up: atMost(1, disc(1), { hard: true }), down: atMost(1, disc(-1), { hard: true }) }),
    );
    // At (−x, 0) prices of 1/4x each hold the first parameter, and what they differ by the second.
    const x = 5e-5;
    const step = await kktStep(model, pointOf(model, [-x, 0], [0.25 / x + 0.25, 0.25 / x - 0.25]));
    const { together, hanging } = await determined(model, step);
    expect(together).toEqual([expect.arrayContaining([0, 1])]);
    expect(hanging).toBeGreaterThan(0.5);
  });

  test("of slack requirements are not part of it", async () => {
    const task = minimise({
      params: { x: float64([0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.sub(2).pow(2).sum(),
    }).subjectTo({
      tight: atMost(1, (x) => x, { cost: hard }),
      slack: atMost(5, (x) => x, { cost: hard }),
    });
    const { model } = await modelOf(task);
    const step = await kktStep(model, pointOf(model, [1], [2, 0]));
    expect((await determined(model, step)).together).toEqual([]);
  });
});

test("rounding moves prices more the less their requirements differ: by 1/sin of the angle between two", async () => {
  for (const angle of [Math.PI / 2, 0.3, 0.03]) {
    const [a, b] = [
      [1, 0],
      [Math.cos(angle), Math.sin(angle)],
    ];
    const { left, step, model } = await knownOf([a, b]);
    const { bent, gain, t, d } = step.scales;
    // In natural units, over √d, the angle is another.
    const cosine = (a[0] * b[0]) / d[0] / Math.sqrt(t[0] * t[1]);
    const rounded = model.epsilon * Math.sqrt(2 * (bent + gain)) + step.dropped;
    for (const [i, r] of left.entries())
      expect((r * Math.sqrt(t[i])) / rounded).toBeCloseTo(1 / Math.sqrt(1 - cosine ** 2), 6);
  }
});
