// Noise on sums. A sum is taken to whole multiples of a grid and the noise is a rounded Gaussian on the same grid: adding it is
// exact, the same as rounding after adding the Gaussian itself, and nothing hides in the last bits of a float (Mironov 2012).

/** Numbers between 0 and 1, uniform to 53 bits, that nobody can foresee. */
export type Draw = () => number;

/** A draw from a source of unsigned words of 32 bits. */
export const drawFrom =
  (word: () => number): Draw =>
  () =>
    ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;

/** Of what a record may add, a part is left for rounding: to the grid, and in the sum's own floats. */
const slack = 2 ** -9;

/** To which a record's part of a sum is clipped, so that rounding included it is at most the bound. */
export const clipTo = (bound: number): number => bound * (1 - slack);

/**
 * A sum of parts no longer than `clipTo(bound)`, with noise of deviation noise·bound in every coordinate. Rounding moves neither
 * of two sums by more than half a grid step a coordinate, so their distance grows by at most √d steps, half the slack.
 */
export function noised(sum: ArrayLike<number>, bound: number, noise: number, draw: Draw): Float64Array {
  // A power of two, so that multiples of it are floats.
  const grid = 2 ** Math.floor(Math.log2((bound * slack) / 2 / Math.sqrt(sum.length)));
  const normal = normals(draw);
  return Float64Array.from(sum, (value) => {
    const whole = Math.round(value / grid) + Math.round((normal() * noise * bound) / grid);
    return whole * grid;
  });
}

/** Standard normal numbers, two at a time (Box and Muller 1958); beyond 8.5 deviations there are none, a chance of 10⁻¹⁷. */
function normals(draw: Draw): () => number {
  let other: number | undefined;
  return () => {
    if (other !== undefined) {
      const kept = other;
      other = undefined;
      return kept;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - draw()));
    const angle = 2 * Math.PI * draw();
    other = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Those of so many rows that are in a sample which each is in by a coin of its own. */
export function sampled(rows: ArrayLike<number>, rate: number, draw: Draw): number[] {
  const chosen: number[] = [];
  for (let i = 0; i < rows.length; i++) if (rate >= 1 || draw() < rate) chosen.push(rows[i]);
  return chosen;
}

/**
 * The mean of losses, none counted beyond the bound, with noise; a mean of such losses lies between 0 and the bound. NaN counts as
 * the bound, so that no record can make the mean fail.
 */
export function noisedMean(losses: ArrayLike<number>, bound: number, noise: number, draw: Draw): number {
  const most = clipTo(bound);
  let sum = 0;
  for (let i = 0; i < losses.length; i++) sum += losses[i] < most ? Math.max(0, losses[i]) : most;
  const [told] = noised([sum], bound, noise, draw);
  return Math.min(bound, Math.max(0, told / losses.length));
}
