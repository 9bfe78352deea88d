// Activations by name, and layers without parameters.

import { unknownName } from "@pliant/core";
import type { PoolOptions, Tensor } from "@pliant/engine";

/** The activations that models name; `leakyRelu` has a slope of 0.01. */
export type Activation = "tanh" | "relu" | "leakyRelu";

const activations: Record<Activation, (x: Tensor) => Tensor> = {
  tanh: (x) => x.tanh(),
  relu: (x) => x.relu(),
  leakyRelu: (x) => x.leakyRelu(0.01),
};

/** The function of an activation's name. */
export function activation(name: Activation): (x: Tensor) => Tensor {
  if (!Object.hasOwn(activations, name)) throw unknownName("an activation", name, Object.keys(activations));
  return activations[name];
}

/** A layer without parameters: the largest of each window of images [..., C, H, W]. */
export const maxPool =
  (options: PoolOptions) =>
  (x: Tensor): Tensor =>
    x.maxPool(options);

/** Images [..., C, H, W] as rows [..., C·H·W]. */
export const flattenImages = (x: Tensor): Tensor => x.flatten(x.rank - 3);
