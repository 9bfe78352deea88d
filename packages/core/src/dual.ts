// A proximal step on the dual, which solves for u exactly on the way:
//
//   v = λ + η_λ g,   u⁺ = argmin_{u ≥ 0} h(u) + η_λ/2 ‖u − v/η_λ‖²,   λ⁺ = [v − η_λ u⁺]₊ = ∇h(u⁺) where u⁺ > 0.
//
// Under a cap, what λ⁺ may not take of v goes to u⁺: beyond it giving way costs the cap a unit. The price of an equality has the
// sign of v, and its size is found from |v|. What is insisted on has u⁺ = 0. What was not observed keeps both.
import { type Tensor, where } from "@pliant/engine";
import { pricedOf, type Setting, type State, type Values } from "./algorithms.js";
import { proxConjugate } from "./costs/conjugacy.js";

export interface Duals {
  readonly prices: Tensor[];
  readonly relaxations: Tensor[];
}

export function dualStep<P>(
  { costs, rates, priceCap, signed, insisted }: Setting<P>,
  state: Pick<State<P>, "prices" | "relaxations">,
  values: Values,
): Duals {
  const next = state.prices.map((price, i) => {
    const v = price.add(pricedOf(values)[i].mul(rates[i]));
    // An equality pulls from either side: its price is found by size, and keeps its sign.
    const either = signed?.[i].gt(0);
    const size = either ? where(either, v.abs(), v.relu()) : v.relu();
    const firm = insisted?.[i].gt(0);
    const found = proxConjugate(costs[i], firm ? where(firm, 0, size) : size, rates[i]);
    const bent = firm
      ? { price: where(firm, size, found.price), relaxation: where(firm, 0, found.relaxation) }
      : found;
    const capped = priceCap === undefined ? bent : underCap(bent, priceCap, rates[i]);
    const moved = {
      price: either ? where(either.and(v.lt(0)), capped.price.neg(), capped.price) : capped.price,
      relaxation: capped.relaxation,
    };
    const seen = values.observed?.[i]?.gt(0);
    if (!seen) return moved;
    return {
      price: where(seen, moved.price, price),
      relaxation: where(seen, moved.relaxation, state.relaxations[i]),
    };
  });
  return { prices: next.map(({ price }) => price), relaxations: next.map(({ relaxation }) => relaxation) };
}

function underCap(
  { price, relaxation }: { price: Tensor; relaxation: Tensor },
  cap: number,
  rate: Tensor,
): { price: Tensor; relaxation: Tensor } {
  const capped = price.minimum(cap);
  return { price: capped, relaxation: relaxation.add(price.sub(capped).div(rate)) };
}
