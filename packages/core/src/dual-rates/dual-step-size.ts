// Price rates that set themselves, one for each element. A price should move as fast as the model can answer it, and nobody knows
// how fast that is before it is seen:
//
//   – While the model is still on its way to the minimum of the Lagrangian at the last prices, its slacks say little about them:
//     moving on winds prices up and makes them cycle. So a step of the prices counts by γ = min(1, (τ/r)²), where r is the slope of
//     the Lagrangian relative to its parts: nearly nothing in transit, all of it once the model has answered.
//   – As long as a requirement stays on one side of its level, its rate η grows by 1.03^γ. When it turns, and has been farther away
//     than 0.7 of what it was on the side before, it swings: the rate falls to 0.6, and 0.8 of what it was becomes its ceiling. That
//     rises by 1.03^(γs), s the share of all steps that one side has lasted: so no cycle can feed itself, since its sides become ever
//     smaller shares, and many early swings do not hold back a price that has been on one side for long since. Before that s is
//     1/(k+1) after k swings, the usual share. Of a swing of t < 10 steps rate and ceiling fall by the share t/10 of that (in its
//     logarithm): rates fall by the step as they grow by it. Swings of a few steps come in numbers, before a slower price can show in
//     them, and would together take a rate to nothing. A step of an optimiser that is worth several (newton.ts) counts as so many in
//     all of this.
//
// On minibatches slacks and slopes are those of running means, and a step counts by the share of it that is not noise as well (noise.ts).
// Rates grow and fall by factors, so the first one matters little (`npm run bench -- solver` has what the numbers come to).
import { full, type NdArray, type Tensor, where } from "@pliant/engine";
import { pricedOf, type Resting, type State, type Values } from "../algorithms/algorithms.js";
import { apartOf, relaxedBy } from "../algorithms/dual-step.js";
import { epsilonOf } from "../costs/weight.js";
import { lengthOf } from "../problem/trees.js";
import { errorOf, isNoisy, type Noise, shareOf, slopeIn, withHeard } from "./minibatch-noise.js";

/** How fast prices move, as part of the state; vectors have one entry an element, one vector a group. */
export interface Pace<T = Tensor> {
  readonly rates: readonly T[];
  readonly ceilings: readonly T[];
  /** The side of its level an element was on: 1 above, −1 below, 0 not known yet. */
  readonly sides: readonly T[];
  /** The farthest an element has been on this side, and was on the side before. */
  readonly peaks: readonly T[];
  readonly peaksBefore: readonly T[];
  /** How often an element has swung, and for how many steps it has been on this side. */
  readonly swings: readonly T[];
  readonly since: readonly T[];
  /** The share of the steps so far in which an element was observed. */
  readonly observed: readonly T[];
  /** The slope of the Lagrangian at the last step, and what it is compared with. */
  readonly slope: T;
  readonly scale: T;
  /** What noise needs: nothing where every step sees all data. */
  readonly noise: Noise<T> | readonly [];
}

/** Where rates begin, in units of a requirement's own. */
export const firstRate = 0.5;
const [faster, slower, ceilingFalls, ceilingRises] = [1.03, 0.6, 0.8, 1.03];
/** A requirement may stay on one side of its level for ever, or swing for ever where losses have kinks: rates stay between these. */
const [slowest, fastest] = [1e-20, 1e12];
/** A model whose slope is below this share of its parts has answered. */
const answered = 0.1;
/** A swing this share of the one before dies out by itself. */
const dying = 0.7;
/** Steps of a swing for which rates fall by all of their factors. */
const wholeSwing = 10;
/** So many roundings of a slack are nothing. */
const roundings = 32;
/** And so many of a price. */
const roundingsOfPrice = 8;

export function firstPace(
  own: readonly NdArray[],
  scale: NdArray,
  noise: Noise<NdArray> | readonly [] = [],
): Pace<NdArray> {
  const like = (x: NdArray, value: number): NdArray => full(x.shape, value, x.dtype);
  return {
    rates: own.map((x) => {
      const rates = like(x, 0);
      rates.data.set(Array.from(x.data, (rate) => rate * firstRate) as never);
      return rates;
    }),
    ceilings: own.map((x) => like(x, fastest)),
    sides: own.map((x) => like(x, 0)),
    peaks: own.map((x) => like(x, 0)),
    peaksBefore: own.map((x) => like(x, 1e30)),
    swings: own.map((x) => like(x, 0)),
    since: own.map((x) => like(x, 0)),
    observed: own.map((x) => like(x, 1)),
    slope: scale,
    scale,
    noise,
  };
}

/** The mean of what was observed, one more step in; the first counts as observed, so that it is never 0. */
export const observedBy = (mean: readonly Tensor[], { observed }: Values, step: Tensor): Tensor[] =>
  mean.map((share, i) => {
    const seen = observed?.[i];
    return seen ? share.add(seen.sub(share).div(step.add(2))) : share;
  });

/** γ: how much of a step prices take now. */
export function readiness({ slope, scale }: Pace): Tensor {
  const relative = slope.div(scale.maximum(1e-30));
  return relative.maximum(1e-6).pow(-1).mul(answered).pow(2).minimum(1);
}

/** What the prices of a group move by now: as good as nothing at times, and never by 0, which relaxations are divided by. */
export const pacedRate = (
  pace: Pace,
  i: number,
  { signed, price, relaxation }: Record<"signed" | "price" | "relaxation", Tensor>,
): Tensor => pace.rates[i].mul(countOf(pace, i, relaxedBy(relaxation, price, signed))).maximum(slowest);

