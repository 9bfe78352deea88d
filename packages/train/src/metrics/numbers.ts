// How far off a number is, in its own units; giving way costs by how many deviations of the target it is.
import type { Tensor } from "@pliant/engine";
import { studentReach } from "@pliant/learn";
import * as z from "zod";
import { by, under } from "../grammar/keys.js";
import type { Target } from "./examples.js";
import { kind } from "./kind.js";
import { type Look, type MeanMetric, type Statistic, trained } from "./metric.js";

const unit = (target: Target): number => (target.kind === "number" ? target.deviation : 1);

const absolute = (look: Look): Tensor => look.logits.sub(look.y).abs().mul(unit(look.target));

export const meanAbsoluteError: MeanMetric = {
  kind: "mean",
  strictly: "mean absolute error",
  level: "trained",
  convex: true,
  unit,
  ...trained(absolute),
  strict: absolute,
};

/** Shortfalls count q and excesses 1 − q: minimal at the q-quantile. */
export function quantileLoss(q: number): MeanMetric {
  const pinball = (look: Look): Tensor => {
    const short = look.y.sub(look.logits);
    return short
      .mul(q)
      .maximum(short.mul(q - 1))
      .mul(unit(look.target));
  };
  return {
    kind: "mean",
    strictly: `loss of the ${q} quantile`,
    level: "trained",
    convex: true,
    unit,
    ...trained(pinball),
    strict: pinball,
  };
}

const rootMeanSquare = (look: Look, weights: Tensor): Tensor =>
  look.logits.sub(look.y).pow(2).mul(weights).mean().add(1e-12).sqrt().mul(unit(look.target));

/** The deviation of squared errors over examples: chance moves the mean of them, and the root follows it. */
function deviationOfSquares(look: Look, weights: Tensor): Tensor {
  const squares = look.logits.sub(look.y).pow(2);
  const off = squares.sub(squares.mul(weights).mean());
  return off
    .pow(2)
    .mul(weights)
    .mean()
    .sqrt()
    .mul(unit(look.target) ** 2);
}

export const rootMeanSquareError: Statistic = {
  kind: "statistic",
  strictly: "root mean square error",
  level: "trained",
  convex: true,
  unit,
  ...trained(rootMeanSquare),
  strict: rootMeanSquare,
  noise: deviationOfSquares,
  interval: (value, _, marks, told) => {
    const n = marks.reduce((count, mark) => count + mark, 0);
    if (n < 2) return undefined;
    const reach = (studentReach(n - 1) * told) / Math.sqrt(n - 1);
    return [Math.sqrt(Math.max(0, value ** 2 - reach)), Math.sqrt(value ** 2 + reach)];
  },
  adds: (_, marks) => ({ by: "square", of: marks.reduce((count, mark) => count + mark, 0) }),
};

export const numberKinds = [
  kind({
    name: "mean-absolute-error",
    target: "number",
    surrogate: "kinked",
    keys: { ...by, ...under },
    row: ["mean of the absolute error, in units of the target", "the same"],
    make: () => meanAbsoluteError,
  }),
  kind({
    name: "root-mean-square-error",
    target: "number",
    surrogate: "smooth and convex",
    keys: { ...by, ...under },
    row: ["root of the mean squared error, in units of the target", "the same"],
    make: () => rootMeanSquareError,
  }),
  kind({
    name: "quantile-loss",
    target: "number",
    surrogate: "kinked",
    keys: {
      ...by,
      ...under,
      quantile: z.number().gt(0).lt(1).default(0.5).describe("The quantile; default: 0.5, the median."),
    },
    row: [
      "regression: q times the shortfall plus 1 − q times the excess, with `quantile: q` (default: 0.5)",
      "the same",
    ],
    make: ({ quantile }) => quantileLoss(quantile),
  }),
] as const;
