// How the weighted mean of the clients' losses, (1/C) Σ w_c R_c, is minimised: what a client adds to its local gradient, what
// it sends when its local steps are done, and what it keeps for the next time.

import { InputError } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { minus, plus, scaledBy, times } from "./stacked.js";

/** A tree of parameters, of one client or stacked. */
type Params = unknown;

/** Where a client is. */
export interface Position {
  /** θ_c. */
  readonly params: Params;
  /** θ, the server's model that the round began with. */
  readonly server: Params;
  /** What the client kept, if the solver keeps anything. */
  readonly own: Params;
  /** What the server shares besides the model, if anything. */
  readonly shared: Params;
}

/** A client's round, done. */
export interface Finished extends Position {
  /** w_c. */
  readonly weight: Tensor;
  /** The weight in what it sent last. */
  readonly sentWeight: Tensor;
  /** The sum of the rates of its local steps, K·η_l. */
  readonly travelled: Tensor;
}

/** What a client sends, and what it keeps. */
export interface Message {
  /** The server averages it and moves by η_g times the average. */
  readonly update: Params;
  readonly own?: Params;
  /** Its change to what the server shares, which is an average over all clients. */
  readonly shared?: Params;
}

/** One way to minimise the weighted mean of the losses by local steps. */
export interface Solver {
  readonly name: string;
  /** Whether each client keeps a model-sized memory, zero at first. */
  readonly keeps: boolean;
  /** Whether the server shares a second model-sized average, zero at first. */
  readonly shares: boolean;
  /** Why clients may not be absent, or weights negative, if so. */
  readonly refusesAbsence?: string;
  readonly refusesNegativeWeights?: string;
  /** Why local steps must be plain, if so. */
  readonly refusesLocalOptimizer?: string;
  /** Added to the local gradient. */
  pull?(at: Position): Params;
  finish(at: Finished): Message;
}

/** McMahan et al. (2017): local gradient steps, θ ← θ + (η_g/|S|) Σ w_c (θ_c − θ). */
export const fedAvg = (): Solver => ({
  name: "FedAvg",
  keeps: false,
  shares: false,
  finish: ({ params, server, weight }) => ({ update: times(minus(params, server), weight) }),
});

/** Li et al. (2020): local losses plus μ/2 ‖θ_c − θ‖², which keeps clients near the server's model. */
export function fedProx({ mu }: { readonly mu: number }): Solver {
  if (!(mu >= 0 && Number.isFinite(mu)))
    throw new InputError(`FedProx: μ must be a number of at least 0, got ${mu}.`);
  return {
    ...fedAvg(),
    name: "FedProx",
    pull: ({ params, server }) => scaledBy(minus(params, server), mu),
  };
}

/**
 * Karimireddy et al. (2020), with control variates by its option II. A client keeps c_c, the mean gradient of its last local
 * steps, and steps along g − c_c + c, where c = (1/C) Σ w_c c_c estimates the gradient of the weighted mean; so every client
 * follows the server's objective, and θ moves by the plain mean of θ_c − θ. Weights act through c alone: c_c does not change
 * when prices do, and a negative weight turns no client's update around. With all weights 1 it is the textbook's.
 */
export const scaffold = (): Solver => ({
  name: "SCAFFOLD",
  keeps: true,
  shares: true,
  refusesLocalOptimizer: "SCAFFOLD takes what a client moved by for the mean of its gradients",
  pull: ({ own, shared }) => minusStacked(shared, own),
  finish: ({ params, server, own, shared, weight, sentWeight, travelled }) => {
    const update = minus(params, server);
    // c_c⁺ = c_c − c + (θ − θ_c)/(K η_l)
    const mean = minus(minus(own, shared), times(update, travelled.pow(-1)));
    return { update, own: mean, shared: minus(times(mean, weight), times(own, sentWeight)) };
  },
});

/** shared […] − own [S, …]. */
const minusStacked = (shared: Params, own: Params): Params => scaledBy(minus(own, shared), -1);

/**
 * Zhang et al. (2020), communicating in every round. Each client minimises R_c(θ_c) + ⟨ν_c, θ_c − θ⟩ + ‖θ_c − θ‖²/2η by its
 * local steps, then ν_c ← ν_c + (θ_c − θ)/η, and θ ← (1/C) Σ w_c (θ_c + η ν_c): consensus with the terms of client c, its
 * penalty included, counted w_c times. So ν_c → −∇R_c whatever the weights, and local steps keep their length.
 */
export function fedPd({ eta }: { readonly eta: number }): Solver {
  if (!(eta > 0 && Number.isFinite(eta)))
    throw new InputError(`FedPD: η must be a positive number, got ${eta}.`);
  return {
    name: "FedPD",
    keeps: true,
    shares: false,
    refusesAbsence: "FedPD averages the copies of all clients at once",
    refusesNegativeWeights: "FedPD counts each client's penalty by its weight, which must not be negative",
    pull: ({ params, server, own }) => plus(own, scaledBy(minus(params, server), 1 / eta)),
    finish: ({ params, server, own, weight }) => {
      const moved = minus(params, server);
      const nu = plus(own, scaledBy(moved, 1 / eta));
      return { update: times(plus(moved, scaledBy(nu, eta)), weight), own: nu };
    },
  };
}
