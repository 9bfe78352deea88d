// Refuses a cost that is not one. Every property is tried at the same points each time, in float64, and the first that
// fails is named with the place where it does. Points cannot prove a property; they catch the mistakes people make.
import { evaluate } from "@pliant/engine";
import { PliantError } from "../errors.js";
import type { Cost } from "./cost.js";
import { float64, onNumbers } from "./numbers.js";

/** Where `checkCost` tries a cost. */
export interface CheckOptions {
  /** How many requirements to try it with; a cost with a list of weights takes as many. */
  requirements?: number;
  /** The largest relaxation to try. */
  largest?: number;
}

type Point = readonly number[];

/** Throws a sentence that says which property fails and where; answers the cost. */
export function checkCost(cost: Cost, { requirements = 3, largest = 10 }: CheckOptions = {}): Cost {
  const samples = pointsWithin(requirements, largest);
  const zero = samples[0].map(() => 0);
  const [atZero] = valuesAt(cost, [zero]);
  if (atZero !== 0) refuse(cost, `is not 0 without relaxation: h(${show(zero)}) = ${show(atZero)}`);
  checkValues(cost, samples, largest);
  checkGradient(cost, samples);
  if (cost.separable) checkSeparable(cost, samples);
  checkProx(cost, samples.slice(0, 9));
  checkDual(cost, samples.slice(0, 9));
  return cost;
}

function refuse(cost: Cost, reason: string): never {
  throw new PliantError(`The cost ${cost.name} ${reason}.`);
}

function show(value: number | Point): string {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return `[${value.map(show).join(", ")}]`;
}

/** What rounding may explain between numbers of this size. */
const rounding = (...values: number[]): number =>
  1e-9 * Math.max(1e-3, ...values.filter(Number.isFinite).map(Math.abs));

const dot = (a: Point, b: Point): number => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** h at many points, in one evaluation. NaN is refused, and so is −∞. */
function valuesAt(cost: Cost, points: readonly Point[]): number[] {
  return evaluate(points.map((u) => cost.value(float64(u)))).map((result, i) => {
    if (result.size !== 1)
      refuse(cost, `has a value of shape [${result.shape}] where it needs one number; take its sum`);
    const value = result.item();
    if (Number.isNaN(value) || value === -Infinity) refuse(cost, `is ${value} at u = ${show(points[i])}`);
    return value;
  });
}

/** Points of all magnitudes up to `largest`, some on an axis, some with equal elements. */
function pointsWithin(m: number, largest: number): Point[] {
  const spread = (k: number, i: number) => (k * Math.sqrt(2 + 3 * i)) % 1;
  return Array.from({ length: 24 }, (_, k) =>
    Array.from({ length: m }, (_, i) => {
      if (k % 4 === 1 && k % m !== i) return 0;
      return largest * 10 ** (-3 * spread(k + 1, k % 4 === 2 ? 0 : i));
    }),
  );
}

/** The same point but for one element. */
const moved = (u: Point, axis: number, to: number): Point => u.map((x, i) => (i === axis ? to : x));

/** Along every axis from 0 and from a sample, and between samples: h rises and lies below its chords. */
function checkValues(cost: Cost, samples: readonly Point[], largest: number): void {
  const checkChord = ([a, b]: readonly Point[], [ha, hb]: readonly number[], middle: Point, h: number) => {
    const chord = (ha + hb) / 2;
    if (h <= chord + rounding(ha, hb)) return;
    refuse(
      cost,
      `is not convex: h(${show(middle)}) = ${show(h)}, above ${show(chord)}, the mean of h(${show(a)}) = ${show(ha)} and h(${show(b)}) = ${show(hb)}`,
    );
  };
  for (const start of [samples[0].map(() => 0), samples[0]]) {
    for (const axis of start.keys()) {
      const path = Array.from({ length: 41 }, (_, k) => moved(start, axis, start[axis] + (largest * k) / 40));
      const values = valuesAt(cost, path);
      for (let k = 1; k < path.length; k++) {
        const [a, b, ha, hb] = [path[k - 1], path[k], values[k - 1], values[k]];
        if (!(hb >= ha - rounding(ha, hb)))
          refuse(cost, `is not increasing: h(${show(a)}) = ${show(ha)}, but h(${show(b)}) = ${show(hb)}`);
        if (k > 1) checkChord([path[k - 2], b], [values[k - 2], hb], a, ha);
      }
    }
  }
  const values = valuesAt(cost, samples);
  const pairs = samples.flatMap((_, i) => samples.slice(0, i).map((_, j) => [i, j]));
  const middles = pairs.map(([i, j]) => samples[i].map((x, n) => (x + samples[j][n]) / 2));
  for (const [k, between] of valuesAt(cost, middles).entries()) {
    const ends = pairs[k];
    checkChord(
      ends.map((i) => samples[i]),
      ends.map((i) => values[i]),
      middles[k],
      between,
    );
  }
}

