// A model: named, its parameters a plain list, one entry a layer that has any, in forward order.
import type { Tensor } from "@pliant/engine";
import type { Draws } from "../draws.js";
import type { Affine, Layer, Traced } from "../layers/layer.js";

/** A model: how its parameters begin, and its logits. */
export interface Model<P> {
  readonly name: string;
  init(draws: Draws): P;
  /** The logits. Parameters with a leading stack axis take inputs with one. */
  apply(params: Traced<P>, x: Tensor): Tensor;
}

/** Every layer's parameters: a weight and a bias. */
export type Params = readonly Affine[];

type Step = Layer<Affine> | ((x: Tensor) => Tensor);

/** Steps one after another; those that are layers draw their parameters in this order. */
export function sequential(name: string, steps: readonly Step[]): Model<Params> {
  return {
    name,
    init: (draws) => steps.flatMap((step) => (typeof step === "function" ? [] : [step.init(draws)])),
    apply: (params, x) => {
      let layer = 0;
      return steps.reduce(
        (h, step) => (typeof step === "function" ? step(h) : step.apply(params[layer++], h)),
        x,
      );
    },
  };
}
