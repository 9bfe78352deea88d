// The clients of a round in groups: the local steps of a group are one loop on stacked models, or on one model without a
// stack, and its updates are added to the round's sum before the next group begins. Groups follow one another in the
// order of the clients, so how they are formed changes the numbers by rounding alone.
import {
  type Backend,
  compile,
  leaves,
  loop,
  mapTree,
  NdArray,
  type Replace,
  type Shape,
  type Stored,
  type Tensor,
} from "@pliant/engine";
import type { Model, Traced } from "@pliant/learn";
import { type Augmentation, augmented } from "./augmentation.js";
import type { Segment } from "./batches.js";
import type { StoredPool } from "./evaluation.js";
import { type LocalOptions, localStep, type Training } from "./local.js";
import type { Draw, PrivateSteps } from "./privacy/index.js";
import type { Solver } from "./solvers.js";
import { minus, overClients, plus, squaredNorms } from "./stacked.js";
import type { Task } from "./task.js";

/** A tree of arrays in some place. */
export type Arrays = unknown;

/** What is summed over the groups of a round. */
export interface Sums {
  readonly update: Arrays;
  readonly shared: Arrays;
}

/** What a group of clients begins a communication round with. */
export interface GroupRound {
  readonly server: Arrays;
  /** What the clients of the group keep, stacked as they are; `{}` if nothing. */
  readonly own: Arrays;
  readonly shared: Arrays;
  readonly classes?: Stored;
  readonly pool: StoredPool;
  readonly segments: readonly Segment[];
  /** One number a client. */
  readonly weights: NdArray;
  readonly sentWeights: NdArray;
  readonly travelled: NdArray;
  /** A client alone whose steps have noise: the rows it holds, and what nobody can foresee. */
  readonly secret?: { readonly rows: ArrayLike<number>; readonly draw: Draw };
}

/** What a group has added to the sums, and what its clients keep. */
export interface GroupDone {
  readonly sums: Sums;
  readonly own: Arrays;
  /** ‖θ_c − θ‖², one number a client, where asked for. */
  readonly squaredNorms?: Stored;
}

export interface RunnerOptions {
  readonly backend: Backend;
  /** Whether squared norms are asked for. */
  readonly norms: boolean;
  /** Whether the clients of a group have a leading axis. */
  readonly stacked: boolean;
  readonly augmentation?: Augmentation;
  /** Steps with noise, in the place of those that segments say. */
  readonly privately?: PrivateSteps;
}

/** A communication round of one group, added to what the groups before it sent. */
export type RunGroup = (round: GroupRound, sums: Sums) => Promise<GroupDone>;

/** Compiles the communication rounds of groups: local steps, then what is sent, summed over the group. */
export function groupRunner<P>(
  model: Model<P>,
  solver: Solver,
  local: LocalOptions & Task,
  { backend, norms, stacked, augmentation, privately }: RunnerOptions,
): RunGroup {
  type Params = Traced<P>;
  interface Fixed {
    x: Tensor;
    y: Tensor;
    at: { server: Params; own: Params; shared: Params };
    classes: { weights?: Tensor };
  }
  const train = loop(
    (training: Training<Params>, { x, y, at, classes }: Fixed, { rows, weights, rate, draws }: Slices) => {
      const seen = augmented(augmentation, x.gather(rows), draws.numbers);
      const batch = { x: seen, y: y.gather(rows), weights, rate, classes: classes.weights };
      const next = localStep(model, solver, local, { ...training, ...at }, batch);
      return { state: next as Replace<Training<Params>, Tensor>, record: {} };
    },
    // The copies of a stack are the group's own; a client alone starts from the server's model, which is needed again.
    { backend, donate: stacked },
  );
  /** One copy of the server's model a client. */
  const spread = compile(
    (server: Params, like: Tensor) =>
      mapTree(server, (p: Tensor) => p.broadcastTo([...like.shape, ...p.shape])),
    { backend },
  );
  const remember = compile(
    (params: Params, like: Tensor) => local.optimizer!.init(params, like) as Replace<Params, Tensor>,
    { backend },
  );
  const collect = compile(
    (
      at: { params: Params; server: Params; own: Params; shared: Params },
      { weights, sentWeights, travelled }: { weights: Tensor; sentWeights: Tensor; travelled: Tensor },
      sums: { update: Params; shared: Params },
    ) => {
      const stack = weights.rank;
      const message = solver.finish({ ...at, weight: weights, sentWeight: sentWeights, travelled });
      const moved = norms ? { norms: squaredNorms(minus(at.params, at.server), stack) } : {};
      return {
        sums: {
          update: plus(sums.update, overClients(message.update, stack)),
          shared: message.shared ? plus(sums.shared, overClients(message.shared, stack)) : {},
        },
        own: message.own ?? {},
        moved,
      };
    },
    { backend },
  );

  return async ({ server, own, shared, classes, pool, segments, secret, ...numbers }, sums) => {
    const { weights, sentWeights, travelled } = numbers;
    const start: Arrays = stacked ? await spread(server as never, weights as never) : server;
    const memory = local.optimizer ? await remember(start as never, weights as never) : {};
    let training: Training<Arrays> = { params: start, memory };
    const fixed = {
      x: pool.x,
      y: pool.y,
      at: solver.pull ? { server, own, shared } : { server: {}, own: {}, shared: {} },
      classes: classes ? { weights: classes } : {},
    };
    if (privately) training = { params: await privately({ server, own, shared, pool, ...secret! }), memory };
    for (const { slices } of segments) {
      training = (await train(training as never, fixed as never, slices as never)).state as Training<Arrays>;
    }
    const done = await collect(
      { params: training.params, server, own, shared } as never,
      { weights, sentWeights, travelled } as never,
      sums as never,
    );
    return {
      sums: done.sums,
      own: done.own,
      squaredNorms: (done.moved as { norms?: Stored }).norms,
    };
  };
}

interface Slices {
  rows: Tensor;
  weights: Tensor;
  rate: Tensor;
  draws: { numbers?: Tensor };
}

/** Zeros of the form of parameters, with so many leading axes. */
export const zerosLike = (params: Arrays, lead: Shape = []): Arrays =>
  mapTree(params, ({ shape, dtype }: Stored) => {
    const size = [...lead, ...shape].reduce((n, d) => n * d, 1);
    return new NdArray(dtype === "float64" ? new Float64Array(size) : new Float32Array(size), [
      ...lead,
      ...shape,
    ]);
  });

/** The number of parameters, and whether any of them is a convolution's kernel. */
export function sizeOf(params: Arrays): { parameters: number; convolutional: boolean } {
  const shapes = leaves(params).map(({ leaf }) => (leaf as NdArray).shape);
  return {
    parameters: shapes.reduce((sum, shape) => sum + shape.reduce((n, d) => n * d, 1), 0),
    convolutional: shapes.some((shape) => shape.length >= 4),
  };
}
