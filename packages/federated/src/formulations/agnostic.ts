// Agnostic federated learning: the worst mixture of the clients, min_θ max_p Σ p_c R_c over the simplex.
// Read: Mohri, Sivek, Suresh, "Agnostic federated learning" (ICML 2019).
import { type Formulation, type Judged, revisedBy } from "./formulation.js";
import { checkPositive } from "./resilient.js";

/**
 * A client's price is its weight C·p_c itself, raised by exponentiated gradient steps w_c ← w_c exp(η (R_c − R̄)) and brought
 * back to the simplex by one more average, of the raised weights. The participants keep their share of the whole.
 */
export function agnostic({ dualRate, of }: { readonly dualRate: number; readonly of?: Judged }): Formulation {
  checkPositive("dualRate", dualRate);
  return {
    name: "agnostic",
    initialPrice: 1,
    judged: of,
    refusesShares: "the worst mixture weighs the clients itself",
    weigh: ({ prices }) => prices,
    ...revisedBy(3, function* ({ prices, relaxations }, losses) {
      const meanLoss = yield losses;
      const raised = prices.map((w, c) => w * Math.exp(dualRate * (losses[c] - meanLoss)));
      const back = (yield prices) / (yield raised);
      return { prices: raised.map((w) => w * back), relaxations };
    }),
  };
}
