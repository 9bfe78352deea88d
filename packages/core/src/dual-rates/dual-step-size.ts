// Price rates that set themselves, one for each element. A price should move as fast as the model can answer it, and how fast that is shows
// only along the way:
//
//   – In transit to the minimum of the Lagrangian at the last prices, slacks say little about prices: moving on winds them up and makes them
//     cycle. So a price step counts by γ = min(1, (τ/r)²), where r is the slope of the Lagrangian relative to its parts.
//   – While a requirement stays on one side of its level, its rate η grows by 1.03^γ. When it turns, having been farther away than 0.7 of
//     what it was on the side before, it swings: the rate falls to 0.6, and 0.8 of what it was becomes its ceiling. The ceiling rises by
//     1.03^(γs), s the share of all steps that one side has lasted, or 1/(k+1) after k swings: no cycle can feed itself, since its sides
//     become ever smaller shares. A swing of t < 10 steps makes both fall by the share t/10 of that (in its logarithm), since short swings
//     come in numbers before a slower price can show in them. A step of an optimiser that is worth several counts as so many.
//
// On minibatches slacks and slopes are those of running means, and a step also counts by the share of it that is not noise
// (minibatch-noise.ts). Rates grow and fall by factors, so the first one matters little (`npm run bench -- solver` has the figures).
import { full, type NdArray, type Tensor, where } from "@pliant/engine";
import { pricedOf, type Resting, type State, type Values } from "../algorithms/algorithms.js";
import { apartOf, relaxedBy } from "../algorithms/dual-step.js";
import { epsilonOf } from "../costs/weight.js";
import { lengthOf } from "../problem/trees.js";
import { errorOf, isNoisy, type Noise, shareOf, slopeIn, withHeard } from "./minibatch-noise.js";
import { groupOf, type PerGroup, perGroup } from "./per-group.js";

/** A group's memory, one entry for each element. */
interface Swinging<T> {
  readonly rates: T;
  readonly ceilings: T;
  /** The side of its level an element was on: 1 above, −1 below, 0 not known yet. */
  readonly sides: T;
  /** The farthest an element has been on this side, and was on the side before. */
  readonly peaks: T;
  readonly peaksBefore: T;
  /** How often an element has swung, and for how many steps it has been on this side. */
  readonly swings: T;
  readonly since: T;
}

/** How fast prices move, as part of the state; one vector a group. */
export interface Pace<T = Tensor> extends PerGroup<Swinging<T>> {
  /** The share of the steps so far in which an element was observed. */
  readonly observed: readonly T[];
  /** The slope of the Lagrangian at the last step, and what it is compared with. */
  readonly slope: T;
  readonly scale: T;
  /** Empty where every step sees all data. */
  readonly noise: Noise<T> | readonly [];
}

/** Where rates begin, in units of a requirement's own. */
const firstRate = 0.5;
const [faster, slower, ceilingFalls] = [1.03, 0.6, 0.8];
/** A requirement may stay on one side of its level for ever, or swing for ever where losses have kinks: rates stay between these. */
const [slowest, fastest] = [1e-20, 1e12];
/** A model whose slope is below this share of its parts has answered. */
const answered = 0.1;
/** A swing this share of the one before dies out by itself. */
const dying = 0.7;
/** Steps of a swing for which rates fall by all of their factors. */
const wholeSwing = 10;
/** So many roundings of a slack, or of a price, are nothing. */
const roundings = 32;

const first: Swinging<number> = {
  rates: firstRate,
  ceilings: fastest,
  sides: 0,
  peaks: 0,
  peaksBefore: 1e30,
  swings: 0,
  since: 0,
};

export function firstPace(
  own: readonly NdArray[],
  scale: NdArray,
  noise: Noise<NdArray> | readonly [] = [],
): Pace<NdArray> {
  const all = (value: number): NdArray[] => own.map((x) => full(x.shape, value, x.dtype));
  const start = perGroup(first, all);
  for (const [i, { data }] of start.rates.entries())
    for (const [k, rate] of own[i].data.entries()) data[k] = Number(rate) * firstRate;
  return { ...start, observed: all(1), slope: scale, scale, noise };
}

