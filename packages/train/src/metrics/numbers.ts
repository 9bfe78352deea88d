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

/** What falls short of the truth counts q, what goes beyond it 1 − q: least at the q-quantile. */
export function quantileLoss(q: number): MeanMetric {
  const pinball = (look: Look): Tensor => {
    const short = look.y.sub(look.logits);
    return short
      .mul(q)
      .maximum(short.mul(q - 1))
      .mul(deviationOf(look));
  };
  return {
    kind: "mean",
    strictly: `loss of the ${q} quantile`,
    level: "trained",
    ...trained(pinball),
    strict: pinball,
  };
}

const rootMeanSquare = (look: Look, weights: Tensor): Tensor =>
  look.logits.sub(look.y).pow(2).mul(weights).mean().add(1e-12).sqrt().mul(deviationOf(look));

export const rootMeanSquareError: Statistic = {
  kind: "statistic",
  strictly: "root mean square error",
  level: "trained",
  ...trained(rootMeanSquare),
  strict: rootMeanSquare,
};
