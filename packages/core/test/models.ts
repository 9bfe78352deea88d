// A problem around a point, in float64 and without a solver: what the certificate's parts are tested on.
import { reference } from "@pliant/engine";
import { expect } from "vitest";
import type { CheckOptions } from "../src/certificate/certificate.js";
import { localModels } from "../src/certificate/compiled-model.js";
import type { LocalModel } from "../src/certificate/local-model.js";
import type { KktStep, Point } from "../src/certificate/newton-kkt.js";
import { ravel, type Vector } from "../src/certificate/vectors.js";
import { arrange } from "../src/layout/constraint-layout.js";
import { termsOf } from "../src/layout/overrides.js";
import type { Problem } from "../src/problem/problem.js";
import { float64 } from "./float64.js";

interface ModelOptions<N> {
  readonly insist?: readonly N[];
}

/** The model of a problem whose functions ask nothing of the data, and what a check of it has to know. */
export async function modelOf<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  { insist = [] }: ModelOptions<N> = {},
) {
  const backend = reference();
  const data = float64([0]);
  const arranged = await arrange(task, data as never, backend);
  const models = localModels(arranged, data, backend);
  const terms = termsOf(task.requirements, arranged, { insist });
  const model = await models(task.params, terms);
  const names = arranged.groups.flatMap((group) =>
    group.names.flatMap((name) => new Array<N>(arranged.sizes[name]).fill(name)),
  );
  const options: CheckOptions = {
    tolerance: 3e-3,
    resolutions: new Float64Array(model.m),
    priced: new Float64Array(model.m),
    convex: false,
    rounding: 1e-9,
    usual: new Float64Array(model.m).fill(1),
    firm: ravel([...terms.insisted]),
    name: (i) => names[i],
    sampled: false,
  };
  return { model, models, terms, arranged, options };
}

/** A point by its numbers; prices of 0 and nothing relaxed unless given. */
export const pointOf = (
  { m }: LocalModel,
  x: readonly number[],
  prices: readonly number[] = new Array(m).fill(0),
  relaxations: readonly number[] = new Array(m).fill(0),
): Point => ({
  x: Float64Array.from(x),
  prices: Float64Array.from(prices),
  relaxations: Float64Array.from(relaxations),
});

/** Where a step ends. What gives way does so to the side of its price; what does not stays at its level. */
export function after({ signed }: LocalModel, { at, dx, dPrices, dRelaxations, augmented }: KktStep) {
  const relaxed = Array.from(augmented.relaxations, (u, i) => {
    const side = signed[i] > 0 && augmented.slacks[i] < 0 ? -1 : 1;
    return u > 0 ? u + side * dRelaxations[i] : 0;
  });
  return { x: sum(at.x, dx), prices: sum(at.prices, dPrices), relaxations: relaxed };
}

const sum = (a: Vector, b: Vector): number[] => Array.from(a, (x, i) => x + b[i]);

export const near = (values: readonly number[], digits = 9) => values.map((x) => expect.closeTo(x, digits));
