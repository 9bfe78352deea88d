// What must hold and cannot: the certificate says that prices grow in vain and who is in conflict, and of what can be had it never does.
import {
  adam,
  atLeast,
  atMost,
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
    ["a little apart", { a: most(1), b: least(1.005) }, newton()],
  ])("are named as in conflict: %s", async (_, requirements, optimizer, steps) => {
    const { certificate } = await solved(requirements, optimizer, steps);
    expect(certificate.holds).toBe(false);
    expect(certificate.short).toEqual([
      "prices still grow, and in vain: a and b conflict, as far as steps can show; let one bend, or loosen a level",
    ]);
  });
  test("one alone cannot hold at its level", async () => {
    const square = atMost<Tensor, Tensor>(-1, (v) => v.pow(2).sum(), { hard: true });
    const { certificate } = await solved({ square, b: most(5) }, newton());
    expect(certificate.short).toEqual([
      expect.stringMatching(
        /: square cannot hold at its level, as far as steps can show; let it bend, or loosen it$/,
      ),
    ]);
  });
});

test.each([1, 25, 100, 400])("of what can be had none is said to conflict after %i steps", async (steps) => {
  for (const optimizer of [newton(), sgd(0.05), adam(0.03)]) {
    const { certificate } = await solved({ a: most(1), b: least(0.9), c: most(1) }, optimizer, steps);
    expect(certificate.short.filter((sentence) => sentence.includes("conflict"))).toEqual([]);
  }
});

test.each([
  ["adam(0.03)", adam(0.03), 1000],
  ["adam(0.001)", adam(1e-3), 100],
])("nor of what is a long way off, at the pace of %s", async (_, optimizer, level) => {
  const { certificate, params } = await solved({ far: least(level) }, optimizer, 2000);
  expect(params.x.data[0]).toBeGreaterThan(1.5);
  expect(params.x.data[0]).toBeLessThan(level / 4);
  expect(certificate.short.filter((sentence) => sentence.includes("in vain"))).toEqual([]);
});
