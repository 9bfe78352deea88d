// A communication round: the server's model goes out, the participants take their local steps group by group, and the server
// moves by the sum of what they send.
import { type Backend, compile, leaves, mapTree, NdArray, readAll, type Stored } from "@pliant/engine";
import type { Model } from "@pliant/learn";
import { type Augmentation, trainingDraws } from "./augmentation.js";
import { batchSizes, type Order, segmentsOf, widthsFor } from "./batches.js";
import type { StoredPool } from "./evaluation.js";
import { type Arrays, groupRunner, type Sums, zerosLike } from "./groups.js";
import type { LocalOptions } from "./local.js";
import { createMemory } from "./memory.js";
import { average, fairFactor, serverStep } from "./server.js";
import type { Solver } from "./solvers.js";
import { plus, scaledBy } from "./stacked.js";
import type { SimulationState } from "./state.js";

export interface CommunicatorOptions<P> {
  readonly model: Model<P>;
  readonly solver: Solver;
  readonly local: LocalOptions;
  readonly backend: Backend;
  readonly pool: StoredPool;
  /** The rows of the pool that each client holds. */
  readonly rows: readonly ArrayLike<number>[];
  readonly together: number;
  readonly trim: boolean;
  readonly order: Order;
  readonly augmentation?: Augmentation;
  readonly seed: number;
  readonly serverRate: number;
  /** q of q-FedAvg. */
  readonly fairness?: number;
  /** Parameters of the right form. */
  readonly params: P;
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
  const {
    model,
    solver,
    local,
    backend,
    pool,
    rows,
    together,
    trim,
    order,
    serverRate,
    fairness,
    augmentation,
  } = options;
  const clients = rows.length;
  const epochs = local.epochs ?? 1;
  const stacked = together > 1;
  const dtype = (leaves(options.params)[0].leaf as NdArray).dtype as "float32" | "float64";
  const runGroup = groupRunner(model, solver, local, {
    backend,
    norms: fairness !== undefined,
    augmentation,
  });
  const draws = augmentation && trainingDraws(augmentation, options.seed);
  const advance = compile(serverStep<unknown>, { backend });
  const share = compile((shared: unknown, sum: unknown) => plus(shared, scaledBy(sum, 1 / clients)), {
    backend,
  });

  const sizes = rows.map(({ length }) => batchSizes(length, local));
  const widest = Math.max(...sizes.map((s) => s[0]));
  const widthFor = trim ? widthsFor(sizes.flat()) : () => widest;
  const zeros = mapTree(zerosLike(options.params), (z: NdArray) => backend.put(z));
  const nothing: Sums = { update: zeros, shared: solver.shares ? zeros : {} };

  /** One number a client of a group. */
  const vector = (values: readonly number[]): NdArray => {
    const data = dtype === "float64" ? Float64Array.from(values) : Float32Array.from(values);
    return new NdArray(data, stacked ? [values.length] : []);
  };

  return async ({ params, solver: kept }, { number, participants, weights, losses, classes }) => {
    const memory = await createMemory(kept.own, clients, { whole: stacked && together >= clients, stacked });
    const sentWeights = Float64Array.from(kept.sentWeights.data);
    const squares: Stored[] = [];
    let sums = nothing;
    for (let first = 0; first < participants.length; first += together) {
      const group = participants.slice(first, first + together);
      const segments = segmentsOf({
        clients: group,
        rowsOf: (client) => rows[client],
        local,
        order,
        epoch: number * epochs,
        stacked,
        widthFor,
        draws,
        dtype,
      });
      const done = await runGroup(
        {
          server: params,
          own: memory.take(group),
          shared: kept.shared,
          classes,
          pool,
          segments,
          weights: vector(weights.slice(first, first + together)),
          sentWeights: vector(group.map((c) => sentWeights[c])),
          travelled: vector(group.map((c) => sizes[c].length * epochs * local.rate)),
        },
        sums,
      );
      sums = done.sums;
      await memory.put(group, done.own);
      if (done.squaredNorms) squares.push(done.squaredNorms);
    }
    for (const [i, c] of participants.entries()) sentWeights[c] = weights[i];

    let factor = serverRate / participants.length;
    if (fairness !== undefined) {
      const norms = (await readAll(squares)).flatMap(({ data }) => Array.from(data));
      factor = serverRate * fairFactor(fairness, losses, norms, local.rate, average);
    }
    return {
      params: await advance(params as never, sums.update as never, scalar(factor, dtype) as never),
      solver: {
        own: memory.all(),
        shared: solver.shares ? await share(kept.shared as never, sums.shared as never) : {},
        sentWeights: new NdArray(sentWeights, [clients]),
      },
    };
  };
}

const scalar = (value: number, dtype: "float32" | "float64"): NdArray =>
  new NdArray(dtype === "float64" ? Float64Array.of(value) : Float32Array.of(value), []);
