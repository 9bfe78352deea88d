// Trying a cost at points, in float64, and refusing it with a sentence.
import { evaluate } from "@pliant/engine";
import { PliantError } from "../errors.js";
import type { Cost } from "./cost.js";
import { float64 } from "./numbers.js";

export type Point = readonly number[];

export function refuse(cost: Cost, reason: string): never {
  throw new PliantError(`The cost ${cost.name} ${reason}.`);
}

export function show(value: number | Point): string {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return `[${value.map(show).join(", ")}]`;
}

/** h at many points, in one evaluation. NaN is refused, and so is −∞. */
export function valuesAt(cost: Cost, points: readonly Point[]): number[] {
  return evaluate(points.map((u) => cost.value(float64(u)))).map((result, i) => {
    if (result.size !== 1) {
      refuse(cost, `has a value of shape [${result.shape}] where it needs one number; take its sum`);
    }
    const value = result.item();
    if (Number.isNaN(value) || value === -Infinity) refuse(cost, `is ${value} at u = ${show(points[i])}`);
    return value;
  });
}

/** What rounding may explain between numbers of this size. */
export const rounding = (...values: number[]): number =>
  1e-9 * Math.max(1e-3, ...values.filter(Number.isFinite).map(Math.abs));
