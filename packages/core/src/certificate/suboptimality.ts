// What is left to gain. A slope says how steep it is, not how far it is to the bottom: where one parameter was started or scaled badly
// every other slope is small beside its own. So what would be certified is tried: a few steps down
//
//   ℓ₀(θ) + Σ λ(g − c) + ρ/2 (g − c)²,   as far as λ + ρ(g − c) ≥ 0 or the price may have either sign, and −λ²/2ρ beyond,
//
// the augmented Lagrangian of the problem as it is relaxed: c is the slack here where there is a price, and the relaxed level where
// there is none. At an equilibrium of a convex problem it is nowhere lower than here, and it has a minimum where the Lagrangian alone
// has none. ρ = U/σ²: one unit of a requirement counts as one of the objective.
import {
  type Backend,
  compile,
  NdArray,
  readAll,
  type Stored,
  type Tensor,
  valueAndGrad,
  where,
} from "@pliant/engine";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import type { Traced } from "../problem/problem.js";
import type { StoredState } from "../solver/state.js";
import type { Distances } from "./certificate.js";
import { looks } from "./host-evaluation.js";
import { descent, offRidge } from "./lbfgs.js";
import { flat } from "./ravel.js";

/**
 * Where slopes are the tolerance of what they were a unit above the bottom, its square is left of that; so many times that may be left
 * down the slope.
 */
const squares = 4;

export function remaining<P, D, N extends string>(
  { evaluate, dtype, scales, signed, followed, without }: Arrangement<P, D, N>,
  data: unknown,
  { tolerance, backend }: { readonly tolerance: number; readonly backend: Backend },
) {
  const augmented = compile(
    (params: Traced<P>, held: Held<Tensor>, d: D, terms: Terms<Tensor>) => {
      const relaxed = (p: Traced<P>) => {
        const { objective, slacks } = evaluate(p, d, terms);
        const each = slacks.map((g, i) => {
          const [price, stiff] = [held.prices[i], held.stiff[i]];
          // An equality without a price is anywhere within its relaxed levels, on either side.
          const either = held.signed[i].gt(0);
          const free = either.and(price.eq(0));
          const over = where(free, g.abs(), g).sub(held.centres[i]);
          const pulls = price.add(stiff.mul(over)).ge(0).or(either.and(free.not())).or(stiff.le(0));
          const inside = where(pulls, over, 0);
          const spent = where(pulls, 0, price.mul(price).div(stiff.mul(2).maximum(1e-30))).neg();
          return { own: inside.mul(price).add(inside.mul(inside).mul(stiff).mul(0.5)).add(spent), g, price };
        });
        const loss = each.reduce((sum, { own }) => sum.add(own.sum()), objective);
        const summed = each.reduce((sum, { g, price }) => sum.add(price.mul(g).abs().sum()), objective.abs());
        return { loss, aux: summed };
      };
      const { value, gradient, aux } = valueAndGrad(relaxed)(params);
      return { value, gradient: gradient as Record<string, Tensor>, summed: aux };
    },
    { backend },
  );
  const vector = (like: NdArray, of: (i: number) => number): NdArray => {
    const each = Array.from(like.data as ArrayLike<number>, (_, i) => of(i));
    return new NdArray(dtype === "float64" ? Float64Array.from(each) : Float32Array.from(each), like.shape);
  };

  /** In units of what may be left: at most the tolerance where that is so. */
  const left = async (
    { unit, range }: Pick<Distances<NdArray>, "unit" | "range">,
    { objective, slacks }: { readonly objective: number; readonly slacks: readonly NdArray[] },
    state: Pick<StoredState, "params" | "prices" | "relaxations">,
    terms: Terms<Stored>,
  ): Promise<number> => {
    const { params, prices, relaxations } = (await readAll({
      params: state.params,
      prices: state.prices,
      relaxations: state.relaxations,
    } as never)) as unknown as { params: unknown; prices: NdArray[]; relaxations: NdArray[] };
    const under = (stiffness: number) => {
      const held: Held<NdArray> = {
        prices,
        signed,
        centres: slacks.map((g, k) =>
          vector(g, (i) => (prices[k].data[i] !== 0 ? g.data[i] : relaxations[k].data[i]) as number),
        ),
        stiff: slacks.map((g, k) =>
          vector(g, (i) =>
            prices[k].data[i] !== 0 || followed[k].data[i] > 0
              ? stiffness / Number(scales[k].data[i]) ** 2
              : 0,
          ),
        ),
      };
      return looks(params, dtype, (tree) => augmented(tree, held as never, data as never, terms as never));
    };
    const [u, widest] = await unitAndRange();
    // An objective that falls to nothing is as good as there at this of all that it ranged over.
    const nothing = tolerance ** 3 * widest;
    const enough = {
      first: Math.max(squares * tolerance ** 2 * u, nothing),
      all: Math.max(tolerance * u, nothing),
    };
    const found = await descent(under(u), flat(params), enough);
    const share = (x: number, of: number): number => (x > 0 ? x / Math.max(of, 1e-300) : 0);
    const more = Math.max(Math.sqrt(share(found.first, enough.first)), share(found.all, enough.all));
    if (more > 1) return tolerance * more;
    return tolerance * Math.max(more, share(await offRidge(under(u), flat(params), enough), enough.all));

    /**
     * Where the objective is measured by what it fell by, steps may have begun as far off as they like, and beside that a model is as
     * good as none. Where it can be lower than without parameters it is measured by that instead. What is priced is so anyway
     * (certificate.ts).
     */
    async function unitAndRange(): Promise<[unit: number, range: number]> {
      const given: [number, number] = [unit.item(), range.item()];
      const size = Math.abs(objective);
      if (!(given[1] > Math.abs(without - objective) * (1 + 1e-3))) return given;
      const most = size + Math.abs(without);
      const lowest = objective - (await descent(under(0), flat(params), { first: most, all: most })).all;
      const worth = without - lowest;
      return worth > 0 ? [Math.max(Math.min(worth, size), tolerance ** 2 * worth), worth] : given;
    }
  };
  return Object.assign(left, { release: () => augmented.release() });
}

interface Held<T> {
  readonly prices: readonly T[];
  readonly centres: readonly T[];
  readonly stiff: readonly T[];
  readonly signed: readonly T[];
}
