// Fair resource allocation: min Σ F_c^(q+1)/(q+1), by q-FedAvg, which weighs updates by F_c^q and chooses its own server step.
// Read: Li, Sanjabi, Beirami, Smith, "Fair resource allocation in federated learning" (ICLR 2020).
import { InputError } from "@pliant/core";
import { aboveZero } from "../server.js";
import { type Formulation, unchanged } from "./formulation.js";

/** q = 0 is FedAvg; the larger q, the more the clients with large losses count. */
export function qFair({ q }: { readonly q: number }): Formulation {
  if (!(q >= 0 && Number.isFinite(q))) throw new InputError(`q must be a number of at least 0, got ${q}.`);
  return {
    name: "q-fair",
    initialPrice: 0,
    fairness: q,
    refusesShares: "q-FedAvg weighs clients by their losses",
    weigh: (_, losses) => losses.map((loss) => aboveZero(loss) ** q),
    ...unchanged,
  };
}
