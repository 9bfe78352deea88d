// The parameters of costs: a number for all requirements, a list with one for each, or a tensor, which lets a sweep over
// α change the cost without compiling again.
import { array, cast, full, Tensor } from "@pliant/engine";
import { PliantError } from "../errors.js";

/**
 * What a cost is weighted by: one number for all requirements, a list with one for each, or a tensor, which may change without
 * compiling again.
 */
export type Weight = number | readonly number[] | Tensor;

/** Refuses a weight that is not positive and finite. `otherwise` says what to use instead. */
export function checkWeight(cost: string, symbol: string, weight: Weight, otherwise = ""): void {
  if (weight instanceof Tensor) return;
  const list = Array.isArray(weight) ? (weight as readonly number[]) : [weight as number];
  if (list.length === 0)
    throw new PliantError(`${cost}: ${symbol} is an empty list; give a number or one for each requirement.`);
  for (const [i, value] of list.entries()) {
    if (typeof value === "number" && value > 0 && value < Infinity) continue;
    const which = Array.isArray(weight) ? `${symbol}[${i}]` : symbol;
    throw new PliantError(
      `${cost}: ${which} must be a positive, finite number, got ${String(value)}${otherwise}.`,
    );
  }
}

/** A weight or a step size as a tensor that computes with `like`. */
export function beside(like: Tensor, weight: Weight): Tensor {
  const { dtype, shape } = like;
  if (weight instanceof Tensor) return cast(weight, dtype);
  if (typeof weight === "number") return cast(full([], weight, dtype), dtype);
  const requirements = shape.at(-1) ?? 1;
  if (weight.length !== requirements) {
    throw new PliantError(
      `A cost with ${weight.length} weights was given ${requirements} requirements; give one weight for each.`,
    );
  }
  return cast(array(Float64Array.from(weight)), dtype);
}

export function showWeight(weight: Weight): string {
  if (typeof weight === "number") return String(weight);
  if (weight instanceof Tensor) return "traced";
  return weight.length <= 4
    ? `[${weight.join(", ")}]`
    : `[${weight.slice(0, 3).join(", ")}, … ${weight.length}]`;
}

/** The distance between 1 and the next number. */
export const epsilonOf = ({ dtype }: Pick<Tensor, "dtype">): number =>
  dtype === "float64" ? 2 ** -52 : 2 ** -23;
