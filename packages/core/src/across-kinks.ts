// The least slope that kinks allow, of a state on all data: what kinks.ts asks for is the Lagrangian at prices that stand still.
import {
  type Backend,
  compile,
  full,
  type NdArray,
  readAll,
  type Stored,
  type Tensor,
  valueAndGrad,
} from "@pliant/engine";
import type { Arrangement, Terms } from "./arrangement.js";
import type { Distances } from "./certificate.js";
import { flat } from "./flat.js";
import { leastSlope } from "./kinks.js";
import { looks } from "./looks.js";
import type { Traced } from "./problem.js";
import type { StoredState } from "./state.js";

/** How far below the objective a bound may be, in units of what the tolerance makes of it. */
const below = 0.01;

interface Options {
  readonly tolerance: number;
  readonly backend: Backend;
}

export function acrossKinks<P, D, N extends string>(
  { evaluate, dtype }: Arrangement<P, D, N>,
  data: unknown,
  { tolerance, backend }: Options,
) {
  const lagrangian = compile(
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

  /** The distances with it in place of the slope on one side. */
  const across = async (
    found: Distances<NdArray>,
    { params, prices }: Pick<StoredState, "params" | "prices">,
    terms: Terms<Stored>,
  ): Promise<Distances<NdArray>> => {
    const host = await readAll(params as never);
    const at = looks(host, dtype, (tree) => lagrangian(tree, prices as never, data as never, terms as never));
    const along = found.reach.item();
    const least = await leastSlope(at, flat(host), {
      length: found.parts.item(),
      along,
      error: below * tolerance * along,
      enough: tolerance,
    });
    return { ...found, slope: full([], least.slope, dtype), growth: full([], least.growth, dtype) };
  };
  return Object.assign(across, { release: () => lagrangian.release() });
}
