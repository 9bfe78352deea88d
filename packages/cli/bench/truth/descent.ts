// The minimum of a smooth function in float64, by BFGS: for problems small enough that the whole matrix fits.

export type Smooth = (at: Float64Array) => { value: number; slope: Float64Array };

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, i) => sum + v * b[i], 0);
const moved = (at: Float64Array, along: Float64Array, by: number): Float64Array =>
  at.map((v, i) => v + by * along[i]);

export interface Minimum {
  readonly at: Float64Array;
  readonly value: number;
  /** The largest entry of the slope that is left. */
  readonly left: number;
}

export function minimum(f: Smooth, start: Float64Array, { tolerance = 1e-10, steps = 2000 } = {}): Minimum {
  const n = start.length;
  let at = start;
  let { value, slope } = f(at);
  let inverse = identity(n);
  const left = (): number => slope.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  for (let step = 0, fresh = true; step < steps && left() > tolerance; step++) {
    const along = times(inverse, slope).map((v) => -v);
    const found = dot(along, slope) < 0 ? search(f, at, along, value, slope) : undefined;
    if (!found) {
      // Rounding: once more along the plain slope, then it is as low as numbers can say.
      if (fresh) break;
      [inverse, fresh] = [identity(n), true];
      continue;
    }
    const s = moved(found.at, at, -1);
    const y = moved(found.slope, slope, -1);
    const sy = dot(s, y);
    if (sy > 1e-300) {
      if (fresh) inverse = inverse.map((row) => row.map((v) => (v * sy) / dot(y, y)));
      update(inverse, s, y, sy);
      fresh = false;
    }
    ({ at, value, slope } = found);
  }
  return { at, value, left: left() };
}

const identity = (n: number): Float64Array[] =>
  Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => Number(i === j)));

const times = (matrix: readonly Float64Array[], x: Float64Array): Float64Array =>
  Float64Array.from(matrix, (row) => dot(row, x));

/** H ← (I − s yᵀ/sᵀy) H (I − y sᵀ/sᵀy) + s sᵀ/sᵀy. */
function update(inverse: Float64Array[], s: Float64Array, y: Float64Array, sy: number): void {
  const hy = times(inverse, y);
  const factor = (1 + dot(y, hy) / sy) / sy;
  for (const [i, row] of inverse.entries())
    for (let j = 0; j < row.length; j++) row[j] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
}

/** A step that satisfies Wolfe's conditions, by bisection. */
function search(f: Smooth, at: Float64Array, along: Float64Array, value: number, slope: Float64Array) {
  const steepness = dot(along, slope);
  let [low, high, by] = [0, Number.POSITIVE_INFINITY, 1];
  for (let k = 0; k < 60; k++) {
    const there = moved(at, along, by);
    const found = f(there);
    // Near the end values differ by rounding alone; slopes still tell.
    const rounding = 1e-14 * Math.abs(value);
    if (!(found.value <= value + 1e-4 * by * steepness + rounding)) high = by;
    else if (dot(found.slope, along) < 0.9 * steepness) low = by;
    else return { at: there, ...found };
    by = Number.isFinite(high) ? (low + high) / 2 : 2 * by;
  }
  return undefined;
}
