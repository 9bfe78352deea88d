// The objective and the requirements of each method, on a batch for every run of a stack.

import type { Traced } from "@pliant/core";
import { concat, type Tensor } from "@pliant/engine";
import { batchChain, crossEntropy, type Model, metropolis, type Params } from "@pliant/learn";
import { augerinoCopies, type Batch, requirementCopies, uniformCopies } from "./copies.js";
import { type Learned, modelOf } from "./learned.js";
import type { Recipe } from "./recipe.js";

export interface Losses {
  /** One a run. */
  readonly objective: Tensor;
  /** [runs, 3] */
  readonly requirements?: Tensor;
}

const runsOf = ({ model: [{ weight }] }: Learned<Tensor>): number => weight.shape[0];

/** Repeats the entries of places [G, …] for every run [M·G, …]. */
export function forRuns(x: Tensor, runs: number, axis = 0): Tensor {
  const [before, after] = [x.shape.slice(0, axis), x.shape.slice(axis)];
  if (after[0] === runs) return x;
  return x
    .expandDims(axis)
    .broadcastTo([...before, runs / after[0], ...after])
    .reshape([...before, runs, ...after.slice(1)]);
}

/** Logits [runs, K, B, 10] of images [G, K, B, 1, H, W]. */
function logitsOf(model: Model<Params>, params: Traced<Params>, images: Tensor): Tensor {
  const [g, k, b, ...rest] = images.shape;
  const logits = model.apply(params, images.reshape([g, k * b, ...rest]));
  return logits.reshape([logits.shape[0], k, b, logits.shape[logits.rank - 1]]);
}

/** The logits of a method; Augerino's are a mean over transformed copies. */
export function predict(recipe: Recipe, params: Learned<Tensor>, batch: Batch): Tensor {
  const model = modelOf(recipe);
  if (!params.eta) return model.apply(params.model, batch.images);
  return logitsOf(model, params.model, augerinoCopies(recipe, params.eta, batch)).mean({ axis: 1 });
}

/** The losses of a batch for each run of the stack. */
export function losses(recipe: Recipe, params: Learned<Tensor>, batch: Batch): Losses {
  const labels = forRuns(batch.labels, runsOf(params));
  const mean = (logits: Tensor): Tensor => crossEntropy(logits, labels).mean({ axis: -1 });
  switch (recipe.method) {
    case "unconstrained":
      return { objective: mean(predict(recipe, params, batch)) };
    case "uniform":
      return { objective: mean(modelOf(recipe).apply(params.model, uniformCopies(recipe, batch))) };
    case "augerino": {
      // Away from 0 by so little that the norm has a slope there.
      const width = params.eta!.pow(2).sum({ axis: -1 }).add(1e-12).sqrt();
      return { objective: mean(predict(recipe, params, batch)).sub(width.mul(0.01)) };
    }
    case "constrained":
    case "resilient":
      return withRequirements(recipe, params, batch, labels);
  }
}

/** The clean images and all copies in one evaluation; of a requirement's copies the chain's last state counts. */
function withRequirements(recipe: Recipe, params: Learned<Tensor>, batch: Batch, labels: Tensor): Losses {
  const [runs, b] = labels.shape;
  const { copies, chances } = requirementCopies(recipe, batch);
  const all = concat([batch.images.expandDims(1), copies], 1);
  const k = all.shape[1];
  const logits = logitsOf(modelOf(recipe), params.model, all);
  const perExample = crossEntropy(logits, labels.expandDims(1).broadcastTo([runs, k, b]));
  const proposed = perExample
    .slice([[], [1, k]])
    .reshape([runs, 3, recipe.samples, b])
    .transpose([2, 0, 1, 3]);
  const chains = recipe.chain === "batch" ? batchChain : metropolis;
  const requirements = chains(proposed, forRuns(chances, runs, 1)).loss.mean({ axis: -1 });
  return { objective: perExample.slice([[], [0, 1]]).mean({ axis: [1, 2] }), requirements };
}
