// Costs whose slope stops rising: at that price any relaxation is as good, and what the requirement is decides. Minima are worked out by
// hand; rates set themselves.
import {
  atLeast,
  atMost,
  type Cost,
  huber,
  linear,
  maximum,
  minimise,
  type Requirement,
  solve,
} from "@pliant/core";
import { array, type DType, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

const bowl = (curvature: number, slope: number) => (x: Tensor) =>
  x.pow(2).mul(curvature).add(x.mul(slope)).sum();

function solved(
  objective: (x: Tensor) => Tensor,
  requirement: Requirement<Tensor, Tensor>,
  { dtype = "float32", cost }: { dtype?: DType; cost: Cost },
) {
  const task = minimise({
    params: { x: array([0], { dtype }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective,
  }).subjectTo({ a: requirement }, { cost });
  return solve(task, { data: array([0], { dtype }), backend: reference(), steps: 2000 });
}

describe("a relaxation at the price above which nothing more is asked", () => {
  // 0.56 x + 6.536 = 0.128 λ at λ = 0.7944; u = 1.33 − 0.128 x.
  const x = (0.128 * 0.7944 - 6.536) / 0.56;
  const [curved, requirement] = [
    (x: Tensor) => bowl(0.28, 6.536)(x).add(10),
    atLeast<Tensor, Tensor>(1.33, (x) => x.mul(0.128).sum()),
  ];
  test.each<[string, Cost, DType]>([
    ["linear", linear(0.7944), "float32"],
    ["linear, in double precision", linear(0.7944), "float64"],
    ["maximum", maximum(0.7944), "float32"],
    ["huber", huber(0.7944, 0.5), "float32"],
  ])("is what the requirement is beyond its level: %s", async (_, cost, dtype) => {
    const { certificate, report, params } = await solved(curved, requirement, { cost, dtype });
    expect(certificate.short).toEqual([]);
    expect(Math.abs(params.x.item() - x)).toBeLessThan(0.01);
    const { price, relaxation, reached } = report.requirements.a;
    expect(price).toBeCloseTo(0.7944, 5);
    expect(relaxation).toBeCloseTo(1.33 - reached, 3);
  });
  test("is 0 where the requirement holds at less than that", async () => {
    const cost = linear(10);
    const { certificate, report } = await solved(
      (x) => x.sub(3).pow(2).sum(),
      atMost(1, (x) => x.sum()),
      { cost },
    );
    expect(certificate.short).toEqual([]);
    expect(report.requirements.a.relaxation).toBe(0);
    expect(report.requirements.a.price).toBeCloseTo(4, 2);
  });
});
