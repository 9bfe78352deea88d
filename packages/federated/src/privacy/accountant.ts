// How much a sequence of noised sums tells of one record: Rényi differential privacy of the Gaussian mechanism on samples that
// each record is in by a coin of its own (Mironov, Talwar, Zhang 2019, "Rényi differential privacy of the sampled Gaussian
// mechanism"), which adds up over everything that is told, turned into (ε, δ) as by Canonne, Kamath, Steinke (2020).
import { InputError } from "@pliant/core";

/** Sums that were told, each over a sample of its own. */
export interface NoisedSums {
  /** The noise's deviation over the most that one record adds to the sum. */
  readonly noise: number;
  /** The chance of a record to be in the sample; 1 where all are. */
  readonly rate: number;
  readonly times: number;
}

/** Orders α at which divergences are added up; the best of them counts. */
const orders: readonly number[] = [
  ...Array.from({ length: 99 }, (_, i) => 1 + (i + 1) / 10),
  ...Array.from({ length: 53 }, (_, i) => 11 + i),
  ...[64, 128, 256, 512, 1024],
];

/** With less, nothing is hidden. */
const leastNoise = 0.1;

/** The smallest ε at δ that is shown for all that was told, whatever each of them depended on of those before. */
export function epsilonOf(told: readonly NoisedSums[], delta: number): number {
  if (!(delta > 0 && delta < 1)) throw new InputError(`δ must lie between 0 and 1, got ${delta}.`);
  const all = told.filter(({ times }) => times > 0).map((one) => ({ ...one, each: divergences(one) }));
  if (all.length === 0) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, order] of orders.entries()) {
    const sum = all.reduce((total, { times, each }) => total + times * each[i], 0);
    const epsilon = sum + Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1);
    if (epsilon < least) least = epsilon;
  }
  return Math.max(0, least);
}

const known = new Map<string, readonly number[]>();

/** Of one sum, at each order. */
function divergences({ noise, rate }: NoisedSums): readonly number[] {
  if (!(noise >= leastNoise))
    throw new InputError(`Noise must be at least ${leastNoise} times what a record adds, got ${noise}.`);
  if (!(rate > 0 && rate <= 1))
    throw new InputError(`A sampling rate lies above 0 and is at most 1, got ${rate}.`);
  const name = `${noise} ${rate}`;
  const found = known.get(name) ?? orders.map((order) => divergence(order, noise, rate));
  if (known.size > 1000) known.clear();
  known.set(name, found);
  return found;
}

/** D_α of order α between the sums with and without a record: α/2z² for all records, else log A_α/(α − 1). */
export function divergence(order: number, noise: number, rate: number): number {
  if (rate === 1) return order / (2 * noise * noise);
  return (Number.isInteger(order) ? whole(order, noise, rate) : between(order, noise, rate)) / (order - 1);
}

/** log Σₖ C(α, k) (1 − q)^(α − k) q^k exp((k² − k)/2z²). */
function whole(order: number, noise: number, rate: number): number {
  let sum = Number.NEGATIVE_INFINITY;
  let choose = 0;
  for (let k = 0; k <= order; k++) {
    const term = choose + k * Math.log(rate) + (order - k) * Math.log1p(-rate);
    sum = plus(sum, term + (k * k - k) / (2 * noise * noise));
    choose += Math.log((order - k) / (k + 1));
  }
  return sum;
}

/** log ∫ N(x; 0, z²) (1 − q + q exp((2x − 1)/2z²))^α dx, by equal steps, far finer than any feature of the integrand. */
function between(order: number, noise: number, rate: number): number {
  const square = noise * noise;
  const step = Math.min(noise, square) / 8;
  const [log, logNot] = [Math.log(rate), Math.log1p(-rate)];
  let sum = Number.NEGATIVE_INFINITY;
  for (let x = -12 * noise; x <= order + 12 * noise; x += step) {
    const ratio = plus(logNot, log + (2 * x - 1) / (2 * square));
    sum = plus(sum, order * ratio - (x * x) / (2 * square));
  }
  return sum + Math.log(step / (noise * Math.sqrt(2 * Math.PI)));
}

/** log(exp a + exp b). */
function plus(a: number, b: number): number {
  const [most, least] = a > b ? [a, b] : [b, a];
  return least === Number.NEGATIVE_INFINITY ? most : most + Math.log1p(Math.exp(least - most));
}

/**
 * The least of a family of mechanisms that keeps to (ε, δ): `at` says what is told at a noise, of which more means less told.
 */
export function noiseFor(
  epsilon: number,
  delta: number,
  at: (noise: number) => readonly NoisedSums[],
): number {
  // Of sums that are told together one may have too little noise to hide anything where another has not.
  const keeps = (noise: number): boolean => {
    const told = at(noise);
    return told.every((one) => one.noise >= leastNoise) && epsilonOf(told, delta) <= epsilon;
  };
  let [low, high] = [leastNoise, 1e6];
  if (!keeps(high)) throw new InputError(`No noise is enough for ε = ${epsilon} at δ = ${delta}.`);
  if (keeps(low)) return low;
  while (high / low > 1 + 1e-6) {
    const middle = Math.sqrt(low * high);
    if (keeps(middle)) high = middle;
    else low = middle;
  }
  return high;
}
