// The problem a spec states, for the core to solve: the model at every example, the objective, and each requirement as a
// mean over the examples it is about.

import {
  atLeast,
  atMost,
  between,
  free,
  InputError,
  minimise,
  type Problem,
  type Requirement,
} from "@pliant/core";
import { full, NdArray, type Tensor } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import type { Examples, Part, Prepared } from "../data/examples.js";
import { costOf } from "../grammar/cost.js";
import type { Look, ModelOutput, Side } from "../metrics/metric.js";
import type { Spec } from "../spec/spec.js";
import { cutOf, type Decision, fixedAt } from "./decision.js";
import { type Disturbance, disturbances, underOf } from "./disturb.js";
import { comparison, type Looks, lookOf, type Measured, onEach, repeated, worstOf } from "./measure.js";
import type { Predictor } from "./model.js";
import { meanLoss, objectiveOf, ownLoss } from "./objective.js";
import { countOf, isCounted, type Members, membersOf, type Stated } from "./stated.js";

/** Everything about some examples that a step sees; each array but `decay` has one entry an example along its first axis. */
export interface Batch<T> {
  readonly x: T;
  readonly y: T;
  /** Disturbed copies of the examples, [N, draws, …]. */
  readonly disturbed: Readonly<Record<string, T>>;
  /** By requirement: the examples it is about, and those it compares them with. */
  readonly members: Readonly<Record<string, Members<T>>>;
  /** How much each example counts in the objective, with a mean of 1; default: alike. */
  readonly weights?: T;
  /** The threshold of each example's score, or what is added to its logits, where that is not 0. */
  readonly cut?: T;
  /** The weight of the sum of squared weights in the objective: an input, so trying another value compiles nothing. */
  readonly decay?: T;
  /** The rows that what is counted is counted on, where they are not those learnt from. */
  readonly judged?: Batch<T>;
}

/** A model at examples, as requirements look at it. */
export interface View {
  readonly stated: readonly Stated[];
  /** The loss of each example, whose mean is the objective. */
  loss(look: Look): Tensor;
  /** With the key of a training step where it is one. */
  looks(params: Traced<Params>, seen: Batch<Tensor>, key?: Tensor): Looks;
  /** The disturbed copies a requirement looks at, if any. */
  whereOf(stated: Stated): string | undefined;
  /** With decisions made as they say; default: as the spec says. */
  see(examples: Examples, part: Part, decision?: Decision): Promise<Batch<NdArray>>;
}

/** A spec as a problem of `pliant`, with the data that it is solved on. */
export interface Task extends View {
  readonly problem: Problem<Params, Batch<Tensor>, Looks, string>;
  /** What is solved on: the training rows, with those for validation beside them. */
  solvedOn(decay: number): Promise<Batch<NdArray>>;
}

/** Requirements go by number where names could collide with others. */
export const keyOf = (i: number): string => `r${i}`;

interface Parts {
  readonly stated: readonly Stated[];
  readonly prepared: Prepared;
  readonly predictor: Predictor;
}

export function viewOf(
  spec: Spec,
  { stated, prepared, predictor }: Parts,
  disturbed = disturbances(stated, prepared, spec.seed),
): View {
  const said = (weights: Traced<Params>, x: Tensor, key?: Tensor): ModelOutput => ({
    target: prepared.target,
    logits: predictor.logits(weights, x, key),
    ...(predictor.score && { score: predictor.score(weights, x, key) }),
  });
  const lookAt = (
    weights: Traced<Params>,
    { x, y, cut }: Pick<Batch<Tensor>, "x" | "y" | "cut">,
    key?: Tensor,
  ): Look => ({
    ...said(weights, x, key),
    ...(cut && { cut }),
    y,
    moved: (feature, by) => said(weights, move(x, feature, by), key),
    squares: predictor
      .weights(weights)
      .map((weight) => weight.pow(2).sum())
      .reduce((a, b) => a.add(b)),
  });
  const looks: Task["looks"] = (weights, { x, y, cut, disturbed: copies }, key) => ({
    clean: lookAt(weights, { x, y, ...(cut && { cut }) }, key),
    disturbed: (name) => {
      const [n, draws, ...each] = copies[name].shape;
      return lookAt(
        weights,
        {
          x: copies[name].reshape([n * draws, ...each]),
          y: repeated(y, draws),
          ...(cut && { cut: repeatedRows(cut, draws) }),
        },
        key,
      );
    },
  });
  return {
    stated,
    loss: ownLoss(spec),
    looks,
    whereOf: disturbed.keyOf,
    see: async (examples, part, decision = fixedIn(spec, prepared)) => ({
      x: examples.x,
      y: examples.y,
      ...cutIn(decision, examples),
      ...(examples.weights && { weights: new NdArray(examples.weights, [examples.count]) }),
      disturbed: await disturbed.copies(examples, part),
      members: Object.fromEntries(stated.map((s, i) => [keyOf(i), marksOf(s, examples)])),
    }),
  };
}

/** Where the spec says that decisions are made, while nothing is learnt of it. */
const fixedIn = ({ decision: { threshold } }: Spec, { target }: Prepared): Decision =>
  typeof threshold === "number" && target.kind === "class" ? fixedAt(threshold, target) : {};

function cutIn(decision: Decision, examples: Examples): { cut?: NdArray } {
  const cut = cutOf(decision, examples);
  return cut ? { cut } : {};
}

