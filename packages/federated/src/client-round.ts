// A client's part of a communication round: from the server's model through its local steps to the weighted update it sends.
// A simulator asks groups of clients at once; a client in a network is a group of one, with no data but its own at hand.
import { type Backend, leaves, mapTree, NdArray, type Stored } from "@pliant/engine";
import type { Model } from "@pliant/learn";
import { type Augmentation, trainingDraws } from "./augmentation.js";
import { batchSizes, type Order, type Segment, segmentsOf, widthsFor } from "./batches.js";
import type { StoredPool } from "./evaluation.js";
import { type Arrays, type GroupDone, groupRunner, type Sums, zerosLike } from "./groups.js";
import type { LocalOptions } from "./local.js";
import { type Draw, type Privacy, privateSteps } from "./privacy/index.js";
import type { Solver } from "./solvers.js";
import type { Task } from "./task.js";

/** What clients need for their part of communication rounds. */
export interface ClientRoundOptions<P> extends Pick<Task, "loss"> {
  readonly model: Model<P>;
  readonly solver: Solver;
  readonly local: LocalOptions;
  readonly backend: Backend;
  readonly pool: StoredPool;
  /** The clients that may be asked, by their numbers in the federation, with the rows of the pool that each holds. */
  readonly rows: ReadonlyMap<number, ArrayLike<number>>;
  /** Whether groups are stacked; without, a group is one client. */
  readonly stacked: boolean;
  readonly trim: boolean;
  readonly order: Order;
  readonly augmentation?: Augmentation;
  readonly seed: number;
  /** Whether squared norms are asked for. */
  readonly norms: boolean;
  /** Parameters of the right form. */
  readonly params: P;
  /** Noise in every local step; clients are then asked one by one. */
  readonly privacy?: Privacy;
}

/** What a group of clients is asked. */
export interface ClientsAsked {
  /** Of the communication round; counts from 0. */
  readonly number: number;
  readonly group: readonly number[];
  /** One number a client. */
  readonly weights: readonly number[];
  readonly sentWeights: readonly number[];
  /** θ, and what else the server shares. */
  readonly server: Arrays;
  readonly shared: Arrays;
  /** What the clients of the group keep. */
  readonly own: Arrays;
  readonly classes?: Stored;
  /** After how many steps a client stops, if before its last. */
  readonly stopsAfter?: (client: number) => number;
  /** Where steps have noise: what nobody can foresee. */
  readonly draw?: Draw;
}

/** Adds what the group sends to what was sent before it. */
export type ClientRound = (asked: ClientsAsked, before?: Sums) => Promise<GroupDone>;

/** Prepares the clients' part: what comes back takes a group from the server's model through its local steps to what it sends. */
export function clientRound<P>(options: ClientRoundOptions<P>): ClientRound {
  const { model, solver, local, backend, pool, rows, stacked, trim, order, augmentation, norms } = options;
  const { privacy } = options;
  const epochs = local.epochs ?? 1;
  const dtype = (leaves(options.params)[0].leaf as NdArray).dtype as "float32" | "float64";
  const runGroup = groupRunner(
    model,
    solver,
    { ...local, loss: options.loss },
    {
      backend,
      norms,
      stacked,
      augmentation,
      privately: privacy && privateSteps({ ...options, ...privacy }),
    },
  );
  const draws = augmentation && trainingDraws(augmentation, options.seed);
  const sizes = new Map([...rows].map(([client, { length }]) => [client, batchSizes(length, local)]));
  const widest = Math.max(...[...sizes.values()].map((s) => s[0]));
  const widthFor = trim ? widthsFor([...sizes.values()].flat()) : () => widest;
  const zeros = mapTree(zerosLike(options.params), (z: NdArray) => backend.put(z));
  const nothing: Sums = { update: zeros, shared: solver.shares ? zeros : {} };

  const stepsOf = (client: number, stopsAfter?: ClientsAsked["stopsAfter"]): number =>
    Math.min(sizes.get(client)!.length * epochs, stopsAfter?.(client) ?? Infinity);

  /** One number a client of a group. */
  const vector = (values: readonly number[]): NdArray => {
    const data = dtype === "float64" ? Float64Array.from(values) : Float32Array.from(values);
    return new NdArray(data, stacked ? [values.length] : []);
  };

  return async ({ number, group, weights, sentWeights, draw, stopsAfter, ...asked }, before = nothing) => {
    const steps = (): Segment[] =>
      segmentsOf({
        clients: group,
        rowsOf: (client) => rows.get(client)!,
        local,
        order,
        epoch: number * epochs,
        stopsAfter,
        stacked,
        widthFor,
        draws,
        dtype,
      });
    return await runGroup(
      {
        ...asked,
        pool,
        segments: privacy ? [] : steps(),
        secret: draw && { rows: rows.get(group[0])!, draw },
        weights: vector(weights),
        sentWeights: vector(sentWeights),
        travelled: vector(group.map((c) => stepsOf(c, stopsAfter) * local.rate)),
      },
      before,
    );
  };
}
