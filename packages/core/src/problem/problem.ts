// What is to be learnt: an objective and named requirements, each with the level asked for. A problem is a plain object;
// the names of its requirements are types, so a report is read by them.
import { leaves, type NdArray, type Replace, Tensor } from "@pliant/engine";
import type { Cost } from "../costs/cost.js";
import { hard } from "../costs/linear.js";
import { quadratic } from "../costs/quadratic.js";
import { InputError, PliantError } from "../errors.js";
import { outsideTraining } from "./draws.js";
import { type Observed, observedOf } from "./group-means.js";
import { checkCostGiven, checkRequirement, checkStatement, kindOf, onlyNames } from "./validate.js";

/** Parameters on the host, and the form a function sees them in. */
export type Traced<P> = Replace<P, Tensor>;

/**
 * A tensor of any shape: one number for one requirement, one element an example for a requirement on each. Where a minibatch may
 * lack what the loss is about, `groupMeans` also says what was observed.
 */
export type Loss<Model, Data> = (model: Model, data: Data) => Tensor | Observed;

/** How a requirement gives way, what it is counted by, and in which units. */
export interface RequirementOptions<Model, Data> {
  /** What giving way costs; the problem's own cost, shared with the others that name none, unless given. */
  readonly cost?: Cost;
  /** The dual rate, in units of the solver's. */
  readonly rate?: number;
  /** The truth behind a differentiable loss, never differentiated: reported beside it, or what prices follow. */
  readonly strict?: Loss<Model, Data>;
  /**
   * What slack, relaxation and price come from: "loss" unless given. With "strict" the loss is only a stand-in, whose slope
   * the parameters follow, weighted by the price.
   */
  readonly pricedBy?: "loss" | "strict";
  /** The data that the strict metric is about, where it is not the data learnt from: validation rows. */
  readonly judged?: (data: Data) => Data;
  /** The smallest change that what it is priced by can show: 1/n for a share of n examples, 0 unless given. */
  readonly resolution?: number;
  /**
   * What counts as much of it, for tolerances: unless given the larger of its level and its loss at the start, or at the origin where
   * that is less; 1 for rates.
   */
  readonly scale?: number;
  /**
   * What one of it is, 1 unless given: costs and price rates see it counted in this, levels and reports are as it is. In the standard
   * deviation of prices in dollars, an error in dollars gives way as one in cents would.
   */
  readonly unit?: number;
  /** Must not bend. */
  readonly hard?: boolean;
  /** The data this requirement is about, where it is not the objective's (the paper's Dᵢ). */
  readonly stream?: (data: Data) => Data;
}

/** On which side of its level a requirement is met. */
export type Sense = "at most" | "at least" | "between" | "equal to";

/** The level asked for, or one for each element; of a two-sided requirement the lower and the upper. */
export interface Asked {
  readonly sense: Sense;
  readonly level: number | readonly number[];
}

/** A number, or one for each element: a list, a typed array or an array of the engine. */
export type Level = number | readonly number[] | Float32Array | Float64Array | NdArray;

const numbers = (level: Level): number | readonly number[] => {
  if (typeof level !== "object" || level === null || Array.isArray(level)) return level as number;
  const list = Array.from(("shape" in level ? level.data : level) as ArrayLike<number>, Number);
  return "shape" in level && level.shape.length === 0 ? list[0] : list;
};

/** A named requirement: a loss, its level, and how it may give way. Made by `atMost`, `atLeast`, `between` and `equals`. */
export interface Requirement<Model, Data> extends RequirementOptions<Model, Data>, Asked {
  readonly loss: Loss<Model, Data>;
}

type Options<Model, Data> = RequirementOptions<Model, Data>;

const stated =
  (sense: Sense) =>
  <Model, Data>(
    level: Level,
    loss: Loss<Model, Data>,
    options: Options<Model, Data> = {},
  ): Requirement<Model, Data> => ({ sense, level: numbers(level), loss, ...options });

/** loss ≤ level. */
export const atMost = stated("at most");

/** loss ≥ level. */
export const atLeast = stated("at least");

