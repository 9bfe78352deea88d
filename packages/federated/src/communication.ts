// A communication round of the simulator: the server's model goes out, the participants take their local steps group by
// group, and the server moves by the sum of what they send.
import { NdArray, readAll, type Stored } from "@pliant/engine";
import { type ClientRoundOptions, clientRound } from "./client-round.js";
import { type FixedPoint, fixedSums } from "./fixed-sums.js";
import type { Average } from "./formulations/index.js";
import type { Arrays, Sums } from "./groups.js";
import { createMemory } from "./memory.js";
import { fairFactor } from "./server.js";
import type { ServerOptimizer } from "./server-optimizer.js";
import { serverRound } from "./server-round.js";
import type { SimulationState } from "./state.js";

export interface CommunicatorOptions<P> extends Omit<ClientRoundOptions<P>, "rows" | "stacked" | "norms"> {
  /** The rows of the pool that each client holds. */
  readonly rows: readonly ArrayLike<number>[];
  readonly together: number;
  readonly serverRate: number;
  readonly server?: ServerOptimizer;
  /** q of q-FedAvg. */
  readonly fairness?: number;
  readonly average: Average;
  readonly fixedPoint?: FixedPoint;
}

export interface CommunicationRound {
  /** Counts from 0. */
  readonly number: number;
  readonly participants: readonly number[];
  /** Of the participants. */
  readonly weights: readonly number[];
  readonly losses: readonly number[];
  readonly classes?: Stored;
}

/** What a communication round changes. */
export interface Learnt {
  readonly params: Arrays;
  readonly solver: SimulationState["solver"];
}

export type Communicate = (learnt: Learnt, round: CommunicationRound) => Promise<Learnt>;

export function communicator<P>(options: CommunicatorOptions<P>): Communicate {
  const { solver, local, backend, rows, together, serverRate, fairness, average, fixedPoint } = options;
  const clients = rows.length;
  const stacked = together > 1;
  const train = clientRound({
    ...options,
    rows: new Map(rows.entries()),
    stacked,
    norms: fairness !== undefined,
  });
  const move = serverRound({ solver, server: options.server, backend, clients, params: options.params });

  return async ({ params, solver: kept }, { number, participants, weights, losses, classes }) => {
    const memory = await createMemory(kept.own, clients, { whole: stacked && together >= clients, stacked });
    const sentWeights = Float64Array.from(kept.sentWeights.data);
    const squares: Stored[] = [];
    const fixed = fixedPoint && fixedSums(fixedPoint, clients, { update: params, shared: kept.shared });
    let sums: Sums | undefined;
    for (let first = 0; first < participants.length; first += together) {
      const group = participants.slice(first, first + together);
      const done = await train(
        {
          number,
          group,
          weights: weights.slice(first, first + together),
          sentWeights: group.map((c) => sentWeights[c]),
          server: params,
          shared: kept.shared,
          own: memory.take(group),
          classes,
        },
        fixed ? undefined : sums,
      );
      sums = done.sums;
      await fixed?.add(done.sums);
      await memory.put(group, done.own);
      if (done.squaredNorms) squares.push(done.squaredNorms);
    }
    for (const [i, c] of participants.entries()) sentWeights[c] = weights[i];

    let factor = serverRate / participants.length;
    if (fairness !== undefined) {
      const norms = (await readAll(squares)).flatMap(({ data }) => Array.from(data));
      factor = serverRate * fairFactor(fairness, losses, norms, local.rate, average);
    }
    const at = { params, shared: kept.shared, memory: kept.server };
    const moved = await move(at, fixed?.sums() ?? sums!, factor);
    return {
      params: moved.params,
      solver: {
        own: memory.all(),
        shared: moved.shared,
        ...(moved.memory !== undefined && { server: moved.memory }),
        sentWeights: new NdArray(sentWeights, [clients]),
      },
    };
  };
}
