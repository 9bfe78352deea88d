// What is minimised: of each example its loss, weighed where weights are asked for, and the decay of the weights.
import type { Tensor } from "@pliant/engine";
import { exampleLoss } from "../metrics/answers.js";
import type { Look } from "../metrics/metric.js";
import type { Spec } from "../spec/spec.js";
import type { Looks } from "./measure.js";
import type { Batch } from "./problem.js";

/** Losses of a number by how far off it is, in deviations of the target: e is the truth minus the answer. */
const ofError: Record<string, (e: Tensor, spec: Spec["objective"]) => Tensor> = {
  "absolute-error": (e) => e.abs(),
  // e²/2 where it is small, then |e| − 1/2.
  huber: (e) => e.abs().sub(0.5).maximum(e.pow(2).mul(0.5).minimum(0.5)),
  quantile: (e, { quantile = 0.5 }) => e.mul(quantile).maximum(e.mul(quantile - 1)),
};

/** The least share of the mean that an answer counts as, where its logarithm is taken. */
const least = 1e-6;

/**
 * Half the deviance of counts y whose expectation is answered to be μ: y log(y/μ) − (y − μ), which is the negative logarithm of
 * their probability less its least.
 */
function poisson({ logits, y, target }: Look): Tensor {
  const { mean, deviation } = target as Extract<Look["target"], { kind: "number" }>;
  const own = (x: Tensor): Tensor => x.mul(deviation).add(mean);
  const [count, answer] = [own(y).maximum(0), own(logits).maximum(least * mean)];
  const entropy = count.mul(count.maximum(least * mean).log());
  return entropy.sub(count.mul(answer.log())).sub(count).add(answer);
}

/** The loss of each example that the objective is the mean of. */
export function ownLoss({ objective }: Pick<Spec, "objective">): (look: Look) => Tensor {
  if (objective.loss === "poisson") return poisson;
  const of = objective.loss === undefined ? undefined : ofError[objective.loss];
  return of ? ({ logits, y }) => of(y.sub(logits), objective) : exampleLoss;
}

/** The mean of it over examples, whose weights have mean 1. */
export const meanLoss =
  (spec: Pick<Spec, "objective">) =>
  ({ clean }: Looks, { weights }: Pick<Batch<Tensor>, "weights">): Tensor => {
    const loss = ownLoss(spec)(clean);
    return (weights ? loss.mul(weights) : loss).mean();
  };

export function objectiveOf(spec: Pick<Spec, "objective">) {
  const mean = meanLoss(spec);
  return (looks: Looks, seen: Batch<Tensor>): Tensor => {
    const { squares } = looks.clean;
    const value = spec.objective.loss === "parameter-size" ? squares.mul(0.5) : mean(looks, seen);
    return value.add(squares.mul(seen.decay!));
  };
}
