// What the slope of the Lagrangian is compared with: prices move once the model has answered the last ones, which shows in a slope that is
// small beside its parts.
import { type Backend, compile, grad, leaves, type NdArray, type Tensor, where } from "@pliant/engine";
import type { Values } from "../algorithms/algorithms.js";
import { PliantError } from "../errors.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import type { Traced } from "../problem/problem.js";
import { lengthOf } from "../problem/trees.js";

/**
 * ‖∇ℓ₀‖ + ‖∇(λ + λ₁)·g‖, with small prices λ₁: a tenth of what would move the objective by its own size when a requirement moves
 * by its scale. Without them a model at the minimum of ℓ₀ would never seem to have answered prices of 0.
 */
export function partsOfSlope<P>(
  evaluate: (params: Traced<P>) => Values,
  params: Traced<P>,
  prices: readonly Tensor[],
  { scales, objective }: { scales: readonly Tensor[]; objective: Tensor },
): Tensor {
  const size = evaluate(params).objective.abs().maximum(objective.abs());
  const pulls = prices.map((price, i) =>
    price.add(
      size
        .mul(0.1)
        .div(scales[i])
        .mul(where(price.lt(0), -1, 1).cast(price.dtype)),
    ),
  );
  const burden = (p: Traced<P>): Tensor =>
    evaluate(p)
      .slacks.map((g, i) => pulls[i].mul(g).sum())
      .reduce((a, b) => a.add(b));
  const slope = (f: (p: Traced<P>) => Tensor): Tensor => lengthOf(grad(f)(params));
  const own = slope((p) => evaluate(p).objective);
  return pulls.length === 0 ? own : own.add(slope(burden));
}

/** ‖∇ℓ₀‖ at the start; less, where the objective is usually smaller, by the root of that, as of a bowl. */
export async function usualSlope<P, D, N extends string>(
  params: P,
  arranged: Arrangement<P, D, N>,
  data: unknown,
  backend: Backend,
): Promise<number> {
  const found = compile(
    (params: Traced<P>, d: D, terms: Terms<never>) => {
      const slopes = grad((p: Traced<P>) => arranged.evaluate(p, d, terms).objective)(params);
      if (leaves(slopes).every(({ leaf }) => isNothing(leaf as Tensor)))
        throw new PliantError(
          "The objective has no gradient in any parameter, so nothing can be learnt: it counts or rounds, stops its gradient, or does not depend on the parameters. Minimise a differentiable surrogate instead.",
        );
      return lengthOf(slopes);
    },
    { backend },
  );
  const slope = await found(params as never, data as never, arranged.stated as never);
  found.release();
  const { size, start } = arranged;
  const less = start.objective === 0 ? 1 : size / Math.abs(start.objective);
  return (await slope.read()).item() * Math.sqrt(less);
}

/** What no gradient flows to has a 0 in its place, one for all of its elements. */
const isNothing = ({ inputs, attrs }: Tensor): boolean => {
  if (inputs.length > 0) return inputs.length === 1 && inputs[0].size === 1 && isNothing(inputs[0]);
  const { value } = attrs as { value?: NdArray };
  return value?.size === 1 && value.item() === 0;
};
