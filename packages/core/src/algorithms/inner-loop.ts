// The inner loop of Algorithm 1: N steps of θ at the same prices, then one of u and λ by the mean of the losses that the parameters
// before them, θ⁽ᵗ⁻¹⁾, had on the N batches.
import { mapTree, type NdArray, type Tensor, where, zipTrees } from "@pliant/engine";
import type { Traced } from "../problem/problem.js";
import { paperDuals, pricedOf, type Setting, type State } from "./algorithms.js";

/** Since the prices moved last: the parameters then, and the sum of the slacks they had on each batch. */
export interface Inner<P> {
  readonly params: Traced<P>;
  readonly slacks: readonly Tensor[];
}

/** What the loop begins with; nothing where there is none. */
export const firstInner = (inner: number, params: unknown, zeros: readonly NdArray[]): unknown =>
  inner > 1 ? { params: mapTree(params, (x: NdArray) => x), slacks: zeros } : [];

/** From a step of Algorithm 1 to one of its inner loop; `last` is 1 in the last of N. */
export function innerStep<P>(
  setting: Setting<P>,
  before: State<P>,
  after: State<P>,
  gathered: Inner<P>,
  { inner, relaxationRate, last }: { inner: number; relaxationRate: number; last: Tensor },
): { next: State<P>; gathered: Inner<P> } {
  const seen = pricedOf(setting.evaluate(gathered.params));
  const slacks = gathered.slacks.map((sum, i) => sum.add(seen[i]));
  const mean = { objective: slacks[0], slacks: slacks.map((sum) => sum.div(inner)) };
  const duals = paperDuals(relaxationRate)(setting, before, mean);
  const now = last.gt(0);
  const choose = <T>(then: T, otherwise: T): T =>
    zipTrees((x: Tensor, y: Tensor) => where(now, x, y), then as Tensor, otherwise as Tensor) as T;
  return {
    next: {
      ...after,
      prices: choose(duals.prices, [...before.prices]),
      relaxations: choose(duals.relaxations, [...before.relaxations]),
    },
    gathered: {
      params: choose(after.params, gathered.params),
      slacks: slacks.map((sum) => where(now, 0, sum)),
    },
  };
}
