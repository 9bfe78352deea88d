// Whether a Lagrangian has a minimum where steps ended. Where data can be separated and nothing holds the parameters, each loss falls like
// e^(−t) as they grow, slopes and all, and where steps ended is no equilibrium of anything. Where only some of them separate some of
// the data, those fall so and the others rest.
//
// Values do not tell: beside a constant, or what is lost on other data, what still falls is less than rounding. Slopes do, for they
// know of no constant. Along a ray, φ(t) = L(θ) with parameters t times as large, at a minimum φ′ is 0 at t = 1, or rounding, and above 0
// beyond, or 0 where it is flat. Where there is none it is below 0 and dies out, and never rises above 0 far out: a convex function that
// falls for ever to a bound has |φ′(t)| < ε/t.
import { manyTimes } from "./certificate.js";
import type { Lagrangian } from "./lagrangian.js";

/** Parameters so many times as large: the slope is below 0 and dies out from each to the next. */
const larger = [1.1, 1.25, 1.5, 2];
/**
 * What is left of the slope where they are twice as large: of all of them less than this, for half is left of what rounding makes of
 * a function that is the same at any length; of a part of them, which others hold, less.
 */
const [ofAll, ofSome] = [0.4, 1 / 32];
/** Beside what it is without parameters: a slope that rounds to 0 was this little shortly before; one that comes to an end is not. */
const [nothing, leastSlope] = [1e-6, 1e-20];
/** No parameters are larger than what half of them, so many times, makes small. */
const halvings = 130;
/** Of single parameters the largest are tried, which those that grow for ever are among. */
const singles = 32;

export async function endless({ theta, sizes, at }: Lagrangian): Promise<boolean> {
  const here = (await at(theta)).slope;
  /** φ′(t) of a ray along which only some parameters grow, t times what they are. */
  const slopeAlong = async (some: readonly number[], by: number): Promise<number> => {
    const point = [...theta];
    for (const i of some) point[i] *= by;
    return along(some, (await at(point)).slope);
  };
  const along = (some: readonly number[], slope: readonly number[]): number =>
    some.reduce((sum, i) => sum + theta[i] * slope[i], 0);

  const diesOut = async (some: readonly number[], share: number): Promise<boolean> => {
    const first = along(some, here);
    if (!(first < 0)) return false;
    let last = first;
    for (const by of larger) {
      const next = await slopeAlong(some, by);
      // What has come to an end at once was falling to a flat bottom, unless it was as good as nothing before.
      if (next === 0 && last === first) return -first < leastSlope * Math.abs(await slopeAlong(some, 0));
      if (!(next <= 0 && (next > last || last === 0))) return false;
      last = next;
    }
    return last > first * share && (await slopeAlong(some, manyTimes)) <= 0;
  };

  const all = theta.map((_, i) => i);
  const parts = sizes.map((size, k) => {
    const from = sizes.slice(0, k).reduce((a, b) => a + b, 0);
    return all.slice(from, from + size);
  });
  const each = [...all].sort((i, j) => Math.abs(theta[j]) - Math.abs(theta[i])).slice(0, singles);
  if ((await diesOut(all, ofAll)) || (await roundsToNothing())) return true;
  for (const some of [...parts, ...each.map((i) => [i])])
    if (some.length < all.length && (await diesOut(some, ofSome))) return true;
  return false;

  /** Parameters so large that no slope is left: where they are less by as much as shows one, it is next to nothing. */
  async function roundsToNothing(): Promise<boolean> {
    if (here.some((slope) => slope !== 0)) return false;
    for (let k = 1; k <= halvings; k++) {
      const slope = await slopeAlong(all, 2 ** -k);
      if (slope !== 0) return -slope < nothing * Math.abs(await slopeAlong(all, 0));
    }
    return false;
  }
}
