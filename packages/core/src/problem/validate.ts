// What a person states, looked at before anything is made of it. In plain JavaScript no types say that a name is misspelt, or that
// something is no function; a misspelt option would leave another problem to be solved.
import { leaves, type NdArray } from "@pliant/engine";
import type { Cost } from "../costs/cost.js";
import { hard } from "../costs/linear.js";
import { InputError, PliantError, positive, unknownName } from "../errors.js";
import { isFiniteArray } from "./finite-array.js";
import type { Requirement } from "./problem.js";

/** In a sentence, what was given: `the text "quadratic"`, `undefined`, `a list`. */
export function kindOf(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  if (typeof given === "string") return `the text "${given}"`;
  if (typeof given === "number") return `the number ${given}`;
  if (typeof given === "function") return "a function";
  if (Array.isArray(given)) return "a list";
  return given instanceof Promise ? "a promise" : `something else (${typeof given})`;
}

/** Refuses names that say nothing where they stand. */
export function onlyNames(
  where: string,
  kind: string,
  given: object,
  known: Readonly<Record<string, true>>,
): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const { message } = unknownName(kind, name, Object.keys(known));
    throw new InputError(`${where}${message}`);
  }
}

const requirementNames: Readonly<Record<keyof Requirement<never, never>, true>> = {
  cost: true,
  hard: true,
  judged: true,
  level: true,
  loss: true,
  pricedBy: true,
  rate: true,
  resolution: true,
  scale: true,
  sense: true,
  stream: true,
  strict: true,
  unit: true,
};

/** Refuses what is no cost. */
export function checkCostGiven(what: string, cost: unknown): void {
  const given = cost as Partial<Cost> | null | undefined;
  if (typeof given?.value === "function" && typeof given.prox === "function") return;
  throw new InputError(
    `${what} must be a cost, such as quadratic(1) or one made by customCost, got ${kindOf(cost)}.`,
  );
}

/** Refuses parameters that are no arrays, or no numbers, and functions that are none. */
export function checkStatement({
  params,
  forward,
  objective,
}: Record<"params" | "forward" | "objective", unknown>): void {
  const all = leaves(params);
  if (all.length === 0) throw new InputError("params has no arrays: there is nothing to be learnt.");
  for (const { path, leaf } of all) {
    const { shape, dtype, data } = (leaf ?? {}) as Partial<NdArray>;
    const name = `params${path}`;
    if (!shape || !dtype)
      throw new InputError(`${name} must be an array, such as array([1, 2]), got ${kindOf(leaf)}.`);
    if (data && !isFiniteArray({ data }))
      throw new InputError(`${name} must start from finite numbers, but some of its values are not finite.`);
  }
  for (const [name, f] of Object.entries({ forward, objective }))
    if (typeof f !== "function") throw new InputError(`${name} must be a function, got ${kindOf(f)}.`);
}

/** Names that would hide something in a report or a file of results. */
const reserved = new Set(["", "objective", "__proto__", "constructor", "prototype"]);

export function checkRequirement<M, D>(name: string, requirement: Requirement<M, D>): void {
  if (typeof requirement !== "object" || requirement === null)
    throw new InputError(
      `${name} must be a requirement, such as atMost(level, loss), got ${kindOf(requirement)}.`,
    );
  const {
    level,
    rate = 1,
    sense,
    resolution = 0,
    scale = 1,
    unit = 1,
    cost,
    strict,
    pricedBy,
    judged,
    loss,
  } = requirement;
  const refuse = (sentence: string): never => {
    throw new PliantError(`${name}: ${sentence}`);
  };
  if (reserved.has(name.trim()))
    throw new PliantError(`"${name}" cannot be the name of a requirement; choose another.`);
  onlyNames(`${name}: `, "a part of a requirement", requirement, requirementNames);
  for (const [what, f] of Object.entries({ loss, ...(strict && { strict }) }))
    if (typeof f !== "function")
      refuse(`its ${what} must be a function of model and data, got ${kindOf(f)}.`);
  if (cost !== undefined) checkCostGiven(`${name}: its cost`, cost);
  const levels = typeof level === "number" ? [level] : level;
  if (levels.length === 0 || !levels.every(Number.isFinite))
    refuse(`the level must be a finite number, got ${levels.join(" and ") || "none"}.`);
  if (sense === "between" && levels[0] > levels[1])
    refuse(`the lower level ${levels[0]} is above the upper level ${levels[1]}.`);
  for (const [what, value] of Object.entries({ rate, scale, unit })) positive(`${name}: the ${what}`, value);
  if (!(resolution >= 0 && Number.isFinite(resolution)))
    refuse(`the resolution must be a number from 0, got ${resolution}.`);
  if (requirement.hard && cost && cost !== hard)
    refuse(`it is hard, so its cost ${cost.name} has no effect; leave out hard or the cost.`);
  if (pricedBy === "strict" && !strict)
    refuse("it is to be priced by its strict metric and has none; give it as strict.");
  if (judged && pricedBy !== "strict")
    refuse('judged is the data of the strict metric; say pricedBy: "strict" too.');
}
