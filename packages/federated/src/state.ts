// What a run is between rounds, and what it shows.
import type { NdArray } from "@pliant/engine";
import type { PerClient } from "./evaluation.js";
import type { Personalised } from "./personalise.js";

/** All a run is. Leaves are arrays in some place; `readAll` brings them to the host, as plain data. */
export interface SimulationState<P = unknown> {
  /** Rounds done. */
  readonly step: number;
  readonly params: P;
  /** λ_c, float64. */
  readonly prices: NdArray;
  /** u_c, float64. */
  readonly relaxations: NdArray;
  /**
   * What the solver's clients keep, stacked along a leading axis of all clients, what its server shares, and what the
   * server's optimiser remembers, where there is one.
   */
  readonly solver: {
    readonly own: unknown;
    readonly shared: unknown;
    readonly sentWeights: NdArray;
    readonly server?: unknown;
  };
}

/** What a round shows. Numbers of clients that were not asked are NaN. */
export interface RoundMetrics {
  /** Rounds done, this one included. */
  readonly round: number;
  /** Communication rounds done. */
  readonly communicationRounds: number;
  readonly participants: readonly number[];
  /** The participants' mean training loss at the beginning of the round, which the duals are updated with. */
  readonly meanLoss: number;
  /** At the beginning of the round. */
  readonly train: PerClient;
  /** At the end of the round, where it was asked for. */
  readonly test?: TestMeans;
  /** Of models that the participants were sent and of updates they sent, without the few numbers beside them. */
  readonly bytes: { readonly down: number; readonly up: number };
  /** How often, over its communication rounds, a participant was late: left out or cut short. */
  readonly late: number;
  /** ε that each client has spent so far, where records are private. */
  readonly epsilon?: number[];
  /** What the formulation judged each client by, where that is not its loss. */
  readonly judged?: number[];
  /** w_c in this round. */
  readonly weights: number[];
  /** λ_c and u_c after this round's update. */
  readonly prices: number[];
  readonly relaxations: number[];
}

/** Means over each client's test samples, and over the whole test pool. */
export interface TestMeans extends PerClient {
  readonly overall: {
    readonly loss: number;
    readonly accuracy: number;
    readonly metric?: number;
    readonly classAccuracy: number[];
  };
}

/** Everything at one and the same model. */
export interface Evaluation {
  readonly train: PerClient;
  readonly test?: TestMeans;
  /** Of the models that clients make of it by steps of their own, where that was asked for. */
  readonly personalised?: Personalised;
}