/** loss = level, with one price that has the sign of the side it pulls from; it gives way as |loss − level| ≤ u. */
export const equals = stated("equal to");

/** low ≤ loss ≤ high; each side may give way by itself. Where both are one level, `equals`. */
export const between = <Model, Data>(
  low: number,
  high: number,
  loss: Loss<Model, Data>,
  options: Options<Model, Data> = {},
): Requirement<Model, Data> =>
  low === high ? equals(low, loss, options) : { sense: "between", level: [low, high], loss, ...options };

/**
 * An objective and named requirements over one model: min ℓ₀(θ) + h(u) such that ℓᵢ(θ) ≤ levelᵢ + uᵢ. Made by
 * `minimise(…).subjectTo(…)`.
 */
export interface Problem<Params, Data, Model, Names extends string> {
  readonly params: Params;
  /** What objective and requirements share: computed once a step, with a random key of the step's own for what is drawn anew. */
  readonly forward: (params: Traced<Params>, data: Data, key: Tensor) => Model;
  readonly objective: (model: Model, data: Data) => Tensor;
  readonly requirements: Readonly<Record<Names, Requirement<Model, Data>>>;
  readonly cost: Cost;
}

interface Statement<Params, Data, Model> {
  params: Params;
  forward: (params: Traced<Params>, data: Data, key: Tensor) => Model;
  objective: (model: NoInfer<Model>, data: NoInfer<Data>) => Tensor;
}

/** The parameters, where each is an array; a sentence where a number, or a list of numbers, stands in its place. */
type Arrays<Params> = Params extends number | readonly number[]
  ? "parameters are arrays: array(0) is one of a number, array([0, 0]) one of a list"
  : Params extends NdArray
    ? Params
    : { [Name in keyof Params]: Arrays<Params[Name]> };

interface ProblemOptions {
  /** The cost of requirements that name none: quadratic(1) unless given. */
  cost?: Cost;
}

/**
 * minimise({ params, forward, objective }).subjectTo({ name: atMost(…), … }): a problem, checked. In two calls, so that
 * the requirements' functions know what the model gives and what the data is.
 */
export function minimise<Params, Data, Model>(
  statement: Statement<Params, Data, Model> & { params: Arrays<Params> },
) {
  onlyNames("", "a part of a problem", statement, { params: true, forward: true, objective: true });
  checkStatement(statement);
  return {
    subjectTo<const R extends { readonly [Name in keyof R]: Requirement<Model, Data> }>(
      requirements: R,
      options: ProblemOptions = {},
    ): Problem<Params, Data, Model, keyof R & string> {
      onlyNames("", "an option of subjectTo", options, { cost: true });
      const { cost = quadratic(1) } = options;
      checkCostGiven("The cost of the problem", cost);
      if (typeof requirements !== "object" || requirements === null)
        throw new InputError(
          `subjectTo takes named requirements, { name: atMost(level, loss), … }, got ${kindOf(requirements)}.`,
        );
      const names = Object.keys(requirements) as (keyof R & string)[];
      for (const name of names) checkRequirement(name, requirements[name]);
      return { ...statement, requirements, cost };
    },
  };
}

/** Requirements that share one cost, which sees their relaxations side by side. */
export interface Group<Names extends string = string> {
  readonly names: readonly Names[];
  readonly cost: Cost;
}

/**
 * Requirements by their costs, the problem's own last. A separable cost sees each relaxation by itself, so single numbers stated one after
 * another with the same one share a vector; a requirement on each example has its own, of which a minibatch moves a part.
 */
export function groupsOf<P, D, M, N extends string>(
  { requirements, cost }: Problem<P, D, M, N>,
  isSingle: (name: N) => boolean,
): Group<N>[] {
  const shared: N[] = [];
  const groups: { names: N[]; cost: Cost; joins: boolean }[] = [];
  for (const name of Object.keys(requirements) as N[]) {
    const own = requirements[name].hard ? hard : requirements[name].cost;
    const joins = own?.separable === true && isSingle(name);
    const last = groups.at(-1);
    if (joins && last?.joins && last.cost === own) last.names.push(name);
    else if (own) groups.push({ names: [name], cost: own, joins });
    else shared.push(name);
  }
  const own = groups.map(({ names, cost }) => ({ names, cost }));
  return shared.length > 0 ? [...own, { names: shared, cost }] : own;
}