/** Every row so many times in a row. */
const repeatedRows = (x: Tensor, times: number): Tensor =>
  x.rank === 1
    ? repeated(x, times)
    : x
        .expandDims(1)
        .broadcastTo([x.shape[0], times, x.shape[1]])
        .reshape([x.shape[0] * times, x.shape[1]]);

export function taskFor(spec: Spec, { params, ...parts }: Parts & { readonly params: Params }): Task {
  const { stated, prepared } = parts;
  for (const s of stated) checkMembers(s, prepared);
  const disturbed = disturbances(stated, prepared, spec.seed);
  const view = viewOf(spec, parts, disturbed);
  const statement = minimise({ params, forward: view.looks, objective: objectiveOf(spec) });
  const requirements = Object.fromEntries(
    stated.map((s, i) => [s.name, requirementOf(s, keyOf(i), disturbed, prepared)]),
  );
  return {
    ...view,
    problem: statement.subjectTo(stated.length > 0 ? requirements : baseline(spec), {
      cost: costOf(spec.cost).cost,
    }),
    solvedOn: async (decay) => ({
      ...(await view.see(prepared.train, "train")),
      decay: full([], decay),
      ...(prepared.validation && { judged: await view.see(prepared.validation, "validation") }),
    }),
  };
}

/** Without requirements the loss is a free one, because a problem needs at least one. */
const baseline = (spec: Spec): Record<string, Requirement<Looks, Batch<Tensor>>> => ({
  loss: atMost(0, (looks: Looks, seen: Batch<Tensor>) => meanLoss(spec)(looks, seen), { cost: free }),
});

/** The feature of every row moved. */
function move(x: Tensor, feature: number, by: number): Tensor {
  const direction = new Float32Array(x.shape[1]);
  direction[feature] = by;
  return x.add(new NdArray(direction, [1, x.shape[1]]));
}

/** One function, so that the model is evaluated once on these rows. */
export const judged = (seen: Batch<Tensor>): Batch<Tensor> => seen.judged!;

function requirementOf(
  stated: Stated,
  key: string,
  disturbed: Disturbance,
  prepared: Prepared,
): Requirement<Looks, Batch<Tensor>> {
  const { metric, spec, base, sense, level, hard } = stated;
  const where = disturbed.keyOf(stated);
  const compared =
    (side: Side) =>
    (looks: Looks, { members }: Batch<Tensor>): Measured => {
      const { own, base: rest, worst } = members[key];
      if (worst) return worstOf(metric, side, lookOf(where, looks), worst, stated);
      return comparison(
        metric,
        side,
        { look: lookOf(where, looks), members: own },
        base && {
          look: lookOf(base.of === "overall" ? undefined : where, looks),
          members: rest!,
          factor: base.factor,
        },
      );
    };
  const [loss, strict] = stated.perExample
    ? onEach(stated)
    : [compared(sense === "at least" ? "below" : "above"), compared("strict")];
  const unit = metric.unit?.(prepared.target);
  const options = {
    hard: hard && !stated.decided,
    ...(unit !== undefined && { unit }),
    rate: spec.rate,
    ...((metric.strict !== metric.above || stated.worst) && { strict }),
    ...(stated.decided ? { cost: free } : spec.cost && !hard && { cost: costOf(spec.cost).cost }),
    ...(isCounted(stated) && {
      pricedBy: "strict" as const,
      scale: unit ?? 1,
      resolution: resolutionOf(stated, prepared),
      ...(judgedOn(stated, prepared) !== prepared.train && { judged }),
    }),
  };
  if (typeof level !== "number") return between(level[0], level[1], loss, options);
  return sense === "at most" ? atMost(level, loss, options) : atLeast(level, loss, options);
}

/** The rows that what is counted is counted on. */
export const judgedOn = ({ few }: Stated, { train, validation = train }: Prepared): Examples =>
  few === undefined ? validation : train;

/** The smallest step in which a count over the rows it is judged on moves; that of the worst group is known once it is known which. */
function resolutionOf(stated: Stated, prepared: Prepared): number {
  if (stated.metric.kind !== "rate" || stated.worst) return 0;
  const { own, base } = membersOf(stated, judgedOn(stated, prepared));
  const steps = [1 / countOf(own), ...(base ? [stated.base!.factor / countOf(base)] : [])];
  return Math.max(...steps) / (underOf(stated.spec)?.draws ?? 1);
}

function marksOf(stated: Stated, examples: Examples): Members<NdArray> {
  const { own, base, worst } = membersOf(stated, examples);
  const marks = (of: Uint8Array): NdArray => new NdArray(Float32Array.from(of), [examples.count]);
  return { own: marks(own), ...(base && { base: marks(base) }), ...(worst && { worst: worst.map(marks) }) };
}

/** Nothing can be said of nobody: a requirement needs examples in the rows it is learnt from. */
function checkMembers(stated: Stated, { train }: Prepared): void {
  const { own, base, worst = [own] } = membersOf(stated, train);
  const without = worst.findIndex((marks) => countOf(marks) === 0);
  if (stated.worst && without >= 0)
    throw new InputError(
      `${stated.name}: no training example is in the group ${stated.worst[without].value}, so it cannot be the worst group; leave it out with only.`,
    );
  const missing = countOf(own) === 0 ? "one that it is about" : "one of those it is compared with";
  if (countOf(own) === 0 || (base && countOf(base) === 0))
    throw new InputError(
      `${stated.name}: no training example is ${missing}, so it cannot be measured${stated.group ? "; join the group with another, or leave its rows out" : ""}.`,
    );
}
