// Every built-in cost with random parameters, a user's cost beside them, and random vectors with zeros and ties.
import fc from "fast-check";
import { type Cost, customCost, free, hard, huber, linear, maximum, power, quadratic } from "../src/index.js";

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
/** 0.01 … 100, evenly over magnitudes. */
const weight = between(-2, 2).map((e) => 10 ** e);

/** The number of requirements of every vector here: costs with a list of weights need to know. */
export const requirements = 4;
const weights = fc.oneof(weight, fc.array(weight, { minLength: requirements, maxLength: requirements }));

export interface Family {
  readonly costs: fc.Arbitrary<Cost>;
  readonly smooth: boolean;
  /** Only its value is written. */
  readonly derived?: boolean;
}

export const families: Record<string, Family> = {
  quadratic: { costs: weights.map(quadratic), smooth: true },
  linear: { costs: weights.map(linear), smooth: true },
  "power, β > 2": { costs: fc.tuple(between(2.01, 8), weights).map(([b, a]) => power(b, a)), smooth: true },
  "power, β < 2": { costs: fc.tuple(between(1.1, 1.99), weights).map(([b, a]) => power(b, a)), smooth: true },
  maximum: { costs: weight.map(maximum), smooth: false },
  huber: { costs: fc.tuple(weights, weights).map(([a, d]) => huber(a, d)), smooth: true },
  hard: { costs: fc.constant(hard), smooth: false },
  free: { costs: fc.constant(free), smooth: true },
  "a user's": {
    costs: weight.map((a) =>
      customCost({
        name: `cosh(${a})`,
        value: (u) => u.exp().add(u.neg().exp()).mul(0.5).sub(1).mul(a).sum(),
      }),
    ),
    smooth: true,
    derived: true,
  },
};

const element = fc.oneof(
  between(0, 10),
  between(-3, 1).map((e) => 10 ** e),
  fc.constantFrom(0, 0.5, 1, 3),
);

/** Relaxations or prices. */
export const vectors = fc.array(element, { minLength: requirements, maxLength: requirements });
/** The same with negative elements. */
export const signed = fc
  .tuple(vectors, fc.array(fc.constantFrom(1, 1, -1), { minLength: requirements, maxLength: requirements }))
  .map(([v, signs]) => v.map((x, i) => x * signs[i]));
export const steps = fc.oneof(weight, fc.array(weight, { minLength: requirements, maxLength: requirements }));

export type Vector = readonly number[];
export const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const minus = (a: Vector, b: Vector): number[] => a.map((x, i) => x - b[i]);

/** a ≥ b but for rounding of numbers as large as those that entered. */
export function atLeast(a: number, b: number, ...entered: number[]): void {
  const size = Math.max(1, ...[a, b, ...entered].filter(Number.isFinite).map(Math.abs));
  if (!(a >= b - 1e-10 * size)) throw new Error(`${a} is below ${b}`);
}
export function close(a: number, b: number, ...entered: number[]): void {
  if (a === b) return;
  const size = Math.max(1, ...[a, b, ...entered].filter(Number.isFinite).map(Math.abs));
  if (!(Math.abs(a - b) <= 1e-10 * size)) throw new Error(`${a} is not ${b}`);
}
export const allClose = (a: Vector, b: Vector, ...entered: number[]): void => {
  if (a.length !== b.length) throw new Error(`${a.length} elements, not ${b.length}`);
  for (const [i, x] of a.entries()) close(x, b[i], ...entered);
};
