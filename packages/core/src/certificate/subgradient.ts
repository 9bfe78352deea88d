// Where a convex function has kinks its slope jumps, and next to its minimum it is that of one side. The slope s of any other point y
// bounds the function from below too, everywhere:
//
//   L(z) ≥ L(y) + s·(z − y) = L(θ) − e + s·(z − θ),   e = L(θ) − L(y) − s·(θ − y) ≥ 0,
//
// and so does a mean of such bounds, with the mean of their slopes and errors (an ε-subgradient; bundle methods step by it). Close to
// a minimum some mean of slopes nearby is 0 and its e is small: then L is nowhere below L(θ) by more than e. Away from one there is none.
//
// A function that is not convex, as that of a network, is bounded so nearby at most, and θ is then next to a stationary point: where L
// bends up between θ and y, e is above 0 too. Where it bends down, as at a summit, e is below 0, and s says nothing.

import type { Vector } from "./vectors.js";

const dot = (a: ArrayLike<number>, b: ArrayLike<number>, n = a.length): number => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
};

/** A function and its slope at a point, which may be another than was asked for by what rounding makes of it. */
export interface Seen {
  readonly point: ArrayLike<number>;
  readonly value: number;
  readonly slope: ArrayLike<number>;
  /** What rounding may make of the value. */
  readonly rounding: number;
}

/** How a slope is measured: its length, and the change along the point itself, each in units of these. */
export interface Measures {
  readonly length: number;
  readonly along: number;
  /** No bound of a mean may be further below than this. */
  readonly error: number;
  /** Small enough, for both. */
  readonly enough: number;
}

export interface LeastSlope {
  readonly slope: number;
  readonly growth: number;
  /** The slopes that were seen so near that their bounds count. */
  readonly sides: readonly ArrayLike<number>[];
  /** Where the function was lowest; absent where that is the point itself, to rounding. */
  readonly lower?: ArrayLike<number>;
}

/**
 * Of the bounds from below that come within the error of L(θ), the one of the least slope that a few evaluations nearby find.
 */
export async function leastSlope(
  at: (point: Vector) => Promise<Seen>,
  theta: Vector,
  { length, along, error, enough }: Measures,
): Promise<LeastSlope> {
  const n = theta.length;
  // Slope, growth and error side by side, each `enough` where it just is.
  const measured = (slope: ArrayLike<number>, e: number): number[] => [
    ...Array.from(slope, (s) => s / length),
    dot(theta, slope) / along,
    (e / error) * enough,
  ];
  const sizesOf = (mean: readonly number[]) => ({
    slope: Math.sqrt(dot(mean, mean, n)),
    growth: Math.abs(mean[n]),
  });
  const here = await at(theta);
  const sides = [here.slope];
  const known = [measured(here.slope, 0)];
  let mean = known[0];
  let lowest = here;
  let best = sizesOf(mean);
  let radius = nearby * Math.max(1, Math.sqrt(dot(theta, theta)));
  for (let look = 0; look < looks; look++) {
    const { slope, growth } = sizesOf(mean);
    if (mean[n + 1] <= enough && slope + growth < best.slope + best.growth) best = { slope, growth };
    if (slope <= enough && growth <= enough && mean[n + 1] <= enough) break;
    // Down the slope as it is measured.
    const down = theta.map((x, i) => -mean[i] / length - (mean[n] * x) / along);
    const far = radius / Math.max(Math.sqrt(dot(down, down)), 1e-300);
    const seen = await at(theta.map((x, i) => x + down[i] * far));
    if (seen.value + seen.rounding < lowest.value) lowest = seen;
    // Where rounding alone is too much, no look nearer is of use.
    if (!(seen.rounding <= error)) break;
    const back = theta.map((x, i) => x - seen.point[i]);
    const above = here.value - seen.value - dot(seen.slope, back);
    const [e, bendsDown] = [Math.abs(above) + seen.rounding, above < -seen.rounding];
    if (e > error || bendsDown) radius *= Math.min(0.5, Math.max(0.05, 0.9 * Math.sqrt(error / e)));
    else if (e < error / 4) radius *= 1.5;
    if (!(e <= error * shared) || bendsDown) continue;
    sides.push(seen.slope);
    known.push(measured(seen.slope, e));
    mean = shortestMean(known);
  }
  return { ...best, sides, ...(lowest !== here && { lower: lowest.point }) };
}

/** An error so many times what is allowed can be a part of a mean. */
const shared = 10;
const looks = 30;
const nearby = 1e-2;
const rounds = 1000;

/** The shortest mean of vectors, weight by weight from the one that lengthens it most to the one that shortens it most. */
export function shortestMean(vectors: readonly (readonly number[])[]): number[] {
  const gram = vectors.map((a) => vectors.map((b) => dot(a, b)));
  const weights = vectors.map((_, i) => Number(i === 0));
  const pulls = [...gram[0]];
  for (let round = 0; round < rounds; round++) {
    let [from, to] = [-1, 0];
    for (let i = 0; i < pulls.length; i++) {
      if (weights[i] > 0 && (from < 0 || pulls[i] > pulls[from])) from = i;
      if (pulls[i] < pulls[to]) to = i;
    }
    const bent = gram[from][from] + gram[to][to] - 2 * gram[from][to];
    if (!(bent > 0 && pulls[from] > pulls[to])) break;
    const moved = Math.min(weights[from], (pulls[from] - pulls[to]) / bent);
    weights[from] -= moved;
    weights[to] += moved;
    for (let i = 0; i < pulls.length; i++) pulls[i] += moved * (gram[to][i] - gram[from][i]);
  }
  return vectors[0].map((_, i) => vectors.reduce((sum, v, j) => sum + weights[j] * v[i], 0));
}
