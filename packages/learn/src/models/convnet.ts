// Two 5×5 convolutions, each with an activation and a 2×2 pooling, then dense layers: the federated experiments' network.
import { InputError } from "@pliant/core";
import { type Activation, activation, flattenImages, maxPool } from "../layers/activations.js";
import { conv2d } from "../layers/conv2d.js";
import { dense } from "../layers/dense.js";
import { type Model, type Params, sequential } from "./model.js";

/** The sizes of a `convnet`: 10 outputs, 64 filters, hidden layers of 384 and 192, and leakyRelu by default. */
export interface ConvnetOptions {
  readonly channels: number;
  /** The side of the square images. */
  readonly size: number;
  readonly outputs?: number;
  readonly filters?: number;
  readonly hidden?: readonly number[];
  readonly activation?: Activation;
}

const kernel = 5;

/** Takes images [..., channels, size, size]. */
export function convnet({
  channels,
  size,
  outputs = 10,
  filters = 64,
  hidden = [384, 192],
  activation: name = "leakyRelu",
}: ConvnetOptions): Model<Params> {
  const pooled = (side: number): number => Math.floor((side - kernel + 1) / 2);
  const side = pooled(pooled(size));
  if (!(side >= 1))
    throw new InputError(`convnet: images must be at least 16×16 pixels, got ${size}×${size}.`);
  const between = activation(name);
  const sizes = [filters * side ** 2, ...hidden, outputs];
  return sequential("convnet", [
    conv2d({ channels, filters, kernel }),
    between,
    maxPool({ window: 2 }),
    conv2d({ channels: filters, filters, kernel }),
    between,
    maxPool({ window: 2 }),
    flattenImages,
    ...sizes
      .slice(1)
      .map((n, i) => dense({ inputs: sizes[i], outputs: n }))
      .flatMap((layer, i) => (i === 0 ? [layer] : [between, layer])),
  ]);
}
