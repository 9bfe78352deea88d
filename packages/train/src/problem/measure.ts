// From what a metric says of examples to the number of a requirement: over draws, over a group, or on every example.
import { stack, type Tensor, where } from "@pliant/engine";
import type { Look, Metric, Side } from "../metrics/metric.js";
import type { Stated } from "./stated.js";

/** The model as objective and requirements see it. */
export interface Looks {
  readonly clean: Look;
  disturbed(key: string): Look;
}

/** Every element so many times in a row. */
export const repeated = (x: Tensor, times: number): Tensor =>
  x
    .expandDims(1)
    .broadcastTo([x.shape[0], times])
    .reshape([x.shape[0] * times]);

/** One value an example: the mean over its draws. */
export const perExample = (values: Tensor, examples: number): Tensor =>
  values.size === examples
    ? values.reshape([examples])
    : values.reshape([examples, values.size / examples]).mean({ axis: 1 });

/**
 * The metric of the examples that are marked by 1, and whether there are any: a minibatch may lack a group, of which it then says
 * nothing.
 */
export function measured(metric: Metric, side: Side, look: Look, members: Tensor): Measured {
  const examples = members.shape[0];
  const total = members.sum();
  const some = total.gt(0);
  const count = where(some, total, 1);
  const value =
    metric.kind === "statistic"
      ? metric[side](look, weightsOf(look, members)).reshape([])
      : perExample(metric[side](look), examples).mul(members).sum().div(count);
  const step =
    metric.kind === "statistic" && side === "strict" && metric.step?.(look, weightsOf(look, members));
  return { value, observed: some.cast(value.dtype), ...(step && { resolution: step.reshape([]) }) };
}

/** As examples count in a statistic of those that are marked by 1: their mean is 1. */
function weightsOf(look: Look, members: Tensor): Tensor {
  const examples = members.shape[0];
  const total = members.sum();
  const share = members.mul(examples).div(where(total.gt(0), total, 1));
  return repeated(share, look.y.shape[0] / examples);
}

/** What says how far chance moves a statistic, where it says so; 0 elsewhere. */
export const noiseOf = (metric: Metric, look: Look, members: Tensor): Tensor =>
  metric.kind === "statistic" && metric.noise
    ? metric.noise(look, weightsOf(look, members)).reshape([1])
    : members.sum().mul(0).reshape([1]);

export interface Measured {
  readonly value: Tensor;
  /** 1 or 0. */
  readonly observed: Tensor;
  /** The smallest change it can show here, of what is counted in no fixed steps. */
  readonly resolution?: Tensor;
}

/** For the mean magnitude of the two sides. */
const blurred = 0.05;

/**
 * The metric of the worst of some groups that are there: the largest, or where it should be large, the smallest. That jumps from group to
 * group, so what is trained is τ log Σ exp(v/τ), which is never below the largest, and pulls on those that are nearly as bad too.
 */
export function worstOf(
  metric: Metric,
  side: Side,
  look: Look,
  groups: readonly Tensor[],
  { sense, level }: Pick<Stated, "sense" | "level">,
): Measured {
  const sign = sense === "at least" ? -1 : 1;
  const byGroup = groups.map((members) => measured(metric, side, look, members));
  const there = stack(byGroup.map(({ observed }) => observed));
  const values = stack(byGroup.map(({ value }) => value)).mul(sign);
  const known = where(there.gt(0), values, values.min().sub(away).stopGradient());
  const top = known.max();
  const observed = there.max();
  if (side === "strict") {
    const steps = byGroup.map(({ resolution }, g) => resolution ?? stepOf(metric, look, groups[g]));
    if (steps.some((step) => step === undefined)) return { value: top.mul(sign), observed };
    const by = stack(steps as Tensor[]);
    // Every group is within one example of its own, or the worst is missed by more: a small one speaks for no other.
    const over = top.sub(known.sub(by).max());
    // Below its level the worst moves by as much as one example more of any group takes it.
    const under = known.add(by).max().sub(top);
    const resolution = where(top.gt(sign * (level as number)), over, under);
    return { value: top.mul(sign), observed, resolution };
  }
  const sizes = where(there.gt(0), values.abs(), 0).sum().div(there.sum().maximum(1));
  const tau = sizes.mul(blurred).maximum(1e-6).stopGradient();
  return { value: known.div(tau).logSumExp().mul(tau).mul(sign), observed };
}

/** By how much one example, in one draw, moves a rate of those that are marked by 1. */
function stepOf({ kind }: Metric, { y }: Look, members: Tensor): Tensor | undefined {
  if (kind !== "rate") return undefined;
  const draws = y.shape[0] / members.shape[0];
  return members.sum().maximum(1).mul(draws).pow(-1);
}

/** Far below the others. */
const away = 1e6;

/** own − factor · base, bounded on the required side: the subtracted metric is bounded from the other side. */
export function comparison(
  metric: Metric,
  side: Side,
  own: { look: Look; members: Tensor },
  base?: { look: Look; members: Tensor; factor: number },
): Measured {
  const left = measured(metric, side, own.look, own.members);
  if (!base) return left;
  const right = measured(metric, opposite[side], base.look, base.members);
  const coarser =
    left.resolution && right.resolution && left.resolution.maximum(right.resolution.mul(base.factor));
  return {
    value: left.value.sub(right.value.mul(base.factor)),
    observed: left.observed.mul(right.observed),
    ...(coarser && { resolution: coarser }),
  };
}

export const opposite: Record<Side, Side> = { above: "below", below: "above", strict: "strict" };

/** Where a requirement looks, and where what it is compared with does: overall means undisturbed. */
export const lookOf = (key: string | undefined, { clean, disturbed }: Looks): Look =>
  key === undefined ? clean : disturbed(key);

/** A value for each example; strictly, whether it misses the level. */
export function onEach({ metric, sense, level }: Stated) {
  const value = ({ clean }: Looks): Tensor =>
    (metric as Extract<Metric, { kind: "rate" | "mean" }>).above(clean);
  const [low, high] = typeof level === "number" ? [level, level] : level;
  const misses = (looks: Looks): Tensor => {
    const v = value(looks);
    const over = v.gt(high + rounding).cast(v.dtype);
    const under = v.lt(low - rounding).cast(v.dtype);
    return sense === "at most" ? over : sense === "at least" ? under : over.maximum(under);
  };
  return [value, misses] as const;
}

/** A level missed by less is met. */
const rounding = 1e-3;
