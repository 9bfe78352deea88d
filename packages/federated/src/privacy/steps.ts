// A client's local steps with noise (Abadi et al. 2016): every step has the gradients of a sample, one a record, each no longer
// than the clip, and noise on their sum. What comes after, weights, prices and what the server makes of it, adds nothing to it.
import {
  type Backend,
  compile,
  leaves,
  mapTree,
  NdArray,
  readAll,
  type Tensor,
  valueAndGrad,
  where,
} from "@pliant/engine";
import { crossEntropy, type Model, type Traced } from "@pliant/learn";
import { batchSizes } from "../batches.js";
import type { StoredPool } from "../evaluation.js";
import { flatten, unflatten } from "../flat.js";
import type { Arrays } from "../groups.js";
import type { LocalOptions } from "../local.js";
import type { Solver } from "../solvers.js";
import { minus, plus, scaledBy, squaredNorms, times } from "../stacked.js";
import { clipTo, type Draw, noised, sampled } from "./noise.js";

/** Of `privateSteps`. */
export interface PrivateStepsOptions<P> {
  readonly model: Model<P>;
  readonly solver: Solver;
  readonly local: LocalOptions;
  readonly backend: Backend;
  /** The longest gradient of a record. */
  readonly clip: number;
  /** The noise's deviation over the clip. */
  readonly noise: number;
  readonly params: P;
}

/** Where a client's steps begin, and on what. */
export interface PrivateStart {
  readonly server: Arrays;
  readonly own: Arrays;
  readonly shared: Arrays;
  readonly pool: StoredPool;
  readonly rows: ArrayLike<number>;
  readonly draw: Draw;
}

/** The client's parameters after its steps. */
export type PrivateSteps = (start: PrivateStart) => Promise<Arrays>;

/** The sample of a step: each of so many rows is in it at this rate; so many steps to a communication round. */
export function sampling(
  rows: number,
  local: LocalOptions,
): { readonly rate: number; readonly steps: number } {
  const sizes = batchSizes(rows, local);
  return { rate: sizes[0] / rows, steps: sizes.length * (local.epochs ?? 1) };
}

/** Compiles a client's local steps with noise. */
export function privateSteps<P>(options: PrivateStepsOptions<P>): PrivateSteps {
  const { model, solver, local, backend, clip, noise } = options;
  const { rate, decay = 0 } = local;
  type Params = Traced<P>;

  /**
   * Σ over records of g·min(1, clip/‖g‖): one copy of the model a record, so that each has a gradient of its own. Parts of a gradient
   * that are not finite count as 0, so that no record can spoil the sum.
   */
  const clipped = compile(
    (params: Params, x: Tensor, y: Tensor, rows: Tensor, present: Tensor) => {
      const [size] = rows.shape;
      const seen = x.gather(rows);
      const copies = mapTree(params, (p: Tensor) => p.broadcastTo([size, ...p.shape])) as Params;
      const alone = seen.reshape([size, 1, ...seen.shape.slice(1)]);
      const { gradient } = valueAndGrad((each: Params) =>
        crossEntropy(model.apply(each, alone), y.gather(rows).reshape([size, 1])).sum(),
      )(copies);
      const length = squaredNorms(gradient, 1).sqrt();
      const factor = length.add(1e-12).pow(-1).mul(clipTo(clip)).minimum(1).mul(present);
      const finite = (g: Tensor) => where(g.abs().lt(clip), g, 0);
      return mapTree(times(gradient, factor), (g: Tensor) => finite(g).sum({ axis: 0 }));
    },
    { backend },
  );
  const advance = compile(
    (params: Params, gradient: Params, at: { server: Params; own: Params; shared: Params }) => {
      const along = decay > 0 ? plus(gradient, scaledBy(params, decay)) : gradient;
      const pull = solver.pull?.({ params, ...at });
      return minus(params, scaledBy(pull ? plus(along, pull) : along, rate));
    },
    { backend },
  );
  const host = options.params as Arrays;
  const dtype = (leaves(host)[0].leaf as NdArray).dtype;

  return async ({ server, own, shared, pool, rows, draw }) => {
    const { rate: chance, steps } = sampling(rows.length, local);
    const expected = chance * rows.length;
    // Calls of one width, as many as a sample needs.
    const width = Math.ceil(expected);
    const at = solver.pull ? { server, own, shared } : { server: {}, own: {}, shared: {} };
    let params = server;
    for (let step = 0; step < steps; step++) {
      const chosen = sampled(rows, chance, draw);
      const sum = new Float64Array(flatten(host).length);
      for (let first = 0; first < chosen.length; first += width) {
        const part = Int32Array.from({ length: width }, (_, i) => chosen[first + i] ?? rows[0]);
        const present = Array.from({ length: width }, (_, i) => Number(first + i < chosen.length));
        const weights = dtype === "float64" ? Float64Array.from(present) : Float32Array.from(present);
        const gradient = await clipped(
          params as never,
          pool.x as never,
          pool.y as never,
          new NdArray(part, [width]) as never,
          new NdArray(weights, [width]) as never,
        );
        const flat = flatten(await readAll(gradient));
        for (let i = 0; i < sum.length; i++) sum[i] += flat[i];
      }
      const mean = noised(sum, clip, noise, draw).map((value) => value / expected);
      params = await advance(params as never, unflatten(mean, host) as never, at as never);
    }
    return params;
  };
}
