// The problem a spec states, for the core to solve: the model at every example, the objective, and each requirement as a
// mean over the examples it is about.
import { NdArray, type Tensor } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import { atLeast, atMost, between, InputError, minimise, type Problem, type Requirement } from "pliant";
import { readCost } from "./cost.js";
import { type Disturbance, disturbances } from "./disturb.js";
import type { Examples, Part, Prepared } from "./examples.js";
import { type Looks, lookOf, measured, onEach, repeated, type Side } from "./measure.js";
import { exampleLoss } from "./metrics/answers.js";
import type { Look } from "./metrics/index.js";
import type { Predictor } from "./model.js";
import type { Spec } from "./spec.js";
import { membersOf, type Stated } from "./stated.js";

/** Everything about some examples that a step sees; each array has one entry an example along its first axis. */
export interface Seen<T> {
  readonly x: T;
  readonly y: T;
  /** Disturbed copies of the examples, [N, draws, …]. */
  readonly disturbed: Readonly<Record<string, T>>;
  /**
   * By requirement: weights whose mean is 1 and that are 0 for examples it is not about, so that the mean of weighted values
   * is their mean over the group, and over a minibatch an unbiased estimate of it.
   */
  readonly weights: Readonly<Record<string, { readonly own: T; readonly base?: T }>>;
}

export interface Task {
  readonly stated: readonly Stated[];
  readonly problem: Problem<Params, Seen<Tensor>, Looks, string>;
  looks(params: Traced<Params>, seen: Seen<Tensor>): Looks;
  /** The disturbed copies a requirement looks at, if any. */
  whereOf(stated: Stated): string | undefined;
  see(examples: Examples, part: Part): Promise<Seen<NdArray>>;
}

/** Requirements go by number where names could collide with others. */
export const keyOf = (i: number): string => `r${i}`;

export function taskFor(
  spec: Spec,
  {
    stated,
    prepared,
    predictor,
    params,
  }: {
    stated: readonly Stated[];
    prepared: Prepared;
    predictor: Predictor;
    params: Params;
  },
): Task {
  const disturbed = disturbances(stated, prepared, spec.seed);
  const lookAt = (weights: Traced<Params>, x: Tensor, y: Tensor): Look => ({
    target: prepared.target,
    logits: predictor.logits(weights, x),
    y,
    moved: (feature, by) => predictor.logits(weights, move(x, feature, by)),
    squares: weights.map(({ weight }) => weight.pow(2).sum()).reduce((a, b) => a.add(b)),
  });
  const looks: Task["looks"] = (weights, { x, y, disturbed: copies }) => ({
    clean: lookAt(weights, x, y),
    disturbed: (key) => {
      const [n, draws, ...each] = copies[key].shape;
      return lookAt(weights, copies[key].reshape([n * draws, ...each]), repeated(y, draws));
    },
  });
  const statement = minimise({ params, forward: looks, objective: objectiveOf(spec) });
  const requirements = Object.fromEntries(
    stated.map((s, i) => [s.name, requirementOf(s, keyOf(i), disturbed)]),
  );
  return {
    stated,
    looks,
    whereOf: disturbed.keyOf,
    problem: statement.subjectTo(requirements, { cost: readCost(spec.cost) }),
    see: async (examples, part) => ({
      x: examples.x,
      y: examples.y,
      disturbed: await disturbed.copies(examples, part),
      weights: Object.fromEntries(stated.map((s, i) => [keyOf(i), weightsOf(s, examples, part)])),
    }),
  };
}

function objectiveOf({ objective: { loss, decay } }: Spec) {
  return ({ clean }: Looks): Tensor => {
    const value = loss === "parameter-size" ? clean.squares.mul(0.5) : exampleLoss(clean).mean();
    return decay > 0 ? value.add(clean.squares.mul(decay)) : value;
  };
}

/** The feature of every row moved. */
function move(x: Tensor, feature: number, by: number): Tensor {
  const direction = new Float32Array(x.shape[1]);
  direction[feature] = by;
  return x.add(new NdArray(direction, [1, x.shape[1]]));
}

function requirementOf(
  stated: Stated,
  key: string,
  disturbed: Disturbance,
): Requirement<Looks, Seen<Tensor>> {
  const { metric, spec, base, sense, level, hard } = stated;
  const where = disturbed.keyOf(stated);
  const compared =
    (side: Side) =>
    (looks: Looks, { weights }: Seen<Tensor>): Tensor => {
      const own = measured(metric, side, lookOf(where, looks), weights[key].own);
      if (!base) return own;
      const place = base.of === "overall" ? undefined : where;
      return own.sub(measured(metric, side, lookOf(place, looks), weights[key].base!).mul(base.factor));
    };
  const [loss, strict] = stated.perExample ? onEach(stated) : [compared("value"), compared("strict")];
  const options = { hard, strict, rate: spec.rate, ...(spec.cost && { cost: readCost(spec.cost) }) };
  if (typeof level !== "number") return between(level[0], level[1], loss, options);
  return sense === "at most" ? atMost(level, loss, options) : atLeast(level, loss, options);
}

function weightsOf(stated: Stated, examples: Examples, part: Part): { own: NdArray; base?: NdArray } {
  const members = membersOf(stated, examples);
  const weights = (marks: Uint8Array, what: string): NdArray => {
    const count = marks.reduce((a, b) => a + b, 0);
    if (count === 0 && part === "train")
      throw new InputError(
        `${stated.name}: no training example is ${what}, so it cannot be measured${stated.group ? "; join the group with another, or leave its rows out" : ""}.`,
      );
    const each = count === 0 ? 0 : examples.count / count;
    return new NdArray(
      Float32Array.from(marks, (mark) => mark * each),
      [examples.count],
    );
  };
  return {
    own: weights(members.own, "one that it is about"),
    ...(members.base && { base: weights(members.base, "one of those it is compared with") }),
  };
}
