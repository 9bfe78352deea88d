// How the answer follows a column: finite differences at the examples, the column moved by a step. Units are a probability
// (of a number, its deviations) per standard deviation of the column. Examples that lack the column do not count.
import type { Tensor } from "@pliant/engine";
import * as z from "zod";
import { ofClass, step } from "../grammar/keys.js";
import { probabilityOf } from "./answers.js";
import { kind } from "./kind.js";
import { type Look, type MeanMetric, type ModelOutput, type Statistic, trained } from "./metric.js";

export interface SlopeOptions {
  readonly feature: number;
  /** In standard deviations. */
  readonly step: number;
  /** The class whose probability follows; none for a number. */
  readonly of?: number;
}

/** (f(x + step) − f(x)) / step. */
function difference(look: Look, { feature, step, of }: SlopeOptions): Tensor {
  const answer = (said: ModelOutput): Tensor => (of === undefined ? said.logits : probabilityOf(said, of));
  return answer(look.moved(feature, step)).sub(answer(look)).div(step);
}

/** Smaller changes are rounding. */
const noticeable = 1e-5;

/** The mean of how steeply it goes the wrong way; strictly, the share of examples at which it does. */
export function monotonicity(options: SlopeOptions, direction: "increasing" | "decreasing"): MeanMetric {
  const wrongWay = (look: Look): Tensor => {
    const slope = difference(look, options);
    return direction === "increasing" ? slope.neg() : slope;
  };
  return {
    kind: "rate",
    strictly: `share where it is not ${direction}`,
    level: "trained",
    members: (examples, i) => !examples.missing(options.feature, i),
    ...trained((look: Look) => wrongWay(look).relu()),
    strict: (look) => wrongWay(look).gt(noticeable).cast(look.logits.dtype),
  };
}

/** The power whose mean stands for the maximum. */
const high = 8;

/** The largest slope, either way; trained is the mean of order 8, which is below it and has a gradient everywhere. */
export const slope = (options: SlopeOptions): Statistic => ({
  kind: "statistic",
  strictly: "largest slope",
  level: "strict",
  members: (examples, i) => !examples.missing(options.feature, i),
  ...trained((look: Look, weights: Tensor) =>
    difference(look, options)
      .pow(2)
      .add(1e-8)
      .pow(high / 2)
      .mul(weights)
      .mean()
      .pow(1 / high),
  ),
  strict: (look, weights) => difference(look, options).abs().mul(weights.gt(0).cast("float32")).max(),
  adds: (_, marks) => ({ by: "largest", of: marks.reduce((count, mark) => count + mark, 0) }),
});

export const slopeKinds = [
  kind({
    name: "monotonicity",
    target: "any",
    keys: {
      column: z.string(),
      direction: z.enum(["increasing", "decreasing"]).default("increasing"),
      step,
      ...ofClass,
    },
    row: [
      "mean slope in the wrong direction",
      "the same; the share of examples with such a slope is reported",
    ],
    make: ({ step, direction }, { feature, response }) =>
      monotonicity({ feature: feature(), step, of: response() }, direction),
  }),
  kind({
    name: "slope",
    target: "any",
    keys: { column: z.string(), step, ...ofClass },
    row: ["the largest slope", "the power mean of order 8 of the slopes"],
    make: ({ step }, { feature, response }) => slope({ feature: feature(), step, of: response() }),
  }),
] as const;
