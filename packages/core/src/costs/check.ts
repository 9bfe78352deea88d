// Refuses a cost that is not one. Every property is tried at the same points each time, in float64, and the first that
// fails is named with the place where it does. Points cannot prove a property; they catch the mistakes people make.
import { checkMinimisers } from "./check-minimisers.js";
import type { Cost } from "./cost.js";
import { onNumbers } from "./numbers.js";
import { type Point, refuse, rounding, show, valuesAt } from "./trial.js";

/** Where `checkCost` tries a cost. */
export interface CheckOptions {
  /** How many requirements to try it with; a cost with a list of weights takes as many. */
  requirements?: number;
  /** The largest relaxation to try. */
  largest?: number;
}

/** Throws a sentence that says which property fails and where; answers the cost. */
export function checkCost(cost: Cost, { requirements = 3, largest = 10 }: CheckOptions = {}): Cost {
  const samples = pointsWithin(requirements, largest);
  const zero = samples[0].map(() => 0);
  const [atZero] = valuesAt(cost, [zero]);
  if (atZero !== 0) refuse(cost, `is not 0 without relaxation: h(${show(zero)}) = ${show(atZero)}`);
  checkValues(cost, samples, largest);
  checkGradient(cost, samples);
  if (cost.separable) checkSeparable(cost, samples);
  checkMinimisers(cost, samples);
  return cost;
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

/** Along every axis from 0 and from a sample, and between samples: h rises and lies below its chords. */
function checkValues(cost: Cost, samples: readonly Point[], largest: number): void {
  const steps = Array.from({ length: 41 }, (_, k) => (largest * k) / 40);
  const starts = [samples[0].map(() => 0), samples[0]];
  for (const start of starts) {
    for (const axis of start.keys()) {
      const path = steps.map((s) => start.map((x, i) => (i === axis ? x + s : x)));
      const values = valuesAt(cost, path);
      for (let k = 1; k < path.length; k++) {
        checkRise(cost, path[k - 1], values[k - 1], path[k], values[k]);
        if (k > 1)
          checkChord(cost, path[k - 2], values[k - 2], path[k], values[k], path[k - 1], values[k - 1]);
      }
    }
  }
  const values = valuesAt(cost, samples);
  const pairs = samples.flatMap((_, i) => samples.slice(0, i).map((_, j) => [i, j] as const));
  const middles = pairs.map(([i, j]) => samples[i].map((x, n) => (x + samples[j][n]) / 2));
  const between = valuesAt(cost, middles);
  for (const [k, [i, j]] of pairs.entries()) {
    checkChord(cost, samples[i], values[i], samples[j], values[j], middles[k], between[k]);
  }
}

function checkRise(cost: Cost, a: Point, ha: number, b: Point, hb: number): void {
  if (hb >= ha - rounding(ha, hb)) return;
  refuse(cost, `is not increasing: h(${show(a)}) = ${show(ha)}, but h(${show(b)}) = ${show(hb)}`);
}

function checkChord(cost: Cost, a: Point, ha: number, b: Point, hb: number, middle: Point, h: number): void {
  const chord = (ha + hb) / 2;
  if (h <= chord + rounding(ha, hb)) return;
  refuse(
    cost,
    `is not convex: h(${show(middle)}) = ${show(h)}, above ${show(chord)}, the mean of h(${show(a)}) = ${show(ha)} and h(${show(b)}) = ${show(hb)}`,
  );
}

/** Difference quotients to the left and to the right enclose every subgradient of a convex function, kinks included. */
function checkGradient(cost: Cost, samples: readonly Point[]): void {
  const at = valuesAt(cost, samples);
  for (const [k, u] of samples.entries()) {
    const gradient = onNumbers(cost).gradient(u);
    if (gradient.length !== u.length) {
      refuse(cost, `has a gradient of ${gradient.length} elements at u = ${show(u)}, which has ${u.length}`);
    }
    if (gradient.some(Number.isNaN)) refuse(cost, `has the gradient ${show(gradient)} at u = ${show(u)}`);
    if (at[k] === Infinity) continue;
    const width = u.map((x) => 1e-4 * (x > 0 ? x : 1));
    const moved = (axis: number, by: number) => u.map((x, i) => (i === axis ? Math.max(0, x + by) : x));
    const right = valuesAt(
      cost,
      u.map((_, axis) => moved(axis, width[axis])),
    );
    const left = valuesAt(
      cost,
      u.map((_, axis) => moved(axis, -width[axis])),
    );
    for (const [axis, slope] of gradient.entries()) {
      const tolerance = 1e-6 * Math.abs(slope) + (rounding(at[k]) * 1e-2) / width[axis];
      const upper = (right[axis] - at[k]) / width[axis];
      const lower = u[axis] > 0 ? (at[k] - left[axis]) / width[axis] : -Infinity;
      if (slope >= lower - tolerance && slope <= upper + tolerance) continue;
      const seen =
        lower === -Infinity ? `at most ${show(upper)}` : `between ${show(lower)} and ${show(upper)}`;
      refuse(
        cost,
        `has a gradient that disagrees with its value: element ${axis} at u = ${show(u)} is ${show(slope)}, but differences of h give ${seen}`,
      );
    }
  }
}

function checkSeparable(cost: Cost, samples: readonly Point[]): void {
  const whole = valuesAt(cost, samples);
  for (const [k, u] of samples.entries()) {
    const parts = valuesAt(
      cost,
      u.map((_, axis) => u.map((x, i) => (i === axis ? x : 0))),
    );
    const sum = parts.reduce((a, b) => a + b, 0);
    if (sum === whole[k] || Math.abs(sum - whole[k]) <= rounding(sum)) continue;
    refuse(
      cost,
      `is not separable as it says: h(${show(u)}) = ${show(whole[k])}, but its requirements one by one sum to ${show(sum)}`,
    );
  }
}
