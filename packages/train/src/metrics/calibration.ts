// Calibration: the expected calibration error, in bins of equal width. With two classes it uses the probability of the positive one;
// with more, that of the predicted class.
import { array, constant, type Tensor } from "@pliant/engine";
import { correct } from "@pliant/learn";
import { by, under } from "../grammar/keys.js";
import { probabilityOf } from "./answers.js";
import { kind } from "./kind.js";
import { type Look, type Statistic, trained } from "./metric.js";

const bins = 15;

/** The probability given to an event, and whether it happened. */
export function event(look: Look): { p: Tensor; happened: Tensor } {
  const { logits, y, target } = look;
  if (target.kind === "class" && target.classes.length === 2) {
    const k = target.positive ?? 1;
    return { p: probabilityOf(look, k), happened: y.eq(k).cast(logits.dtype) };
  }
  return { p: logits.softmax().max({ axis: -1 }), happened: correct(logits, y) };
}

/** Σ over bins of |Σ w (p − happened)| / N, for a share of each example in each bin [N, bins]. */
function gaps(look: Look, weights: Tensor, sharesOf: (p: Tensor) => Tensor): Tensor {
  const { p, happened } = event(look);
  const gap = p.sub(happened).mul(weights);
  return sharesOf(p).mul(gap.expandDims(1)).sum({ axis: 0 }).div(p.shape[0]);
}

/** An example belongs to the two bins whose middles its probability lies between, and moves smoothly from one to the other. */
const linearly = (p: Tensor): Tensor => {
  const middles = constant(array(Array.from({ length: bins }, (_, b) => b)));
  const place = p
    .mul(bins)
    .sub(0.5)
    .clip(0, bins - 1);
  return place.expandDims(1).sub(middles.expandDims(0)).abs().neg().add(1).relu();
};

const entirely = (p: Tensor): Tensor =>
  p
    .mul(bins)
    .floor()
    .clip(0, bins - 1)
    .cast("int32")
    .oneHot(bins);

/** |x|, rounded off where it has a kink. */
const smoothAbs = (x: Tensor): Tensor => x.mul(x).add(1e-8).sqrt().sub(1e-4);

export const calibrationError: Statistic = {
  kind: "statistic",
  strictly: "calibration error",
  level: "strict",
  share: true,
  ...trained((look: Look, weights: Tensor) => smoothAbs(gaps(look, weights, linearly)).sum()),
  strict: (look, weights) => gaps(look, weights, entirely).abs().sum(),
};

export const calibrationKinds = [
  kind({
    name: "calibration-error",
    target: "class",
    keys: { ...by, ...under },
    row: [
      "expected calibration error in 15 bins",
      "the same, with examples shared between neighbouring bins",
    ],
    make: () => calibrationError,
  }),
] as const;
