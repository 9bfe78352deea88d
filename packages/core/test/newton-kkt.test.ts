// One Newton step of the KKT system on quadratic programmes whose solution is chosen first: from any point nearby it lands there.
import { atMost, equals, hard, linear, maximum, minimise, quadratic, type Requirement } from "@pliant/core";
import { NdArray, type Tensor } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kktStep, residual } from "../src/certificate/newton-kkt.js";
import { plus, vector } from "../src/certificate/vectors.js";
import { float64 } from "./float64.js";
import { after, modelOf, near, pointOf } from "./models.js";

/** How an element is at the solution: its price, how far it gives way, and by how much it is off its level. */
interface Element {
  readonly price: number;
  readonly relaxation: number;
  readonly slack: number;
}
interface Asked {
  readonly make: "at most" | "equal to";
  readonly cost: Requirement<Tensor, Tensor>["cost"];
  readonly insisted?: boolean;
  readonly elements: readonly Element[];
}

const tight = (price: number): Element => ({ price, relaxation: 0, slack: 0 });
const gave = (price: number, relaxation: number, slack = relaxation): Element => ({
  price,
  relaxation,
  slack,
});
const loose: Element = { price: 0, relaxation: 0, slack: -3 };
const asked: Record<string, Asked> = {
  "hard and tight": { make: "at most", cost: hard, elements: [tight(0.7)] },
  "hard and slack": { make: "at most", cost: hard, elements: [loose] },
  // u = λ/2α.
  "quadratic and giving way": { make: "at most", cost: quadratic(0.5), elements: [gave(0.8, 0.8)] },
  "quadratic and slack": { make: "at most", cost: quadratic(0.5), elements: [loose] },
  "linear below its price": { make: "at most", cost: linear(2), elements: [tight(1.1)] },
  "linear at its price": { make: "at most", cost: linear(2), elements: [gave(2, 1.5)] },
  // The prices of those that give way share the budget, and all give way alike.
  "maximum at its budget": {
    make: "at most",
    cost: maximum(3),
    elements: [gave(1, 1.2), gave(2, 1.2), { ...loose, relaxation: 0 }],
  },
  "maximum below its budget": { make: "at most", cost: maximum(3), elements: [tight(0.5), tight(1)] },
  "an equality pulled up": { make: "equal to", cost: hard, elements: [tight(-0.6)] },
  "an equality pulled down": { make: "equal to", cost: hard, elements: [tight(0.6)] },
  "an equality that gives way": { make: "equal to", cost: quadratic(0.5), elements: [gave(-0.9, 0.9, -0.9)] },
  "insisted on": { make: "at most", cost: quadratic(0.5), insisted: true, elements: [tight(0.9)] },
  "insisted on as an equality": {
    make: "equal to",
    cost: quadratic(2),
    insisted: true,
    elements: [tight(-2)],
  },
};

const n = 6;
const signs = (i: number, j: number): number => Math.sin(7 * i + 13 * j + 1);

/** ½xᵀQx + cᵀx with the solution chosen: c and the levels follow. */
async function programme(parts: readonly Asked[], solution: readonly number[]) {
  const Q = vector(n * n, (k) => {
    const [i, j] = [Math.floor(k / n), k % n];
    return i === j ? 2 + i : 0.3 * signs(Math.min(i, j), Math.max(i, j));
  });
  const rows: number[][] = [];
  const elements = parts.flatMap((part) => part.elements);
  for (let r = 0; r < elements.length; r++)
    rows.push(Array.from({ length: n }, (_, j) => (j === r % n ? 1 : 0) + 0.4 * signs(r + 3, j)));
  const value = (r: number): number => rows[r].reduce((sum, a, j) => sum + a * solution[j], 0);
  const c = Array.from({ length: n }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum -= Q[j * n + i] * solution[i];
    for (const [r, { price }] of elements.entries()) sum -= rows[r][j] * price;
    return sum;
  });
  const requirements: Record<string, Requirement<Tensor, Tensor>> = {};
  let from = 0;
  for (const [k, { make, cost, elements }] of parts.entries()) {
    const own = elements.map((_, i) => from + i);
    from += elements.length;
    const A = new NdArray(Float64Array.from(own.flatMap((r) => rows[r])), [own.length, n]);
    const levels = own.map((r, i) => value(r) - elements[i].slack);
    const loss = (x: Tensor): Tensor => x.reshape([1, n]).mul(A).sum({ axis: 1 });
    requirements[`r${k}`] = (make === "at most" ? atMost : equals)(levels, loss, { cost });
  }
  const task = minimise({
    params: { x: float64(solution) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => {
      const bent = x
        .reshape([1, n])
        .matmul(new NdArray(Q, [n, n]))
        .reshape([n]);
      return bent
        .mul(x)
        .sum()
        .mul(0.5)
        .add(x.mul(float64(c)).sum());
    },
  }).subjectTo(requirements);
  const insist = parts.flatMap(({ insisted }, k) => (insisted ? [`r${k}`] : []));
  const { model } = await modelOf(task, { insist });
  return {
    model,
    prices: elements.map(({ price }) => price),
    relaxations: elements.map(({ relaxation }) => relaxation),
  };
}

