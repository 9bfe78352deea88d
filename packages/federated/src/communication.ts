// A communication round of the simulator: the server's model goes out, the participants take their local steps group by
// group, and the server moves by the sum of what they send.
import { NdArray, readAll, type Stored } from "@pliant/engine";
import type { Stragglers } from "./availability.js";
import { batchSizes } from "./batches.js";
import { type ClientRoundOptions, clientRound } from "./client-round.js";
import { updatesRanAway } from "./divergence.js";
import { type FixedPoint, fixedSums } from "./fixed-sums.js";
import type { Average } from "./formulations/index.js";
import type { Arrays, Sums } from "./groups.js";
import { createMemory } from "./memory.js";
import type { Draw } from "./privacy/index.js";
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
  readonly stragglers?: Stragglers;
}

export interface CommunicationRound {
  /** Counts from 0. */
  readonly number: number;
  readonly participants: readonly number[];
  /** Of the participants. */
  readonly weights: readonly number[];
  readonly losses: readonly number[];
  readonly classes?: Stored;
  /** What is kept if the round goes wrong. */
  readonly before: SimulationState;
  /** Numbers that a client's noise is made of. */
  readonly drawOf?: (client: number, number: number) => Draw;
}

/** What a communication round changes. */
export interface Learnt {
  readonly params: Arrays;
  readonly solver: SimulationState["solver"];
}

/** With how many clients were counted, and how many of them had done all they were to do. */
export type Communicate = (
  learnt: Learnt,
  round: CommunicationRound,
) => Promise<Learnt & { readonly counted: number; readonly inTime: number }>;

export function communicator<P>(options: CommunicatorOptions<P>): Communicate {
  const { solver, local, backend, rows, together, serverRate, fairness, average, fixedPoint } = options;
  const { stragglers } = options;
  const clients = rows.length;
  const stacked = together > 1;
  const train = clientRound({
    ...options,
    rows: new Map(rows.entries()),
    stacked,
    norms: fairness !== undefined,
  });
  const move = serverRound({ solver, server: options.server, backend, clients, params: options.params });

  const planned = rows.map(({ length }) => batchSizes(length, local).length * (local.epochs ?? 1));

  return async (learnt, { number, classes, before, drawOf, ...round }) => {
    const { params, solver: kept } = learnt;
    const able = (c: number): number => Math.floor(stragglers?.steps(c, number) ?? Infinity);
    const there = [...round.participants.keys()].filter((i) => {
      const c = round.participants[i];
      return able(c) >= (stragglers?.late === "cut short" ? 1 : planned[c]);
    });
    const [participants, weights, losses] = [round.participants, round.weights, round.losses].map((of) =>
      there.map((i) => of[i]),
    );
    const inTime = participants.filter((c) => able(c) >= planned[c]).length;
    if (participants.length === 0) return { ...learnt, counted: 0, inTime };
    const whole = stacked && together >= clients && participants.length === clients;
    const memory = await createMemory(kept.own, clients, { whole, stacked });
    const sentWeights = Float64Array.from(kept.sentWeights.data);
    const squares: Stored[] = [];
    const like = { update: params, shared: kept.shared };
    const fixed = fixedPoint && fixedSums(fixedPoint, clients, like, () => updatesRanAway(before));
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
          stopsAfter: stragglers && able,
          draw: drawOf?.(group[0], number),
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
      counted: participants.length,
      inTime,
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
