// How much lower a function is than here, so far as a few looks find it: steps by the curvature that the slopes on the way show
// (L-BFGS; Nocedal and Wright, Numerical Optimization, algorithm 7.4). Such steps depend little on what each number is measured in, so
// that a direction of little slope and a long way to go is found beside steep ones.
import { dot, scattered } from "./ravel.js";
import type { Seen } from "./subgradient.js";

export interface Descent {
  /** How much lower the function is at the bottom of its slope here. */
  readonly first: number;
  /** How much lower it is at the lowest point seen. */
  readonly all: number;
}

/** And where steps ended. */
export interface Descended extends Descent {
  readonly at: Seen;
}

/** Looks in all, looks along one direction, and slopes remembered. */
const [looks, along, remembered] = [30, 4, 10];
/** A direction is followed until what is left of its slope is this part. */
const flatter = 0.3;
/** A slope is as good as flat at this part of what it was; so many looks are before that. */
const [flat, nearer] = [0.1, 16];
/** No look is further from the last one, in units of it. */
const further = 100;

/** @param enough More than this, first or in all, needs no further look. */
export async function descent(
  at: (point: readonly number[]) => Promise<Seen>,
  theta: readonly number[],
  enough: Descent,
): Promise<Descended> {
  let here = await at(theta);
  const { value: top, rounding } = here;
  const pairs: { step: number[]; bend: number[]; by: number }[] = [];
  const lower = (seen: Seen): number => Math.max(0, top - seen.value - rounding - seen.rounding);
  let [first, all] = [-1, 0];
  let left = looks;
  while (left > 0 && dot(here.slope, here.slope) > 0) {
    const down = towards(here.slope, pairs);
    const slope = dot(down, here.slope);
    if (!(slope < 0)) break;
    const from = here;
    // Without curvature to go by, so far that the slope would make it what is enough.
    let length = pairs.length > 0 ? 1 : Math.max(enough.first, rounding, 1e-300) / -slope;
    let [near, nearSlope] = [0, slope];
    let foot = from;
    for (let look = 0; look < along && left > 0; look++, left--) {
      const seen = await at(from.point.map((x, i) => x + length * down[i]));
      const there = dot(seen.slope, down);
      if (!Number.isFinite(seen.value) || !Number.isFinite(there)) {
        length = (near + length) / 10;
        continue;
      }
      if (seen.value <= foot.value + seen.rounding) foot = seen;
      if (Math.abs(there) <= flatter * -slope) break;
      // Where the slope would be 0 if it went on as between the last two looks.
      const bent = there - nearSlope;
      const bottom = bent > 0 ? near - (nearSlope * (length - near)) / bent : Number.POSITIVE_INFINITY;
      const next = Math.min(bottom, length * further);
      if (there < 0) [near, nearSlope] = [length, there];
      length = next;
    }
    if (first < 0) first = firstOf(from, await beforeFlat(from, foot, down), down, lower(foot));
    if (foot === from) break;
    const step = foot.point.map((x, i) => x - from.point[i]);
    const bend = foot.slope.map((x, i) => x - from.slope[i]);
    const by = dot(step, bend);
    if (by > 0) pairs.push({ step, bend, by });
    if (pairs.length > remembered) pairs.shift();
    here = foot;
    all = Math.max(all, lower(foot));
    if (first > enough.first || all > enough.all) break;
  }
  return { first: Math.max(first, 0), all, at: here };

  /**
   * A point at which a part of the slope is left: between one where all of it is and one that is as good as flat it may have fallen
   * anywhere, and taken as steadily falling it would tell of more than there is to gain.
   */
  async function beforeFlat(from: Seen, foot: Seen, down: readonly number[]): Promise<Seen> {
    const slope = dot(from.slope, down);
    const to = foot.point.map((x, i) => x - from.point[i]);
    let [seen, share, steep, level] = [foot, 1, 0, 0];
    for (let look = 0; look < nearer && lower(foot) === 0; look++) {
      const part = dot(seen.slope, down) / slope;
      if (Math.abs(part) < flat) level = share;
      else if (level > 0 && part > 1 - flat) steep = share;
      else break;
      share = steep > 0 ? Math.sqrt(steep * level) : share / 10 ** (look + 1);
      seen = await at(from.point.map((x, i) => x + to[i] * share));
    }
    return seen;
  }
}

/** So many roundings show; a change that is not less than this part of what is enough is none to look further for, in so many looks. */
const [shows, less, nearby] = [64, 0.1, 16];

/**
 * How much lower the function is from a little off this point: at a maximum there is no slope to follow, nor at a saddle. Of saddles it
 * finds those that fall to both sides of one direction. A little is what changes the function by no more than what is enough, whatever
 * its parameters are measured in.
 */
export async function offRidge(
  at: (point: readonly number[]) => Promise<Seen>,
  theta: readonly number[],
  enough: Descent,
): Promise<number> {
  const here = await at(theta);
  const aside = scattered(theta.length);
  const size = Math.sqrt(dot(theta, theta));
  const most = Math.max(enough.all, shows * here.rounding);
  let [off, near, far] = [1e-3 * (size || 1), 0, Number.POSITIVE_INFINITY];
  let there = here;
  // Parameters of another size than these are not nearby.
  for (let look = 0; look < nearby && (off <= 2 * size || size === 0); look++) {
    there = await at(theta.map((x, i) => x + off * aside[i]));
    const by = there.value - here.value;
    if (by < -most || (by <= most && Math.abs(by) >= less * most)) break;
    if (Math.abs(by) < most) near = off;
    else far = off;
    off = near === 0 ? off / 8 : far === Number.POSITIVE_INFINITY ? off * 8 : Math.sqrt(near * far);
  }
  // Lower on both sides: where it is so on one, there is a slope, or another bottom.
  const across = await at(theta.map((x, i) => x - (there.point[i] - x)));
  if (![there, across].every((side) => side.value < here.value - here.rounding - side.rounding)) return 0;
  const { all } = await descent(at, there.point, { first: most, all: most + enough.all });
  return all - (there.value - here.value);
}

/** Values are rounded, and slopes tell of less: ½s²/κ at a slope s and a curvature κ, where it is curved. */
function firstOf(from: Seen, foot: Seen, down: readonly number[], seen: number): number {
  const slope = dot(from.slope, down);
  const length = dot(down, down);
  const went =
    dot(
      foot.point.map((x, i) => x - from.point[i]),
      down,
    ) / length;
  const bent = (dot(foot.slope, down) - slope) / went;
  return bent > 0 ? Math.max(seen, (slope * slope) / (2 * bent)) : seen;
}

/** Down the slope, by the inverse of the curvature that was seen. */
function towards(
  slope: readonly number[],
  pairs: readonly { step: number[]; bend: number[]; by: number }[],
): number[] {
  const q = slope.map((x) => -x);
  const taken = pairs.map(() => 0);
  for (let k = pairs.length - 1; k >= 0; k--) {
    const { step, bend, by } = pairs[k];
    taken[k] = dot(step, q) / by;
    for (let i = 0; i < q.length; i++) q[i] -= taken[k] * bend[i];
  }
  const last = pairs.at(-1);
  const scale = last ? last.by / dot(last.bend, last.bend) : 1;
  for (let i = 0; i < q.length; i++) q[i] *= scale;
  for (const [k, { step, bend, by }] of pairs.entries()) {
    const given = dot(bend, q) / by;
    for (let i = 0; i < q.length; i++) q[i] += (taken[k] - given) * step[i];
  }
  return q;
}
