// Dense layers with an activation between them.
import { ShapeError, type Tensor } from "@pliant/engine";
import type { Initialiser } from "../initialisers.js";
import { type Activation, activation, flattenImages } from "../layers/activations.js";
import { dense } from "../layers/dense.js";
import { type Model, type Params, sequential } from "./model.js";

/** The sizes of an `mlp`. */
export interface MlpOptions {
  readonly inputs: number;
  readonly hidden: readonly number[];
  readonly outputs: number;
  readonly activation?: Activation;
  readonly initialiser?: Initialiser;
}

/** Takes rows [..., inputs] or images [..., C, H, W] of as many pixels. */
export function mlp({
  inputs,
  hidden,
  outputs,
  activation: name = "tanh",
  initialiser,
}: MlpOptions): Model<Params> {
  const sizes = [inputs, ...hidden, outputs];
  const layers = sizes.slice(1).map((n, i) => dense({ inputs: sizes[i], outputs: n, initialiser }));
  const between = activation(name);
  return sequential("mlp", [
    (x) => asRows(x, inputs),
    ...layers.flatMap((layer, i) => (i === 0 ? [layer] : [between, layer])),
  ]);
}

function asRows(x: Tensor, inputs: number): Tensor {
  if (x.shape[x.rank - 1] === inputs) return x;
  const rows = x.rank >= 4 ? flattenImages(x) : x;
  if (rows.shape[rows.rank - 1] === inputs) return rows;
  throw new ShapeError("mlp", `needs rows of ${inputs} or images of as many pixels, got [${x.shape}]`);
}