/** Refuses p below 0, and where a function of h is larger there than at another point: one near it, or one of some far away. */
function checkMinimum(
  cost: Cost,
  p: Point,
  samples: readonly Point[],
  { what, of, besides }: { what: string; of: string; besides: (u: Point) => number },
): void {
  if (p.some((x) => !(x >= 0))) refuse(cost, `has a wrong ${what}`);
  const near = p.flatMap((x, axis) =>
    [-1, 1].map((side) => moved(p, axis, Math.max(0, x + side * (1e-3 * x + 1e-6)))),
  );
  const points = [p, ...near, ...samples];
  const values = valuesAt(cost, points).map((h, i) => h + besides(points[i]));
  const better = values.findIndex((x) => !(values[0] <= x + rounding(values[0], x) * 1e-3));
  if (better < 0) return;
  const by = show(values[0] - values[better]);
  refuse(cost, `has a wrong ${what}, but ${of} is less by ${by} at ${show(points[better])}`);
}

/** λ is a gradient at u where u minimises h(x) − λ·x, kinks included. */
function checkGradient(cost: Cost, samples: readonly Point[]): void {
  const values = valuesAt(cost, samples);
  for (const [k, u] of samples.entries()) {
    const lambda = onNumbers(cost).gradient(u);
    const what = `gradient at u = ${show(u)}: it answers ${show(lambda)}`;
    if (lambda.length !== u.length || lambda.some(Number.isNaN)) refuse(cost, `has a wrong ${what}`);
    if (values[k] === Infinity) continue;
    checkMinimum(cost, u, samples, { what, of: "h(x) − λ·x", besides: (x) => -dot(lambda, x) });
  }
}

function checkSeparable(cost: Cost, samples: readonly Point[]): void {
  const whole = valuesAt(cost, samples);
  for (const [k, u] of samples.entries()) {
    const parts = valuesAt(
      cost,
      u.map((x, axis) =>
        moved(
          u.map(() => 0),
          axis,
          x,
        ),
      ),
    );
    const sum = parts.reduce((a, b) => a + b, 0);
    if (sum === whole[k] || Math.abs(sum - whole[k]) <= rounding(sum)) continue;
    refuse(
      cost,
      `is not separable as it says: h(${show(u)}) = ${show(whole[k])}, but its requirements one by one sum to ${show(sum)}`,
    );
  }
}

function checkProx(cost: Cost, samples: readonly Point[]): void {
  for (const [k, u] of samples.entries()) {
    const t = [0.1, 1, 10][k % 3];
    const v = u.map((x, i) => (i === k % 5 ? -x : x));
    const p = onNumbers(cost).prox(v, t);
    const what = `prox at v = ${show(v)}, t = ${t}: it answers ${show(p)}`;
    const besides = (x: Point) => x.reduce((sum, xi, i) => sum + (xi - v[i]) ** 2, 0) / (2 * t);
    checkMinimum(cost, p, samples, { what, of: "h(x) + ‖x − v‖²/2t", besides });
  }
}

/** What belongs to the prices that h itself asks for: its minimiser, the conjugate there, and that they are let be. */
function checkDual(cost: Cost, samples: readonly Point[]): void {
  const { gradient, conjugateGradient, conjugate, projectDual } = onNumbers(cost);
  for (const u of samples) {
    const lambda = gradient(u);
    if (!lambda.every(Number.isFinite)) continue;
    const w = conjugateGradient(lambda);
    const what = `conjugateGradient at λ = ${show(lambda)}: it answers ${show(w)}`;
    checkMinimum(cost, w, samples, { what, of: "h(x) − λ·x", besides: (x) => -dot(lambda, x) });
    const expected = dot(lambda, w) - valuesAt(cost, [w])[0];
    const found = conjugate(lambda);
    if (!(Math.abs(found - expected) <= rounding(expected, dot(lambda, w))))
      refuse(
        cost,
        `has a wrong conjugate: h*(${show(lambda)}) is ${show(expected)}, it answers ${show(found)}`,
      );
    const projected = projectDual(lambda);
    if (!projected.every((x, i) => Math.abs(x - lambda[i]) <= rounding(x, lambda[i])))
      refuse(
        cost,
        `has a wrong projectDual: ∇h(${show(u)}) = ${show(lambda)} is admissible, it answers ${show(projected)}`,
      );
  }
}
