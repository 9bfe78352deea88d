// The logit of the right class minus the largest other; of two classes, the signed score.
import type { Tensor } from "@pliant/engine";
import { by, perExample } from "../grammar/keys.js";
import { away, isPair, leadOf, wrong } from "./answers.js";
import { kind } from "./kind.js";
import { type Look, type MeanMetric, trained } from "./metric.js";

function signedMargin(look: Look): Tensor {
  if (isPair(look)) return leadOf(look, "right");
  const { logits, y } = look;
  const own = y.oneHot(logits.shape[1], logits.dtype);
  const right = logits.mul(own).sum({ axis: -1 });
  return right.sub(logits.sub(own.mul(away)).max({ axis: -1 }));
}

/** Strictly, whether it is below 0. */
export const margin: MeanMetric = {
  kind: "rate",
  strictly: "error",
  level: "trained",
  ...trained(signedMargin),
  strict: wrong,
};

export const marginKinds = [
  kind({
    name: "margin",
    target: "class",
    moreIsBetter: true,
    keys: { ...by, ...perExample },
    row: [
      "mean of the logit of the true class minus the largest other",
      "the same; the share of wrong answers is reported",
    ],
    make: () => margin,
  }),
] as const;
