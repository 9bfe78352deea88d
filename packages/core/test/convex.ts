// Random small convex problems, ½‖x − c‖² with half-spaces aᵢ·x ≤ bᵢ, some of which contradict each other.

import { atMost, type Cost, minimise, quadratic, type Requirement, sgd } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import fc from "fast-check";
import { float64 } from "./float64.js";

export interface Convex {
  readonly centre: readonly number[];
  /** Of length 1. */
  readonly rows: readonly (readonly number[])[];
  readonly levels: readonly number[];
}

const coordinate = fc.integer({ min: -20, max: 20 }).map((x) => x / 10);

/** Half-spaces come with a level, and with their opposite where `torn`: no point is in both. */
export const convex = (torn: boolean): fc.Arbitrary<Convex> =>
  fc.integer({ min: 2, max: 4 }).chain((n) =>
    fc
      .record({
        centre: fc.array(coordinate, { minLength: n, maxLength: n }),
        sides: fc.array(
          fc.record({
            row: fc
              .array(coordinate, { minLength: n, maxLength: n })
              .filter((a) => Math.hypot(...a) > 0.1)
              .map((a) => a.map((x) => x / Math.hypot(...a))),
            // With positive levels 0 meets them all.
            level: coordinate.map((x) => Math.abs(x) + 0.1),
          }),
          { minLength: 1, maxLength: 3 },
        ),
      })
      .map(({ centre, sides }) => {
        const opposite = torn
          ? sides.map(({ row, level }) => ({ row: row.map((x) => -x), level: -level - 0.5 }))
          : [];
        const all = [...sides, ...opposite];
        return { centre, rows: all.map(({ row }) => row), levels: all.map(({ level }) => level) };
      }),
  );

export type Point = { x: Tensor };

/** Requirements r0, r1, …, from a start. */
export function problemOf(
  { centre, rows, levels }: Convex,
  { cost = quadratic(0.5), start = centre.map(() => 0) }: { cost?: Cost; start?: readonly number[] } = {},
) {
  const requirements: Record<string, Requirement<Tensor, Tensor>> = {};
  for (const [i, row] of rows.entries()) {
    requirements[`r${i}`] = atMost(levels[i], (x) => x.mul(float64(row)).sum());
  }
  return minimise({
    params: { x: float64(start) },
    forward: ({ x }: Point, _: Tensor) => x,
    objective: (x) => x.sub(float64(centre)).pow(2).mul(0.5).sum(),
  }).subjectTo(requirements, { cost });
}

export const exactly = {
  data: float64([0]),
  optimizer: sgd(0.4),
  dualRate: 0.3,
  tolerance: 1e-8,
  steps: 20_000,
  every: 100,
};
