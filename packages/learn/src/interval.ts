// How far a share seen in a sample may be from the truth. Read: Wilson, "Probable inference, the law of succession, and
// statistical inference" (1927).

import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Wilson's interval for `successes` out of `trials`: it stays within 0 … 1 and is sensible for few trials. */
export function proportionInterval(
  successes: number,
  trials: number,
  { confidence = 0.95 }: { confidence?: number } = {},
): Interval {
  if (!(trials > 0 && successes >= 0 && successes <= trials))
    throw new InputError(
      `proportionInterval: ${successes} successes out of ${trials} trials is no proportion.`,
    );
  const z = random.normalQuantile((1 + confidence) / 2);
  const p = successes / trials;
  const shrink = 1 + z ** 2 / trials;
  const centre = (p + z ** 2 / (2 * trials)) / shrink;
  const reach = (z / shrink) * Math.sqrt((p * (1 - p)) / trials + (z / (2 * trials)) ** 2);
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}
