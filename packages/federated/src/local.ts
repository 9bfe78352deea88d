// A client's local training: its options, and one step of it.

import { InputError } from "@pliant/core";
import { type Tensor, valueAndGrad } from "@pliant/engine";
import { type Model, type Traced, weightedMean } from "@pliant/learn";
import { keptWhere, type LocalOptimizer } from "./local-optimizer.js";
import type { Position, Solver } from "./solvers.js";
import { minus, plus, squaredNorms, times } from "./stacked.js";
import { lossesOf, type Task } from "./task.js";

/** A client's local training in a communication round. */
export interface LocalOptions {
  /** η_l. */
  readonly rate: number;
  /** Passes over the client's data in a communication round; default: 1. */
  readonly epochs?: number;
  /** Samples in a step, or ⌊samples/stepsPerEpoch⌋ of them; default: all of the client's. */
  readonly batch?: number | { readonly stepsPerEpoch: number };
  /** What becomes of the samples that fill no batch: "keep" takes a step on them, "drop" leaves them out of this epoch. */
  readonly remainder?: "keep" | "drop";
  /** Gradients no longer than this, over all parameters: factor min(1, clip/(norm + 1e-6)). */
  readonly clip?: number;
  /** Weight decay, on all parameters, added after clipping. */
  readonly decay?: number;
  /** `localMomentum(μ)` or `localAdam()`; default: plain gradient steps. */
  readonly optimizer?: LocalOptimizer;
}

/** What a client, or a stack of them, sees in a step. */
export interface Batch {
  readonly x: Tensor;
  readonly y: Tensor;
  /** Of each sample in the mean; 0 for places that hold none. */
  readonly weights: Tensor;
  /** Weights of the classes, where the formulation has any. */
  readonly classes?: Tensor;
  /** η_l, or 0 for a client that has no step left. */
  readonly rate: Tensor;
}

/** Σ weight·loss over a client's batch, whose weights add up to 1; with class weights a weighted mean. */
export function batchLoss(losses: Tensor, { y, weights, classes }: Omit<Batch, "x" | "rate">): Tensor {
  if (!classes) return losses.mul(weights).sum({ axis: -1 });
  return weightedMean(losses, weights.mul(classes.gather(y)));
}

/** A model in training, and what the local optimiser remembers, `{}` without one. */
export interface Training<P> {
  readonly params: P;
  readonly memory: unknown;
}

/**
 * θ_c ← θ_c − η_l (clip(∇R_c) + decay·θ_c + what the solver adds). The weight w_c does not enter: it acts in the server's
 * average. Summing the losses of a stack gives each client its own gradient. A local optimiser is handed clip(∇R_c) and what the
 * solver adds; decay stays beside it.
 */
export function localStep<P>(
  model: Model<P>,
  solver: Solver,
  { clip, decay = 0, optimizer, ...task }: LocalOptions & Task,
  at: Position & Training<Traced<P>>,
  batch: Batch,
): Training<Traced<P>> {
  const stack = batch.rate.rank;
  const { gradient } = valueAndGrad((params: Traced<P>) =>
    batchLoss(lossesOf(task, model.apply(params, batch.x), batch.y, batch.weights), batch).sum(),
  )(at.params);
  const { rate } = batch;
  const clipping = clip === undefined ? undefined : clipFactor(squaredNorms(gradient, stack), clip);
  const shrink = rate.mul(-decay).add(1);
  const pull = solver.pull?.(at);
  const kept = decay > 0 ? times(at.params, shrink) : at.params;
  if (!optimizer) {
    // With one factor for the gradient and one for the parameters each is passed over once.
    const next = minus(kept, times(gradient, clipping ? clipping.mul(rate) : rate));
    return { params: (pull ? minus(next, times(pull, rate)) : next) as Traced<P>, memory: {} };
  }
  const clipped = clipping ? times(gradient, clipping) : gradient;
  const { direction, memory } = optimizer.step(pull ? plus(clipped, pull) : clipped, at.memory);
  return {
    params: minus(kept, times(direction, rate)) as Traced<P>,
    memory: keptWhere(rate.gt(0), memory, at.memory),
  };
}

const clipFactor = (squares: Tensor, clip: number): Tensor =>
  squares.sqrt().add(1e-6).pow(-1).mul(clip).minimum(1);

export function checkLocal({
  rate,
  epochs = 1,
  batch,
  remainder = "keep",
  clip,
  decay = 0,
}: LocalOptions): void {
  const positive = (name: string, value: number) => {
    if (!(value > 0 && Number.isFinite(value)))
      throw new InputError(`local.${name} must be a positive number, got ${value}.`);
  };
  const whole = (name: string, value: number) => {
    if (!(Number.isInteger(value) && value >= 1))
      throw new InputError(`local.${name} must be a whole number of at least 1, got ${value}.`);
  };
  positive("rate", rate);
  whole("epochs", epochs);
  if (typeof batch === "number") whole("batch", batch);
  else if (batch) whole("batch.stepsPerEpoch", batch.stepsPerEpoch);
  if (remainder !== "keep" && remainder !== "drop")
    throw new InputError(`local.remainder is "keep" or "drop", got "${remainder}".`);
  if (clip !== undefined) positive("clip", clip);
  if (!(decay >= 0 && Number.isFinite(decay)))
    throw new InputError(`local.decay must be a number of at least 0, got ${decay}.`);
}