/** A requirement's value where it has been measured, and where it has not. */
export interface Measured<Names extends string> {
  readonly objective: Tensor;
  /** What the parameters follow. */
  readonly losses: Record<Names, Observed>;
  /** What prices follow: the loss itself, or the strict metric. */
  readonly priced: Record<Names, Observed>;
}

/** One evaluation of the model for each stream of data. */
function once<P, D, M>(
  { forward }: Pick<Problem<P, D, M, never>, "forward">,
  params: Traced<P>,
  data: D,
  key = outsideTraining(),
) {
  const known = new Map<unknown, { model: M; data: D }>();
  return (stream?: (data: D) => D): { model: M; data: D } => {
    const found = known.get(stream);
    if (found) return found;
    const own = stream ? stream(data) : data;
    const made = { model: about("forward", () => forward(params, own, key)), data: own };
    if (made.model === undefined || (made.model as unknown) instanceof Promise) {
      const names = leaves(params).map(({ path }) => path.slice(1));
      throw new InputError(
        `forward must return the value that the objective and the requirements use, got ${kindOf(made.model)}; the parameters are: ${names.join(", ")}.`,
      );
    }
    known.set(stream, made);
    return made;
  };
}

const about = <T>(name: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    // Errors in the functions of a problem name an operation and a line; the reader also wants to know which function.
    if (error instanceof TypeError || (error instanceof Error && error.name === "ShapeError"))
      error.message = `${name}: ${error.message}`;
    throw error;
  }
};

/** Objective, losses and what prices follow, at a model. */
export function measure<P, D, M, N extends string>(
  { forward, objective, requirements }: Problem<P, D, M, N>,
  params: Traced<P>,
  data: D,
  key?: Tensor,
): Measured<N> {
  const seen = once({ forward }, params, data, key);
  const shared = seen();
  const value = about("the objective", () => objective(shared.model, data));
  if (!(value instanceof Tensor))
    throw new InputError(`The objective must be a tensor of one number, got ${kindOf(value)}.`);
  if (value.size !== 1)
    throw new PliantError(
      `The objective must be one number, got shape [${value.shape.join(", ")}]; take its mean.`,
    );
  const losses = {} as Record<N, Observed>;
  const priced = {} as Record<N, Observed>;
  for (const name of Object.keys(requirements) as N[]) {
    const { loss, strict, pricedBy, judged, stream } = requirements[name];
    about(name, () => {
      const learnt = seen(stream);
      losses[name] = observedOf(name, loss(learnt.model, learnt.data), value.dtype);
      priced[name] = losses[name];
      if (pricedBy !== "strict") return;
      const { model, data: own } = judged ? seen(judged) : learnt;
      priced[name] = observedOf(name, strict!(model, own), value.dtype, { counted: true });
    });
    if (priced[name].value.size !== losses[name].value.size)
      throw new PliantError(
        `${name}: its strict metric has ${priced[name].value.size} elements, but its loss has ${losses[name].value.size}; the two must be equal.`,
      );
  }
  return { objective: value.reshape([]), losses, priced };
}

/** The strict metrics of the requirements that have one: the truth their losses stand for, the mean over its elements. */
export function measureStrictly<P, D, M, N extends string>(
  { forward, objective, requirements }: Problem<P, D, M, N>,
  params: Traced<P>,
  data: D,
): Partial<Record<N, Tensor>> {
  const seen = once({ forward }, params, data);
  const { dtype } = objective(seen().model, data);
  const found: Partial<Record<N, Tensor>> = {};
  for (const name of Object.keys(requirements) as N[]) {
    const { strict, stream, judged } = requirements[name];
    if (!strict) continue;
    const { model, data: own } = seen(judged ?? stream);
    found[name] = observedOf(name, strict(model, own), dtype, { counted: true }).value.mean();
  }
  return found;
}
