// What is to be learnt: an objective and named requirements, each with the level asked for. A problem is a plain object;
// the names of its requirements are types, so a report is read by them.
import type { Replace, Tensor } from "@pliant/engine";
import { concat } from "@pliant/engine";
import type { Cost } from "./costs/cost.js";
import { hard } from "./costs/linear.js";
import { quadratic } from "./costs/quadratic.js";
import { PliantError } from "./errors.js";

/** Parameters on the host, and the form a function sees them in. */
export type Traced<P> = Replace<P, Tensor>;

/** A tensor of any shape: one number for one requirement, one element an example for a requirement on each. */
export type Loss<Model, Data> = (model: Model, data: Data) => Tensor;

export interface RequirementOptions<Model, Data> {
  /** What giving way costs; the problem's own cost, shared with the others that name none, unless given. */
  readonly cost?: Cost;
  /** The dual rate, in units of the solver's. */
  readonly rate?: number;
  /** The truth behind a differentiable loss, reported beside it and never differentiated. */
  readonly strict?: Loss<Model, Data>;
  /** Must not bend. */
  readonly hard?: boolean;
  /** The data this requirement is about, where it is not the objective's (the paper's Dᵢ). */
  readonly stream?: (data: Data) => Data;
}

export interface Requirement<Model, Data> extends RequirementOptions<Model, Data> {
  readonly sense: "at most" | "at least" | "between";
  /** The level asked for; of a two-sided requirement both. */
  readonly level: number | readonly [number, number];
  readonly loss: Loss<Model, Data>;
}

type Options<Model, Data> = RequirementOptions<Model, Data>;

/** loss ≤ level. */
export const atMost = <Model, Data>(
  level: number,
  loss: Loss<Model, Data>,
  options: Options<Model, Data> = {},
): Requirement<Model, Data> => ({ sense: "at most", level, loss, ...options });

/** loss ≥ level. */
export const atLeast = <Model, Data>(
  level: number,
  loss: Loss<Model, Data>,
  options: Options<Model, Data> = {},
): Requirement<Model, Data> => ({ sense: "at least", level, loss, ...options });

/** low ≤ loss ≤ high; each side may give way by itself. */
export const between = <Model, Data>(
  low: number,
  high: number,
  loss: Loss<Model, Data>,
  options: Options<Model, Data> = {},
): Requirement<Model, Data> => ({ sense: "between", level: [low, high], loss, ...options });

/** How far a requirement is exceeded, element by element, as a vector: ≤ 0 where it holds. */
export function slackOf<Model, Data>({ sense, level }: Requirement<Model, Data>, loss: Tensor): Tensor {
  const flat = loss.reshape([loss.size]);
  if (typeof level !== "number") return concat([flat.neg().add(level[0]), flat.sub(level[1])]);
  return sense === "at most" ? flat.sub(level) : flat.neg().add(level);
}

export interface Problem<Params, Data, Model, Names extends string> {
  readonly params: Params;
  /** What objective and requirements share: computed once a step. */
  readonly forward: (params: Traced<Params>, data: Data) => Model;
  readonly objective: (model: Model, data: Data) => Tensor;
  readonly requirements: Readonly<Record<Names, Requirement<Model, Data>>>;
  readonly cost: Cost;
}

interface Statement<Params, Data, Model> {
  params: Params;
  forward: (params: Traced<Params>, data: Data) => Model;
  objective: (model: NoInfer<Model>, data: NoInfer<Data>) => Tensor;
}

interface ProblemOptions {
  /** The cost of requirements that name none: quadratic(1) unless given. */
  cost?: Cost;
}

/** Names that would hide something in a report or a file of results. */
const reserved = new Set(["", "objective", "__proto__", "constructor", "prototype"]);

