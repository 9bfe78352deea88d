// One smooth problem in any units: parameters, requirements and objective are each counted in units of their own.
import { atMost, equals, hard, minimise, quadratic } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import type { Vector } from "../src/certificate/vectors.js";
import { float64 } from "./float64.js";
import { modelOf } from "./models.js";

export interface Units {
  /** What one of each parameter is. */
  readonly parameters: readonly [number, number, number];
  readonly ceiling: number;
  readonly soft: number;
  readonly fixed: number;
  readonly objective: number;
}

export const plain: Units = { parameters: [1, 1, 1], ceiling: 1, soft: 1, fixed: 1, objective: 1 };

/** min Σ (eˣ − 2x) + ½(a − b)² + c⁴, with a + b² ≤ 0.5 (hard), b + c ≤ −0.2 (α = 1) and a − c = 0.1. */
export async function inUnits({ parameters, ceiling, soft, fixed, objective }: Units) {
  const part = (x: Tensor, j: number): Tensor => x.slice([[j, j + 1]]).mul(parameters[j]);
  const task = minimise({
    params: { x: float64([0, 0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => [part(x, 0), part(x, 1), part(x, 2)] as const,
    objective: (at) => {
      const [a, b, c] = at;
      const each = at.map((x) => x.exp().sub(x.mul(2))).reduce((x, y) => x.add(y));
      return each.add(a.sub(b).pow(2).mul(0.5)).add(c.pow(4)).mul(objective).sum();
    },
  }).subjectTo({
    ceiling: atMost(0.5 * ceiling, ([a, b]) => a.add(b.pow(2)).mul(ceiling), { cost: hard }),
    soft: atMost(-0.2 * soft, ([, b, c]) => b.add(c).mul(soft), {
      cost: quadratic(objective / soft ** 2),
    }),
    fixed: equals(0.1 * fixed, ([a, , c]) => a.sub(c).mul(fixed), { cost: hard }),
  });
  const made = await modelOf(task);
  const requirements = [ceiling, soft, fixed];
  return {
    ...made,
    /** A point of the plain problem in these units. */
    point: (x: readonly number[], prices: readonly number[], relaxations: readonly number[]) => ({
      x: Float64Array.from(x, (v, j) => v / parameters[j]) as Vector,
      prices: Float64Array.from(prices, (v, i) => (v * objective) / requirements[i]) as Vector,
      relaxations: Float64Array.from(relaxations, (v, i) => v * requirements[i]) as Vector,
    }),
  };
}
