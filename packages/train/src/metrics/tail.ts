// The mean loss of the worst examples: conditional value at risk. For the share s, with examples sorted by their losses l,
//
//   CVaR = Σ a_i l_i / s,   a_i = as much of the weight of i as is left of s by those that are worse
//        = min over t of t + mean(max(l − t, 0)) / s                       (Rockafellar and Uryasev, 2000)
//
// Its slope jumps when examples change places, and a model that is held at a level by it never settles. What stands for it has τ log(1 +
// exp((l − t)/τ)) in place of max(l − t, 0): it is never below, as convex, and smooth, for a τ of a tenth of the mean loss.
import { type Tensor, where } from "@pliant/engine";
import { studentReach } from "@pliant/learn";
import * as z from "zod";
import { by, under } from "../grammar/keys.js";
import { exampleLoss } from "./answers.js";
import { kind } from "./kind.js";
import { type Look, type Statistic, trained } from "./metric.js";

/** For the mean loss. */
const blurred = 0.1;
/** Halvings of the range in which t lies. */
const halvings = 24;

/** With weights that add up to 1. */
const sharesOf = (weights: Tensor): Tensor => weights.div(weights.shape[0]);

/** The losses, worst first, and how much of each is taken. */
function taken(share: number, look: Look, weights: Tensor): { losses: Tensor; own: Tensor; taken: Tensor } {
  const losses = exampleLoss(look);
  const worstFirst = losses.neg().stopGradient().argsort();
  const sorted = losses.takeAlong(worstFirst);
  const own = sharesOf(weights).takeAlong(worstFirst);
  const before = own.cumsum().sub(own);
  return { losses: sorted, own, taken: before.neg().add(share).maximum(0).minimum(own) };
}

function worst(share: number, look: Look, weights: Tensor): Tensor {
  const { losses, taken: part } = taken(share, look, weights);
  return part.mul(losses).sum().div(share);
}

/** The deviation of max(l − t, 0) / s over examples, t the least of the losses taken: chance moves the mean of it, and t hardly matters. */
function deviation(share: number, look: Look, weights: Tensor): Tensor {
  const { losses, own, taken: part } = taken(share, look, weights);
  const least = where(part.gt(0), losses, losses.max()).min();
  const over = losses.sub(least).maximum(0);
  const mean = over.mul(own).sum();
  const off = over.sub(mean);
  return off.mul(off).mul(own).sum().sqrt().div(share);
}

/** The t at which a share s of the examples is above it, each by σ((l − t)/τ): the minimiser, at which its own slope is 0. */
function threshold(share: number, losses: Tensor, own: Tensor, tau: Tensor): Tensor {
  const beyond = tau.mul(40);
  let [low, high] = [losses.min().sub(beyond), losses.max().add(beyond)];
  for (let i = 0; i < halvings; i++) {
    const middle = low.add(high).div(2);
    const above = losses.sub(middle).div(tau).sigmoid().mul(own).sum().gt(share);
    [low, high] = [where(above, middle, low), where(above, high, middle)];
  }
  return low.add(high).div(2);
}

function blurredWorst(share: number, look: Look, weights: Tensor): Tensor {
  const losses = exampleLoss(look);
  const own = sharesOf(weights);
  const fixed = losses.stopGradient();
  const tau = fixed.mul(own).sum().mul(blurred).maximum(1e-6);
  const t = threshold(share, fixed, own, tau).stopGradient();
  return losses.sub(t).div(tau).softplus().mul(tau).mul(own).sum().div(share).add(t);
}

export const cvar = (share: number): Statistic => ({
  kind: "statistic",
  strictly: `mean loss of the worst ${Number((100 * share).toPrecision(6))}%`,
  level: "strict",
  ...trained((look: Look, weights: Tensor) => blurredWorst(share, look, weights)),
  strict: (look, weights) => worst(share, look, weights),
  noise: (look, weights) => deviation(share, look, weights),
  interval: (value, _, marks, told) => {
    const n = marks.reduce((count, mark) => count + mark, 0);
    if (n < 2) return undefined;
    const reach = (studentReach(n - 1) * told) / Math.sqrt(n - 1);
    return [Math.max(0, value - reach), value + reach];
  },
});

export const tailKinds = [
  kind({
    name: "cvar",
    target: "any",
    keys: {
      ...by,
      ...under,
      share: z
        .number()
        .gt(0)
        .max(1)
        .default(0.1)
        .describe("The share of the examples with the largest losses."),
    },
    row: ["mean loss of the worst `share` of the examples (default: 0.1)", "a smooth upper bound"],
    make: ({ share }) => cvar(share),
  }),
] as const;
