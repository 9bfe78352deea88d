// One training step of a stack of runs: their losses are summed, so each has its own gradient. Methods with requirements are
// steps of the core's algorithms; the others only descend.

import {
  adam,
  addDecay,
  applyUpdates,
  chain,
  clip,
  cosine,
  type Optimizer,
  paperStep,
  proxConjugate,
  resilientStep,
  type Step,
  separately,
} from "@pliant/core";
import { full, type NdArray, type Tensor, valueAndGrad } from "@pliant/engine";
import { type Params, stackParams } from "@pliant/learn";
import { chosen, type Images, type Slice } from "./copies.js";
import type { Learned } from "./learned.js";
import { type Losses, losses } from "./losses.js";
import { costOf, paperSteps, type Recipe, solvedExactly, transformations } from "./recipe.js";
import { isRequired, type Kind } from "./stacks.js";

/** The state of training; relaxations and prices are [G, 3] for each kind, and none without requirements. */
export interface TrainingState<T = Tensor> {
  readonly params: Learned<T>;
  readonly optimizer: unknown;
  readonly relaxations: readonly T[];
  /** One step earlier: of a two-cycle both values of u are recorded. */
  readonly lastRelaxations: readonly T[];
  readonly prices: readonly T[];
}

/** Constant inputs: the images, and for each kind α and ε of its runs, [G, 1]. */
export interface TrainingData<T = Tensor> extends Images<T> {
  readonly alphas: readonly T[];
  readonly levels: readonly T[];
}

export interface Training {
  readonly optimizer: Optimizer;
  /** The state before the first step, from the initial parameters of each run. */
  init(models: readonly Params[]): TrainingState<NdArray>;
  step(
    state: TrainingState,
    data: TrainingData,
    slice: Slice,
  ): { state: TrainingState; record: { objective: Tensor; requirements: Tensor[] } };
}

/** The training of a stack of kinds that have all of a recipe but method and cost in common, so many steps an epoch. */
export function training(recipe: Recipe, perEpoch: number, kinds: readonly Kind[] = [recipe]): Training {
  const optimizer = optimizerOf(recipe, perEpoch);
  const required = isRequired(recipe);
  return {
    optimizer,
    init: (models) => {
      const params: Learned = {
        model: stackParams(models),
        ...(recipe.method === "augerino" && { eta: full([models.length, 6], recipe.initialWidth ?? 0) }),
      };
      const places = models.length / kinds.length;
      const zeros = required ? kinds.map(() => full([places, transformations.length], 0)) : [];
      const duals = { relaxations: zeros, lastRelaxations: zeros, prices: zeros };
      return { params, optimizer: optimizer.init(params), ...duals };
    },
    step: required
      ? requiredStep(recipe, recipe.epochs * perEpoch, kinds, optimizer)
      : (state, data, slice) => {
          const batch = chosen(data, slice);
          const { gradient, aux } = valueAndGrad((params: Learned<Tensor>) => {
            const { objective } = losses(recipe, params, batch);
            return { loss: objective.sum(), aux: objective };
          })(state.params);
          const done = optimizer.update(gradient, state.optimizer as never, state.params);
          const params = applyUpdates(state.params, done.updates) as Learned<Tensor>;
          return {
            state: { ...state, params, optimizer: done.state },
            record: { objective: aux, requirements: [] },
          };
        },
  };
}

/** The requirements of each kind [G, 3], of those of all runs [M·G, 3]. */
const byKind = (requirements: Tensor, kinds: number): Tensor[] => {
  const places = requirements.shape[0] / kinds;
  return Array.from({ length: kinds }, (_, m) => requirements.slice([[m * places, (m + 1) * places]]));
};

function requiredStep(
  recipe: Recipe,
  steps: number,
  kinds: readonly Kind[],
  optimizer: Optimizer,
): Training["step"] {
  const dualRate = (recipe.dualRate * paperSteps) / steps;
  const explicit = recipe.preset !== "corrected";
  const algorithm: Step<Learned> = explicit
    ? paperStep(recipe.relaxationRate, { pricesFirst: recipe.preset === "official" })
    : resilientStep(1);
  return (state, data, slice) => {
    const batch = chosen(data, slice);
    const costs = kinds.map((kind, m) => costOf(kind, data.alphas[m]));
    const rates = state.prices.map((price) => price.mul(0).add(dualRate));
    let terms: Losses | undefined;
    const { state: next, values } = algorithm(
      {
        evaluate: (params) => {
          terms = losses(recipe, params, batch);
          const slacks = byKind(terms.requirements!, kinds.length).map((g, m) => g.sub(data.levels[m]));
          return { objective: terms.objective.sum(), slacks };
        },
        costs,
        rates,
        optimizer,
      },
      state,
    );
    const duals = kinds.map((kind, m) =>
      explicit && solvedExactly(kind)
        ? proxConjugate(costs[m], state.prices[m].add(values.slacks[m].mul(dualRate)), rates[m])
        : { price: next.prices[m], relaxation: next.relaxations[m] },
    );
    return {
      state: {
        ...next,
        prices: duals.map(({ price }) => price),
        relaxations: duals.map(({ relaxation }) => relaxation),
        lastRelaxations: state.relaxations,
      },
      record: { objective: terms!.objective, requirements: byKind(terms!.requirements!, kinds.length) },
    };
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