function check(
  name: string,
  { level, rate = 1, sense }: Pick<Requirement<unknown, unknown>, "level" | "rate" | "sense">,
): void {
  if (reserved.has(name.trim()))
    throw new PliantError(`"${name}" cannot be the name of a requirement; choose another.`);
  const levels = typeof level === "number" ? [level] : level;
  if (!levels.every(Number.isFinite)) {
    throw new PliantError(`${name}: the level must be a finite number, got ${levels.join(" and ")}.`);
  }
  if (sense === "between" && levels[0] > levels[1]) {
    throw new PliantError(`${name}: the lower level ${levels[0]} is above the upper level ${levels[1]}.`);
  }
  if (!(rate > 0 && Number.isFinite(rate))) {
    throw new PliantError(`${name}: the rate must be a positive number, got ${rate}.`);
  }
}

/**
 * minimise({ params, forward, objective }).subjectTo({ name: atMost(…), … }): a problem, checked. In two calls, so that
 * the requirements' functions know what the model gives and what the data is.
 */
export function minimise<Params, Data, Model>(statement: Statement<Params, Data, Model>) {
  return {
    subjectTo<const R extends { readonly [Name in keyof R]: Requirement<Model, Data> }>(
      requirements: R,
      { cost = quadratic(1) }: ProblemOptions = {},
    ): Problem<Params, Data, Model, keyof R & string> {
      const names = Object.keys(requirements) as (keyof R & string)[];
      if (names.length === 0)
        throw new PliantError("A problem needs at least one requirement; name one in subjectTo.");
      for (const name of names) check(name, requirements[name]);
      return { ...statement, requirements, cost };
    },
  };
}

/** Requirements that share one cost, which sees their relaxations side by side. */
export interface Group<Names extends string = string> {
  readonly names: readonly Names[];
  readonly cost: Cost;
}

export function groupsOf<P, D, M, N extends string>({ requirements, cost }: Problem<P, D, M, N>): Group<N>[] {
  const shared: N[] = [];
  const groups: Group<N>[] = [];
  for (const name of Object.keys(requirements) as N[]) {
    const own = requirements[name].hard ? hard : requirements[name].cost;
    if (own) groups.push({ names: [name], cost: own });
    else shared.push(name);
  }
  return shared.length > 0 ? [...groups, { names: shared, cost }] : groups;
}

export interface Measured<Names extends string> {
  readonly objective: Tensor;
  readonly slacks: Record<Names, Tensor>;
}

/** Objective and slacks of a model, each from one evaluation for each stream of data. */
export function measure<P, D, M, N extends string>(
  { forward, objective, requirements }: Problem<P, D, M, N>,
  params: Traced<P>,
  data: D,
): Measured<N> {
  const shared = forward(params, data);
  const value = objective(shared, data);
  if (value.size !== 1)
    throw new PliantError(
      `The objective must be one number, got shape [${value.shape.join(", ")}]; take its mean.`,
    );
  const slacks = {} as Record<N, Tensor>;
  for (const name of Object.keys(requirements) as N[]) {
    const requirement = requirements[name];
    const own = requirement.stream?.(data);
    const loss =
      own === undefined ? requirement.loss(shared, data) : requirement.loss(forward(params, own), own);
    if (loss?.dtype !== value.dtype) {
      throw new PliantError(
        `${name}: its loss must be a tensor of ${value.dtype} like the objective, got ${loss?.dtype ?? typeof loss}.`,
      );
    }
    slacks[name] = slackOf(requirement, loss);
  }
  return { objective: value.reshape([]), slacks };
}

/** The strict metrics of the requirements that have one: the truth their losses stand for, the mean over its elements. */
export function measureStrictly<P, D, M, N extends string>(
  { forward, requirements }: Problem<P, D, M, N>,
  params: Traced<P>,
  data: D,
): Partial<Record<N, Tensor>> {
  const found: Partial<Record<N, Tensor>> = {};
  for (const name of Object.keys(requirements) as N[]) {
    const { strict, stream } = requirements[name];
    const own = stream?.(data) ?? data;
    const metric = strict?.(forward(params, own), own);
    if (metric)
      found[name] = metric.dtype.startsWith("float") ? metric.mean() : metric.cast("float32").mean();
  }
  return found;
}