/** How much a step of a group's prices counts. */
function countOf(pace: Pace, i: number, relaxed: Tensor): Tensor {
  const ready = readiness(pace);
  return isNoisy(pace.noise) ? ready.mul(shareOf(pace.noise, i, relaxed)) : ready;
}

/** The pace after a step that moved prices by it. */
export function nextPace<P>(
  pace: Pace,
  {
    state,
    values,
    gradient,
    signed,
    scales,
    resting,
    fixed,
    strides = 1,
    step,
  }: {
    state: State<P>;
    values: Values;
    gradient: unknown;
    signed: readonly Tensor[];
    scales: readonly Tensor[];
    /** Where prices rest. */
    resting?: Resting;
    /** Groups whose rates are given. */
    fixed?: readonly boolean[];
    /** What a step of the optimiser is worth. */
    strides?: number;
    /** How many steps came before. */
    step: Tensor;
  },
): Pace {
  const noise = isNoisy(pace.noise)
    ? withHeard(
        pace.noise,
        (values.batch ?? []).map((g, i) => (fixed?.[i] ? undefined : g)),
        values.observed,
        gradient,
      )
    : pace.noise;
  const each = pace.rates.map((rate, i) => {
    if (fixed?.[i]) return kept(pace, i);
    const [price, u] = [state.prices[i], state.relaxations[i]];
    const either = signed[i].gt(0);
    const relaxed = relaxedBy(u, price, signed[i]);
    const over = pricedOf(values)[i].sub(relaxed);
    // Within rounding, noise, or what a count resolves, it is at its level, and on no side.
    const rounding = scales[i]
      .mul(epsilonOf(over) * roundings)
      .add(relaxationRounding(pace, i, state, signed[i]));
    const error = isNoisy(noise) ? errorOf(noise, i) : rounding;
    const apart = resting ? apartOf(over, values, resting, i) : over;
    const side = where(apart.abs().gt(error), apart.sign(), 0);
    // Below its level at no price nothing is sought.
    const seeks = price.abs().gt(0).or(over.gt(0)).or(either);
    const seen = values.observed?.[i];
    const active = seen ? seeks.and(seen.gt(0)) : seeks;
    const turned = side.mul(pace.sides[i]).lt(0);
    // A swing that dies out by itself needs no slower price.
    const swings = turned.and(pace.peaks[i].gt(pace.peaksBefore[i].mul(dying)));
    const counts = countOf(pace, i, relaxed);
    const growth = counts.mul(strides * Math.log(faster)).exp();
    const lasting = pace.since[i].div(step.add(1)).maximum(pace.swings[i].add(1).pow(-1));
    const rise = counts
      .mul(strides * Math.log(ceilingRises))
      .mul(lasting)
      .exp();
    const share = pace.since[i].add(1).mul(strides).div(wholeSwing).minimum(1);
    const fall = (by: number): Tensor => share.mul(Math.log(by)).exp();
    const ceiling = where(
      swings,
      pace.ceilings[i].minimum(rate).mul(fall(ceilingFalls)),
      pace.ceilings[i].mul(rise),
    );
    const next = where(swings, rate.mul(fall(slower)), rate.mul(growth).minimum(ceiling));
    const moved = active.and(side.ne(0));
    return {
      rate: where(moved, within(next), rate),
      ceiling: where(moved, within(ceiling), pace.ceilings[i]),
      side: where(moved, side, pace.sides[i]),
      peak: where(moved, where(turned, 0, pace.peaks[i]).maximum(over.abs()), pace.peaks[i]),
      peakBefore: where(moved.and(turned), pace.peaks[i], pace.peaksBefore[i]),
      swung: where(moved.and(swings), pace.swings[i].add(1), pace.swings[i]),
      since: where(moved, where(turned, 0, pace.since[i].add(1)), pace.since[i]),
    };
  });
  return {
    rates: each.map(({ rate }) => rate),
    ceilings: each.map(({ ceiling }) => ceiling),
    sides: each.map(({ side }) => side),
    peaks: each.map(({ peak }) => peak),
    peaksBefore: each.map(({ peakBefore }) => peakBefore),
    swings: each.map(({ swung }) => swung),
    since: each.map(({ since }) => since),
    observed: pace.observed,
    slope: isNoisy(noise) ? slopeIn(noise) : lengthOf(gradient),
    scale: pace.scale,
    noise,
  };
}

/**
 * A relaxation is found from v/η (dual.ts), and where the slope of its cost no longer rises all of what rounds there is left in it: the
 * slower the price, the more. Taken for swings that would make it slower still, until nothing of the relaxation is left.
 */
function relaxationRounding<P>(
  pace: Pace,
  i: number,
  { prices, relaxations }: State<P>,
  signed: Tensor,
): Tensor {
  const [price, relaxation] = [prices[i], relaxations[i]];
  const rate = pacedRate(pace, i, { signed, price, relaxation });
  return where(
    relaxation.gt(0),
    price
      .abs()
      .mul(epsilonOf(price) * roundingsOfPrice)
      .div(rate),
    0,
  );
}

const within = (rate: Tensor): Tensor => rate.maximum(slowest).minimum(fastest);

const kept = (pace: Pace, i: number) => ({
  rate: pace.rates[i],
  ceiling: pace.ceilings[i],
  side: pace.sides[i],
  peak: pace.peaks[i],
  peakBefore: pace.peaksBefore[i],
  swung: pace.swings[i],
  since: pace.since[i],
});
