// How far a share seen in a sample may be from the truth. Read: Wilson, "Probable inference, the law of succession, and
// statistical inference" (1927); Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
// binomial" (1934); Student, "The probable error of a mean" (1908).

import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";
import { betaShare } from "./beta.js";

/** The two ends of an interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

interface IntervalOptions {
  confidence?: number;
}

/** Wilson's interval for `successes` out of `trials`: it stays within 0 … 1 and is sensible for few trials. */
export function proportionInterval(
  successes: number,
  trials: number,
  { confidence = 0.95 }: IntervalOptions = {},
): Interval {
  check("proportionInterval", successes, trials);
  const z = random.normalQuantile((1 + confidence) / 2);
  const p = successes / trials;
  const shrink = 1 + z ** 2 / trials;
  const centre = (p + z ** 2 / (2 * trials)) / shrink;
  const reach = (z / shrink) * Math.sqrt((p * (1 - p)) / trials + (z / (2 * trials)) ** 2);
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}

/**
 * Clopper and Pearson's interval: the shares that an exact test at the same level does not reject. Its coverage is at least the stated
 * one for any number of trials, so it is a little wider than Wilson's.
 */
export function exactInterval(
  successes: number,
  trials: number,
  { confidence = 0.95 }: IntervalOptions = {},
): Interval {
  check("exactInterval", successes, trials);
  const tail = (1 - confidence) / 2;
  const failures = trials - successes;
  return {
    low: successes === 0 ? 0 : whereShareIs(tail, successes, failures + 1),
    high: failures === 0 ? 1 : whereShareIs(1 - tail, successes + 1, failures),
  };
}

/**
 * Student's t: the half-width of an interval for a mean in standard errors, if the deviation has `freedom` degrees of freedom. It is 1.96
 * in the limit and 2.26 for nine. With t² = νy/(1 − y), y has the distribution Beta(1/2, ν/2).
 */
export function studentReach(freedom: number, { confidence = 0.95 }: IntervalOptions = {}): number {
  if (!(freedom > 0)) throw new InputError(`studentReach: ${freedom} degrees of freedom tell no deviation.`);
  const y = whereShareIs(confidence, 0.5, freedom / 2);
  return Math.sqrt((freedom * y) / (1 - y));
}

/** The x below which a share of Beta(a, b) lies. */
function whereShareIs(share: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (betaShare(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function check(who: string, successes: number, trials: number): void {
  if (!(trials > 0 && successes >= 0 && successes <= trials))
    throw new InputError(`${who}: ${successes} successes out of ${trials} trials is no proportion.`);
}
