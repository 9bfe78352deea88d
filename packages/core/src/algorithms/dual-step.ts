// A proximal step on the dual, which solves for u exactly on the way:
//
//   v = λ + η_λ g,   u⁺ = argmin_{u ≥ 0} h(u) + η_λ/2 ‖u − v/η_λ‖²,   λ⁺ = [v − η_λ u⁺]₊ = ∇h(u⁺) where u⁺ > 0.
//
// The price of an equality has the sign of v, and its size is found from |v|. What must hold has u⁺ = 0. What was not observed keeps
// both.
//
// A count over n examples moves in steps of 1/n. A slack that is off its relaxed level by no more than it can show is at it, and its
// price rests: one that went on would move the model for ever. Of others what is beyond that is followed, as the certificate has it.
// What must hold is at a level between two counts at the lower one only.
import { type Tensor, where } from "@pliant/engine";
import { proxConjugate } from "../costs/conjugacy.js";
import { pricedOf, type Resting, type Setting, type State, type Values } from "./algorithms.js";

export interface Duals {
  readonly prices: Tensor[];
  readonly relaxations: Tensor[];
}

export function dualStep<P>(
  { costs, rates, signed, insisted, resting }: Setting<P>,
  state: Pick<State<P>, "prices" | "relaxations">,
  values: Values,
): Duals {
  const next = state.prices.map((price, i) => {
    const g = pricedOf(values)[i];
    const level = relaxedBy(state.relaxations[i], price, signed?.[i]);
    const followed = resting ? level.add(apartOf(g.sub(level), values, resting, i)) : g;
    const v = price.add(followed.mul(rates[i]));
    // An equality pulls from either side: its price is found by size, and keeps its sign.
    const either = signed?.[i].gt(0);
    const size = either ? where(either, v.abs(), v.relu()) : v.relu();
    const firm = insisted?.[i].gt(0);
    const found = proxConjugate(costs[i], firm ? where(firm, 0, size) : size, rates[i]);
    const bent = firm
      ? { price: where(firm, size, found.price), relaxation: where(firm, 0, found.relaxation) }
      : found;
    const moved = {
      price: either ? where(either.and(v.lt(0)), bent.price.neg(), bent.price) : bent.price,
      relaxation: bent.relaxation,
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

/** Where a relaxed level is, on the side that its price pulls from. */
export const relaxedBy = (relaxation: Tensor, price: Tensor, signed?: Tensor): Tensor =>
  signed ? where(signed.gt(0).and(price.lt(0)), relaxation.neg(), relaxation) : relaxation;

/** A hair more than a resolution: one step of a count is no more than one where it is rounded either. */
const hair = 1.0001;

/** How far each slack of a group, so much over its relaxed level, is from being at it. */
export function apartOf(
  over: Tensor,
  { resolutions }: Values,
  { always, above }: Resting,
  i: number,
): Tensor {
  const here = resolutions?.[i];
  const within = (here ? always[i].maximum(here) : always[i]).mul(hair);
  return over.sub(within.mul(above[i])).relu().sub(over.neg().sub(within).relu());
}