/** The mean of what was observed, one more step in; the first counts as observed, so that it is never 0. */
export const observedBy = (mean: readonly Tensor[], { observed }: Values, step: Tensor): Tensor[] =>
  mean.map((share, i) => {
    const seen = observed?.[i];
    return seen ? share.add(seen.sub(share).div(step.add(2))) : share;
  });

/** What the prices of a group move by now: as good as nothing at times, and never by 0, which relaxations are divided by. */
export const pacedRate = (
  pace: Pace,
  i: number,
  { signed, price, relaxation }: Record<"signed" | "price" | "relaxation", Tensor>,
): Tensor => pace.rates[i].mul(countOf(pace, i, relaxedBy(relaxation, price, signed))).maximum(slowest);

/** How much a step of a group's prices counts: γ, and the share of it that is not noise. */
function countOf({ slope, scale, noise }: Pace, i: number, relaxed: Tensor): Tensor {
  const relative = slope.div(scale.maximum(1e-30));
  const ready = relative.maximum(1e-6).pow(-1).mul(answered).pow(2).minimum(1);
  return isNoisy(noise) ? ready.mul(shareOf(noise, i, relaxed)) : ready;
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
  const each = (i: number): Swinging<Tensor> => {
    const now = groupOf(pace, first, i);
    if (fixed?.[i]) return now;
    const [price, relaxation] = [state.prices[i], state.relaxations[i]];
    const either = signed[i].gt(0);
    const relaxed = relaxedBy(relaxation, price, signed[i]);
    const over = pricedOf(values)[i].sub(relaxed);
    const epsilon = epsilonOf(over) * roundings;
    // A relaxation is found from v/η: the slower the price, the more of what rounds there is left in it, which is no swing.
    const rate = pacedRate(pace, i, { signed: signed[i], price, relaxation });
    const rounding = scales[i].add(where(relaxation.gt(0), price.abs().div(rate), 0)).mul(epsilon);
    // Within rounding, noise, or what a count resolves, it is at its level, and on no side.
    const error = isNoisy(noise) ? errorOf(noise, i) : rounding;
    const apart = resting ? apartOf(over, values, resting, i) : over;
    const side = where(apart.abs().gt(error), apart.sign(), 0);
    // Below its level at no price nothing is sought.
    const seeks = price.abs().gt(0).or(over.gt(0)).or(either);
    const seen = values.observed?.[i];
    const moved = (seen ? seeks.and(seen.gt(0)) : seeks).and(side.ne(0));
    const turned = side.mul(now.sides).lt(0);
    // A swing that dies out by itself needs no slower price.
    const swings = turned.and(now.peaks.gt(now.peaksBefore.mul(dying)));
    const growth = countOf(pace, i, relaxed).mul(strides * Math.log(faster));
    const lasting = now.since.div(step.add(1)).maximum(now.swings.add(1).pow(-1));
    const share = now.since.add(1).mul(strides).div(wholeSwing).minimum(1);
    const fall = (by: number): Tensor => share.mul(Math.log(by)).exp();
    const ceilings = where(
      swings,
      now.ceilings.minimum(now.rates).mul(fall(ceilingFalls)),
      now.ceilings.mul(growth.mul(lasting).exp()),
    );
    const rates = where(swings, now.rates.mul(fall(slower)), now.rates.mul(growth.exp()).minimum(ceilings));
    const next: Swinging<Tensor> = {
      rates: rates.clip(slowest, fastest),
      ceilings: ceilings.clip(slowest, fastest),
      sides: side,
      peaks: where(turned, 0, now.peaks).maximum(over.abs()),
      peaksBefore: where(turned, now.peaks, now.peaksBefore),
      swings: where(swings, now.swings.add(1), now.swings),
      since: where(turned, 0, now.since.add(1)),
    };
    return Object.fromEntries(
      Object.entries(next).map(([name, x]) => [name, where(moved, x, now[name as keyof typeof now])]),
    ) as never;
  };
  const groups = pace.rates.map((_, i) => each(i));
  return {
    ...perGroup(first, (_, name) => groups.map((group) => group[name])),
    observed: pace.observed,
    slope: isNoisy(noise) ? slopeIn(noise) : lengthOf(gradient),
    scale: pace.scale,
    noise,
  };
}
