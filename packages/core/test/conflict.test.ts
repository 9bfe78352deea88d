// What must hold and cannot: the certificate says that prices grow in vain and who is in conflict, and of what can be had it never does.
import {
  adam,
  atLeast,
  atMost,
  equals,
  minimise,
  newton,
  type Optimizer,
  type Requirement,
  sgd,
  solve,
} from "@pliant/core";
import { array, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

type Named = Record<string, Requirement<Tensor, Tensor>>;
const x = (v: Tensor): Tensor => v.sum();
const [most, least] = [
  (level: number) => atMost<Tensor, Tensor>(level, x, { hard: true }),
  (level: number) => atLeast<Tensor, Tensor>(level, x, { hard: true }),
];

/** min (x − 3)². */
const solved = (requirements: Named, optimizer: Optimizer, steps = 1500) =>
  solve(
    minimise({
      params: { x: array([0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (v) => v.sub(3).pow(2).sum(),
    }).subjectTo(requirements),
    { data: array([0]), backend: reference(), optimizer, steps },
  );

describe("requirements that must hold and cannot", () => {
  test.each<[string, Named, Optimizer, number?]>([
    ["far apart, by newton", { a: most(-1), b: least(1) }, newton()],
    ["far apart, by adam", { a: most(-1), b: least(1) }, adam(0.03), 4000],
    // Prices cancel, and the model is back where it is without them: b is met there.
    ["a little apart", { a: most(1), b: least(1.05) }, newton()],
  ])("are named as in conflict: %s", async (_, requirements, optimizer, steps) => {
    const { certificate } = await solved(requirements, optimizer, steps);
    expect(certificate.holds).toBe(false);
    expect(certificate.short).toEqual(["infeasible: a and b conflict; let one give way, or loosen a level"]);
  });
  test("one alone cannot hold at its level", async () => {
    const square = atMost<Tensor, Tensor>(-1, (v) => v.pow(2).sum(), { hard: true });
    const { certificate } = await solved({ square, b: most(5) }, newton());
    expect(certificate.short).toEqual([
      expect.stringMatching(/^infeasible: square cannot hold at its level; let it give way, or loosen it$/),
    ]);
  });
});

describe("requirements that bend", () => {
  const inPlane = (requirements: Named) =>
    solve(
      minimise({
        params: { x: array([0.3, -0.2]) },
        forward: ({ x }: { x: Tensor }, _: Tensor) => x,
        objective: (v) => v.mul(v).sum(),
      }).subjectTo(requirements),
      { data: array([0]), backend: reference(), steps: 25 },
    );
  const disc = (centre: number, scale = 1) =>
    atMost<Tensor, Tensor>(scale, (v) => v.sub(centre).pow(2).sum().mul(scale), { hard: true });
  const right = (level: number) =>
    atLeast<Tensor, Tensor>(level, (v) => v.slice([[0, 1]]).sum(), { hard: true });
  const beyond = (distance: number) =>
    atMost<Tensor, Tensor>(
      1,
      (v) =>
        v
          .slice([[0, 1]])
          .sum()
          .sub(distance)
          .mul(-3)
          .exp(),
      { hard: true },
    );
  test.each<[string, Named]>([
    ["a disc and a half plane far from it", { a: disc(0), b: right(3) }],
    ["a little apart, in units of their own", { a: disc(0, 1e4), b: right(1.1) }],
    ["two discs", { a: disc(0), b: disc(3) }],
    ["a disc and what it misses by many times its level", { a: disc(0), b: beyond(6) }],
  ])("are named as in conflict: %s", async (_, requirements) => {
    const { certificate } = await inPlane({ ...requirements, fine: right(-5) });
    expect(certificate.short).toEqual(["infeasible: a and b conflict; let one give way, or loosen a level"]);
  });
  test("are not where they meet", async () => {
    for (const requirements of [
      { a: disc(0), b: right(0.99) },
      { a: disc(0), b: disc(1.4) },
    ])
      expect((await inPlane(requirements)).certificate.short).toEqual([]);
  });
});

test.each([1, 25, 100, 400])(
  "feasible requirements are not reported as conflicting after %i steps",
  async (steps) => {
    for (const optimizer of [newton(), sgd(0.05), adam(0.03)]) {
      const { certificate } = await solved({ a: most(1), b: least(0.9), c: most(1) }, optimizer, steps);
      expect(certificate.short.filter((sentence) => sentence.includes("infeasible"))).toEqual([]);
    }
  },
);

test.each([
  ["adam(0.03)", adam(0.03), 1000],
  ["adam(0.001)", adam(1e-3), 100],
])("nor of what is a long way off, at the pace of %s", async (_, optimizer, level) => {
  const { certificate, params } = await solved({ far: least(level) }, optimizer, 2000);
  expect(params.x.data[0]).toBeGreaterThan(1.5);
  expect(params.x.data[0]).toBeLessThan(level / 4);
  expect(certificate.short.filter((sentence) => sentence.includes("infeasible"))).toEqual([]);
});

test("nor of what has a kink on the way to it", async () => {
  // Down its steepest slope it is met where |x| is 0, and steps by slopes alone stop at that line.
  const ridge = atMost<Tensor, Tensor>(
    1,
    (v) =>
      v
        .slice([[0, 1]])
        .abs()
        .mul(50)
        .add(
          v
            .slice([[1, 2]])
            .sub(9)
            .abs(),
        )
        .sum(),
    { hard: true },
  );
  const task = minimise({
    params: { x: array([2, 0], { dtype: "float64" }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (v) => v.mul(v).sum(),
  }).subjectTo({ ridge });
  for (const optimizer of [adam(1e-4), sgd(1e-6)]) {
    const { certificate } = await solve(task, {
      data: array([0], { dtype: "float64" }),
      backend: reference(),
      optimizer,
      steps: 600,
      every: 100,
    });
    expect(certificate.holds).toBe(false);
    expect(certificate.short.filter((sentence) => sentence.includes("infeasible"))).toEqual([]);
  }
});

// Shares of five: all of it is spent, none is sold, and three tenths at most of what nine tenths at least are asked of.
describe("among feasible requirements", () => {
  const shares = (v: Tensor, from: number, to: number): Tensor => v.slice([[from, to]]).sum();
  const spent: Named = {
    budget: equals(1, x, { hard: true }),
    long: atLeast([0, 0, 0, 0, 0], (v) => v, { hard: true }),
    sector: atMost(0.3, (v) => shares(v, 0, 2), { hard: true }),
    last: atLeast(0.2, (v) => shares(v, 4, 5), { hard: true }),
  };
  const portfolio = (requirements: Named, optimizer: Optimizer, start: number, steps: number) =>
    solve(
      minimise({
        params: { x: array([start, start, start, start, start], { dtype: "float64" }) },
        forward: ({ x }: { x: Tensor }, _: Tensor) => x,
        objective: (v) =>
          v
            .mul(v)
            .sum()
            .sub(shares(v, 0, 1)),
      }).subjectTo(requirements),
      { data: array([0], { dtype: "float64" }), backend: reference(), optimizer, steps, every: 100 },
    );
  test.each<[string, Optimizer, number]>([
    ["adam", adam(0.03), 600],
    ["sgd", sgd(0.1), 1200],
    ["newton", newton(), 600],
  ])("those in conflict are named and no others, by %s", async (_, optimizer, steps) => {
    const floor = atLeast<Tensor, Tensor>(0.9, (v) => shares(v, 0, 2), { hard: true });
    const { certificate } = await portfolio({ ...spent, floor }, optimizer, 0, steps);
    expect(certificate.short).toEqual([expect.stringContaining("infeasible: sector and floor conflict")]);
  });
  test("none is where steps are too small, or swing", async () => {
    for (const [optimizer, start] of [
      [adam(1e-5), 0],
      [adam(0.03), 1e4],
    ] as const) {
      const { certificate } = await portfolio(spent, optimizer, start, 1200);
      expect(certificate.holds).toBe(false);
      expect(certificate.short.filter((sentence) => sentence.includes("infeasible"))).toEqual([]);
    }
  });
});
