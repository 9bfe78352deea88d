// One training step of each method on a stack of models, one for each seed: their losses are summed, so each has its own
// gradient. Methods with requirements are steps of the core's algorithms; the others only descend.
import { concat, full, gather, type NdArray, type Tensor, valueAndGrad } from "@pliant/engine";
import {
  batchChain,
  crossEntropy,
  lenet,
  type Model,
  metropolis,
  mlp,
  type Params,
  stackParams,
} from "@pliant/learn";
import {
  adam,
  addDecay,
  applyUpdates,
  chain,
  clip,
  cosine,
  type Optimizer,
  paperStep,
  resilientStep,
  type Step,
  separately,
  type Traced,
} from "pliant";
import { augerinoCopies, type Batch, requirementCopies, uniformCopies } from "./copies.js";
import { costOf, paperSteps, type Recipe, transformations } from "./recipe.js";

/** A network, and the widths of Augerino's distribution where it is learnt. */
export interface Learnt<T = NdArray> {
  readonly model: readonly { readonly weight: T; readonly bias: T }[];
  readonly eta?: T;
}

/** All that a step changes; relaxations and prices are [S, 3], or absent where nothing is required. */
export interface TrainingState<T = Tensor> {
  readonly params: Learnt<T>;
  readonly optimizer: unknown;
  readonly relaxations: readonly T[];
  readonly prices: readonly T[];
}

/** The training images [N, 1, H, W] and labels [N], on the device. */
export interface TrainingData<T = Tensor> {
  readonly images: T;
  readonly labels: T;
}

/** What differs from step to step: rows [S, B] of the data, and keys [S, 2]. */
export interface Slice<T = Tensor> {
  readonly rows: T;
  readonly keys: T;
}

export interface Losses {
  /** [S] */
  readonly objective: Tensor;
  /** [S, 3] */
  readonly requirements?: Tensor;
}

export const modelOf = ({ model }: Recipe): Model<Params> =>
  model === "lenet" ? lenet() : mlp({ inputs: 784, hidden: [1000], outputs: 10, activation: "tanh" });

/** Logits [S, K, B, 10] of images [S, K, B, 1, H, W]. */
function logitsOf(model: Model<Params>, params: Traced<Params>, images: Tensor): Tensor {
  const [s, k, b, ...rest] = images.shape;
  const logits = model.apply(params, images.reshape([s, k * b, ...rest]));
  return logits.reshape([s, k, b, logits.shape[logits.rank - 1]]);
}

/** What a method says of images it is to classify: Augerino's is a mean over transformed copies. */
export function predict(recipe: Recipe, params: Learnt<Tensor>, batch: Batch): Tensor {
  const model = modelOf(recipe);
  if (!params.eta) return model.apply(params.model, batch.images);
  return logitsOf(model, params.model, augerinoCopies(recipe, params.eta, batch)).mean({ axis: 1 });
}

/** The losses of a batch for each model of the stack. */
export function losses(recipe: Recipe, params: Learnt<Tensor>, batch: Batch): Losses {
  const { labels } = batch;
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
      return withRequirements(recipe, params, batch);
  }
}

/** The clean images and all copies in one evaluation; of a requirement's copies the chain's last state counts. */
function withRequirements(recipe: Recipe, params: Learnt<Tensor>, batch: Batch): Losses {
  const { images, labels } = batch;
  const [s, b] = labels.shape;
  const { copies, chances } = requirementCopies(recipe, batch);
  const all = concat([images.expandDims(1), copies], 1);
  const k = all.shape[1];
  const logits = logitsOf(modelOf(recipe), params.model, all);
  const each = crossEntropy(logits, labels.expandDims(1).broadcastTo([s, k, b]));
  const proposed = each
    .slice([[], [1, k]])
    .reshape([s, 3, recipe.samples, b])
    .transpose([2, 0, 1, 3]);
  const chains = recipe.chain === "batch" ? batchChain : metropolis;
  const requirements = chains(proposed, chances).loss.mean({ axis: -1 });
  return { objective: each.slice([[], [0, 1]]).mean({ axis: [1, 2] }), requirements };
}

export interface Training {
  readonly optimizer: Optimizer;
  /** The state before the first step, from the initial parameters of each model. */
  init(models: readonly Params[]): TrainingState<NdArray>;
  step(
    state: TrainingState,
    data: TrainingData,
    slice: Slice,
  ): { state: TrainingState; record: { objective: Tensor; requirements: Tensor[] } };
}

/** Images and labels of the rows of a step. */
export const chosen = ({ images, labels }: TrainingData, { rows, keys }: Slice): Batch => ({
  images: gather(images, rows),
  labels: gather(labels, rows),
  keys,
});

/** The training of a recipe, so many steps an epoch. */
export function training(recipe: Recipe, perEpoch: number): Training {
  const optimizer = optimizerOf(recipe, perEpoch);
  const required = recipe.method === "constrained" || recipe.method === "resilient";
  const steps = recipe.epochs * perEpoch;
  const dualRate = (recipe.dualRate * paperSteps) / steps;
  const algorithm: Step<Learnt> =
    recipe.preset === "official" ? paperStep(recipe.relaxationRate, { pricesFirst: true }) : resilientStep(1);
  return {
    optimizer,
    init: (models) => {
      const params: Learnt = {
        model: stackParams(models),
        ...(recipe.method === "augerino" && { eta: full([models.length, 6], 0) }),
      };
      const zeros = required ? [full([models.length, transformations.length], 0)] : [];
      return { params, optimizer: optimizer.init(params), relaxations: zeros, prices: zeros };
    },
    step: (state, data, slice) => {
      const batch = chosen(data, slice);
      if (!required) {
        const { gradient, aux } = valueAndGrad((params: Learnt<Tensor>) => {
          const { objective } = losses(recipe, params, batch);
          return { loss: objective.sum(), aux: objective };
        })(state.params);
        const done = optimizer.update(gradient, state.optimizer as never, state.params);
        const params = applyUpdates(state.params, done.updates) as Learnt<Tensor>;
        return {
          state: { ...state, params, optimizer: done.state },
          record: { objective: aux, requirements: [] },
        };
      }
      let seen: Losses | undefined;
      const { state: next } = algorithm(
        {
          evaluate: (params) => {
            seen = losses(recipe, params, batch);
            return { objective: seen.objective.sum(), slacks: [seen.requirements!.sub(recipe.level)] };
          },
          costs: [costOf(recipe)],
          rates: [state.prices[0].mul(0).add(dualRate)],
          optimizer,
        },
        state,
      );
      return { state: next, record: { objective: seen!.objective, requirements: [seen!.requirements!] } };
    },
  };
}

/** Adam with the decay inside its moments, along a cosine to 1e-6; Augerino's widths by an Adam of their own. */
function optimizerOf(recipe: Recipe, perEpoch: number): Optimizer {
  const fall = cosine(recipe.rate, recipe.epochs * perEpoch, { floor: 1e-6 });
  // Half a step is added so that a rounded quotient does not fall below a whole epoch.
  const rate = (step: Tensor): Tensor =>
    fall(recipe.extraScheduleStep ? step.add(step.add(0.5).div(perEpoch).floor()) : step);
  const model = chain(
    ...(recipe.clip === undefined ? [] : [clip(recipe.clip, { stacked: true })]),
    addDecay(recipe.decay),
    adam(rate),
  );
  return separately({ model, ...(recipe.method === "augerino" && { eta: adam(recipe.rate) }) });
}