const solution = [0.5, -1, 2, 0.3, -0.7, 1.1];
/** A thousandth off, and so near that what is active stays it. */
const off = (values: readonly number[], by = 1e-3): number[] => values.map((x, i) => x + by * signs(i, 5));

async function lands(parts: readonly Asked[], { by }: { by?: number } = {}) {
  const { model, prices, relaxations } = await programme(parts, solution);
  const away = prices.map((x, i) => (x === 0 ? 0 : off(prices, by)[i]));
  const step = await kktStep(model, pointOf(model, off(solution, by), away, relaxations));
  expect(step.left).toBeLessThan(1e-8);
  const end = after(model, step);
  expect(end.x).toEqual(near(solution, 9));
  expect(end.prices).toEqual(near(prices, 9));
  expect(end.relaxations).toEqual(near(relaxations, 9));
  return step;
}

test("the curvature alone is that of products without requirements", async () => {
  for (const name of Object.keys(asked)) {
    const { model, prices } = await programme([asked[name]], solution);
    const at = [Float64Array.from(off(solution)), Float64Array.from(prices)] as const;
    const v = Float64Array.from(solution, (x, j) => Math.cos(j) - x);
    const { Hv } = await model.products(...at, { v });
    const alone = await model.products(...at, { v, withoutJv: true });
    expect([...alone.Hv]).toEqual(near([...Hv], 12));
  }
});

describe("a Newton step lands on the solution", () => {
  test.each(Object.keys(asked))("of a programme whose requirement is %s", async (name) => {
    await lands([asked[name]]);
  });

  test("with any three of them together", async () => {
    const some = fc.subarray(Object.keys(asked), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(some, async (names) => {
        await lands(names.map((name) => asked[name]));
      }),
      { numRuns: 20 },
    );
  });

  test("and says by how much values and the objective change on the way", async () => {
    const parts = [
      asked["hard and tight"],
      asked["quadratic and giving way"],
      asked["an equality pulled up"],
    ];
    const { model, prices } = await programme(parts, solution);
    const ones = new Float64Array(model.m).fill(1);
    const [from, to] = [off(solution, 0.1), solution].map((x) => Float64Array.from(x));
    const step = await kktStep(model, pointOf(model, [...from], off(prices, 0.1)));
    const [here, there] = [
      await model.augmented(from, step.at.prices, ones),
      await model.augmented(to, step.at.prices, ones),
    ];
    expect(step.dObjective).toBeCloseTo(there.objective - here.objective, 9);
    expect([...step.dValues]).toEqual(near([...plus(there.slacks, here.slacks, -1)]));
    expect([...step.at.slacks]).toEqual(near([...here.slacks]));
  });
});

describe("the residual", () => {
  test("is 0 at a solution, where the step is none, and not beside it", async () => {
    const parts = [
      asked["hard and tight"],
      asked["quadratic and giving way"],
      asked["maximum at its budget"],
    ];
    const { model, prices, relaxations } = await programme(parts, solution);
    const of = async (x: readonly number[], at: readonly number[]): Promise<number> => {
      const { at: seen, augmented, scales } = await kktStep(model, pointOf(model, x, at, relaxations));
      return residual(seen, augmented, scales);
    };
    expect(await of(solution, prices)).toBeLessThan(1e-12);
    expect(await of(off(solution), prices)).toBeGreaterThan(1e-4);
    expect(await of(solution, off(prices))).toBeGreaterThan(1e-4);
    const step = await kktStep(model, pointOf(model, solution, prices, relaxations));
    for (const moved of [step.dx, step.dPrices, step.dValues, [step.dObjective]])
      for (const x of moved) expect(Math.abs(x)).toBeLessThan(1e-12);
  });
});

test("a requirement is active as its cost bends: 1 for hard and tight, 0 for slack, t·2α/(1 + t·2α) for a quadratic cost", async () => {
  const parts = [asked["hard and tight"], asked["hard and slack"], asked["quadratic and giving way"]];
  const { model, prices, relaxations } = await programme(parts, solution);
  const { active, scales } = await kktStep(model, pointOf(model, solution, prices, relaxations));
  // λ⁺ = 2αv/(1 + 2αt) with v = g + tλ.
  const bends = scales.t[2] / (1 + scales.t[2]);
  expect([...active]).toEqual(near([1, 0, bends], 12));
});
