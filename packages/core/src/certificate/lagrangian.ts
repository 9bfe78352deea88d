// The Lagrangian ℓ₀ + λ·g on all data at prices that stand still, and its slope, for what is worked out on the host.
import {
  type Backend,
  compile,
  leaves,
  type NdArray,
  readAll,
  type Stored,
  type Tensor,
  valueAndGrad,
} from "@pliant/engine";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import type { Traced } from "../problem/problem.js";
import type { StoredState } from "../solver/state.js";
import { looks } from "./host-evaluation.js";
import { flat } from "./ravel.js";
import type { Seen } from "./subgradient.js";

/** Parameters in one list, and the function there and at other such lists. */
export interface Lagrangian {
  readonly theta: readonly number[];
  /** How many numbers each array of the parameters has. */
  readonly sizes: readonly number[];
  at(point: readonly number[]): Promise<Seen>;
}

export function lagrangian<P, D, N extends string>(
  { evaluate, dtype }: Arrangement<P, D, N>,
  data: unknown,
  backend: Backend,
) {
  const compiled = compile(
    (params: Traced<P>, prices: Tensor[], d: D, terms: Terms<Tensor>) => {
      const priced = (p: Traced<P>) => {
        const { objective, slacks } = evaluate(p, d, terms);
        const loss = slacks.reduce((sum, g, i) => sum.add(prices[i].mul(g).sum()), objective);
        const summed = slacks.reduce((sum, g, i) => sum.add(prices[i].mul(g).abs().sum()), objective.abs());
        return { loss, aux: summed };
      };
      const { value, gradient, aux } = valueAndGrad(priced)(params);
      return { value, gradient: gradient as Record<string, Tensor>, summed: aux };
    },
    { backend },
  );
  const around = async (
    { params, prices }: Pick<StoredState, "params" | "prices">,
    terms: Terms<Stored>,
  ): Promise<Lagrangian> => {
    const host = await readAll(params as never);
    return {
      theta: flat(host),
      sizes: leaves(host).map(({ leaf }) => (leaf as NdArray).data.length),
      at: looks(host, dtype, (tree) => compiled(tree, prices as never, data as never, terms as never)),
    };
  };
  return Object.assign(around, { release: () => compiled.release() });
}
