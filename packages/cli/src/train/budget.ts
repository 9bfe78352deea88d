// From a budget to the solver's options.
import { adam, adamw, chain, clip, cosine, type Optimizer, sgd } from "pliant";
import type { Spec } from "./spec.js";

export function optimizerFor({ budget }: Spec, steps: number): Optimizer {
  const { optimizer: kind, momentum, schedule, clip: longest } = budget;
  const base = budget.rate ?? (kind === "sgd" ? 0.1 : 0.01);
  const rate = schedule === "cosine" ? cosine(base, steps) : base;
  const optimizer = kind === "sgd" ? sgd(rate, { momentum }) : kind === "adam" ? adam(rate) : adamw(rate);
  return longest === undefined ? optimizer : chain(clip(longest), optimizer);
}

/** Steps of a budget in epochs: as many as pass over the examples so often. */
export function stepsFor({ budget: { steps, epochs, batch } }: Spec, examples: number): number {
  if (epochs === undefined) return steps ?? 4000;
  return epochs * Math.max(1, Math.floor(examples / (batch ?? examples)));
}

/** A look in every fortieth of the steps, unless the budget says when. */
export const everyFor = ({ budget: { every } }: Spec, steps: number): number =>
  every ?? Math.max(1, Math.min(100, Math.ceil(steps / 40)));
