// The part of checkCost about what a solver calls: minimisers must minimise, and prices that h itself asks for must be let be.
import type { Cost } from "./cost.js";
import { onNumbers } from "./numbers.js";
import { type Point, refuse, rounding, show, valuesAt } from "./trial.js";

const dot = (a: Point, b: Point): number => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** Points near `p`, and a few far from it. */
function competitors(p: Point, others: readonly Point[]): Point[] {
  const near = p.flatMap((x, axis) =>
    [-1, 1].map((side) => p.map((y, i) => (i === axis ? Math.max(0, x + side * (1e-3 * x + 1e-6)) : y))),
  );
  return [...near, ...others];
}

export function checkMinimisers(cost: Cost, samples: readonly Point[]): void {
  const numeric = onNumbers(cost);

  const checkMinimum = (what: string, p: Point, beside: (u: Point) => number) => {
    if (p.some((x) => !(x >= 0))) refuse(cost, `has a wrong ${what}: it answers ${show(p)}`);
    const points = [p, ...competitors(p, samples)];
    const [least, ...rest] = valuesAt(cost, points).map((h, i) => h + beside(points[i]));
    for (const [i, other] of rest.entries()) {
      if (least <= other + rounding(least, other)) continue;
      const better = show(points[i + 1]);
      refuse(
        cost,
        `has a wrong ${what}: it answers ${show(p)}, where the function is ${show(least)}, but at ${better} it is ${show(other)}`,
      );
    }
  };

  for (const [k, v] of samples.slice(0, 9).entries()) {
    const t = [0.1, 1, 10][k % 3];
    const target = v.map((x, i) => (i === k % 5 ? -x : x));
    const distance = (u: Point) => u.reduce((sum, x, i) => sum + (x - target[i]) ** 2, 0) / (2 * t);
    checkMinimum(`prox at v = ${show(target)}, t = ${t}`, numeric.prox(target, t), distance);
  }

  for (const u of samples.slice(0, 9)) {
    const lambda = numeric.gradient(u);
    if (!lambda.every(Number.isFinite)) continue;
    const w = numeric.conjugateGradient(lambda);
    checkMinimum(`conjugateGradient at λ = ${show(lambda)}`, w, (x) => -dot(lambda, x));
    const expected = dot(lambda, w) - valuesAt(cost, [w])[0];
    const conjugate = numeric.conjugate(lambda);
    if (!(Math.abs(conjugate - expected) <= rounding(expected, dot(lambda, w)))) {
      refuse(
        cost,
        `has a wrong conjugate: h*(${show(lambda)}) is ${show(expected)}, it answers ${show(conjugate)}`,
      );
    }
    const projected = numeric.projectDual(lambda);
    if (!projected.every((x, i) => Math.abs(x - lambda[i]) <= rounding(x, lambda[i]))) {
      refuse(
        cost,
        `has a wrong projectDual: ∇h(${show(u)}) = ${show(lambda)} is admissible, it answers ${show(projected)}`,
      );
    }
  }
}
