// A layer: how its parameters begin and what it does with them.
//
// Layers are rank-polymorphic. Parameters may carry leading stack axes, one entry a model; inputs then carry the same ones
// first. Between those and the axes a layer works on, inputs have any number of sample axes. A stack of M·G models may be
// given inputs of a stack of G: model m·G + g then reads input g, as its M − 1 fellows do.
import type { NdArray, Replace, Shape, Tensor } from "@pliant/engine";
import type { Draws } from "../draws.js";

/** Parameters on the host, and the form a function sees them in. */
export type Traced<P> = Replace<P, Tensor>;

/** A layer: how its parameters begin and what it does with them. Both may carry leading stack axes, one entry a model. */
export interface Layer<P> {
  init(draws: Draws): P;
  apply(params: Traced<P>, x: Tensor): Tensor;
}

/** Parameters of y = W x + b. */
export interface Affine<T = NdArray> {
  readonly weight: T;
  readonly bias: T;
}

/**
 * x [stack…, samples…, features…] as [stack…, N, features…], and the way back for what a layer made of it. A single large
 * product or convolution is what every back end does best.
 */
export function overSamples(
  x: Tensor,
  { stack, features }: { stack: number; features: number },
  f: (x: Tensor) => Tensor,
): Tensor {
  const end = x.rank - features;
  const samples = x.shape.slice(stack, end);
  const count = samples.reduce((n, d) => n * d, 1);
  const y = f(x.reshape([...x.shape.slice(0, stack), count, ...x.shape.slice(end)]));
  const made: Shape = y.shape.slice(stack + 1);
  return y.reshape([...y.shape.slice(0, stack), ...samples, ...made]);
}
