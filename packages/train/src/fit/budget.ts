// From a budget to the solver's options.
import {
  adam,
  adamw,
  chain,
  clip,
  cosine,
  newton,
  type Optimizer,
  type Rate,
  type Schedule,
  settling,
  sgd,
} from "@pliant/core";
import { kindOf } from "../metrics/kinds.js";
import type { Spec } from "../spec/spec.js";

/** Learning rates that suit each kind of model: convex problems allow larger steps, and noisy batches need smaller ones. */
const rates: Record<Spec["model"]["kind"], number> = { linear: 0.1, mlp: 0.03, lenet: 0.003 };
const inBatches = 0.3;

export function optimizerFor({ budget, model, ...spec }: Spec, steps: number): Optimizer {
  if (takesNewton({ budget, model, ...spec })) return newton();
  const { optimizer: kind = "adam", momentum, schedule, clip: longest, batch } = budget;
  const own = kind === "sgd" ? 0.1 : rates[model.kind];
  const base = budget.rate ?? own * (batch === undefined ? 1 : inBatches);
  const rate = schedule === "cosine" ? cosine(base, steps) : schedule === "falling" ? falling(base) : base;
  const optimizer =
    kind === "sgd" ? sgd(rate, { momentum }) : kind === "adam" ? adamFor(rate, batch) : adamw(rate);
  return longest === undefined ? optimizer : chain(clip(longest), optimizer);
}

/**
 * Adam remembers squares of gradients for 1/(1 − β₂) steps, against the noise of batches. Where all rows are seen there is none: what
 * it remembers of the first steps, whose gradients are a hundred times those near the end, would only make it creep.
 */
const adamFor = (rate: Rate, batch: number | undefined): Optimizer =>
  batch === undefined ? settling(adam(rate, { betas: [0.9, 0.97] })) : adam(rate);

/** rate/√(1 + t/100): large steps first, and in the end none that keep a model from settling. */
const falling =
  (rate: number): Schedule =>
  (step) =>
    step.div(fallsAfter).add(1).pow(-0.5).mul(rate);
const fallsAfter = 100;

/** Steps to the minimum itself, where there is one to step to and nothing else is asked for. */
export function takesNewton({ budget, model, objective, requirements }: Spec): boolean {
  const { optimizer, batch, rate, schedule, clip } = budget;
  if (optimizer !== undefined) return optimizer === "newton";
  return (
    model.kind === "linear" &&
    [batch, rate, clip].every((x) => x === undefined) &&
    schedule === "falling" &&
    [undefined, "cross-entropy", "squared-error"].includes(objective.loss) &&
    Object.values(requirements).every(({ metric }) => kindOf(metric).surrogate === "smooth and convex")
  );
}

/** Steps of a budget in epochs: as many as pass over the examples so often. */
export function stepsFor(spec: Spec, examples: number): number {
  const { steps, epochs, batch } = spec.budget;
  if (epochs === undefined) return steps ?? (takesNewton(spec) ? 1000 : 4000);
  return epochs * Math.max(1, Math.floor(examples / (batch ?? examples)));
}

/** Each stated number is certified to this share of its size; a network's minima are flat, and steps to them long. */
export const toleranceFor = ({ budget: { tolerance }, model }: Spec): number =>
  tolerance ?? (model.kind === "linear" ? 3e-3 : 1e-2);

/** Steps between two looks at the certificate, unless the budget says how many. */
export const everyFor = (spec: Spec): number => spec.budget.every ?? (takesNewton(spec) ? 5 : 25);
