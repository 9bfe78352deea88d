// The mean loss of the worst examples: conditional value at risk. Of the share s that is asked for, sorted by their losses,
//
//   CVaR = Σ a_i l_i / s,   a_i = as much of the weight of i as is left of s by those that are worse
import type { Tensor } from "@pliant/engine";
import { exampleLoss } from "./answers.js";
import { type Look, type Statistic, trained } from "./metric.js";

export function cvar(share: number): Statistic {
  const value = (look: Look, weights: Tensor): Tensor => {
    const losses = exampleLoss(look);
    const worstFirst = losses.neg().stopGradient().argsort();
    const sorted = losses.takeAlong(worstFirst);
    const own = weights.div(weights.shape[0]).takeAlong(worstFirst);
    const before = own.cumsum().sub(own);
    const taken = before.neg().add(share).maximum(0).minimum(own);
    return taken.mul(sorted).sum().div(share);
  };
  return {
    kind: "statistic",
    strictly: `mean loss of the worst ${Number((100 * share).toPrecision(6))}%`,
    level: "trained",
    ...trained(value),
    strict: value,
  };
}
