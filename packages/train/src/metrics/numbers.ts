// How far off a number is, in its own units.
import type { Tensor } from "@pliant/engine";
import { type Look, type MeanMetric, type Statistic, trained } from "./metric.js";

const deviationOf = ({ target }: Look): number => (target.kind === "number" ? target.deviation : 1);

const absolute = (look: Look): Tensor => look.logits.sub(look.y).abs().mul(deviationOf(look));

export const meanAbsoluteError: MeanMetric = {
  kind: "mean",
  strictly: "mean absolute error",
  level: "trained",
  ...trained(absolute),
  strict: absolute,
};

const rootMeanSquare = (look: Look, weights: Tensor): Tensor =>
  look.logits.sub(look.y).pow(2).mul(weights).mean().add(1e-12).sqrt().mul(deviationOf(look));

export const rootMeanSquareError: Statistic = {
  kind: "statistic",
  strictly: "root mean square error",
  level: "trained",
  ...trained(rootMeanSquare),
  strict: rootMeanSquare,
};
