// From what a metric says of examples to the number of a requirement: over draws, over a group, or on every example.
import type { Tensor } from "@pliant/engine";
import type { Look, Metric } from "./metrics/index.js";
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

export type Side = "value" | "strict";

/** The metric of the examples that weights mark. */
export function measured(metric: Metric, side: Side, look: Look, weights: Tensor): Tensor {
  const examples = weights.shape[0];
  if (metric.kind === "statistic")
    return metric[side](look, repeated(weights, look.y.shape[0] / examples)).reshape([]);
  return perExample(metric[side](look), examples).mul(weights).mean();
}

/** Where a requirement looks, and where what it is compared with does: overall means undisturbed. */
export const lookOf = (key: string | undefined, { clean, disturbed }: Looks): Look =>
  key === undefined ? clean : disturbed(key);

/** A value for each example; strictly, whether it misses the level. */
export function onEach({ metric, sense, level }: Stated) {
  const value = ({ clean }: Looks): Tensor =>
    (metric as Extract<Metric, { kind: "rate" | "mean" }>).value(clean);
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
