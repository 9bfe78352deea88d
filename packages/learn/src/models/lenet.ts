// LeNet for 28×28 images of one channel, as the paper's invariance experiments have it: the second kernel is 3×3, the
// third leaves a single pixel.
import { activation, flattenImages, maxPool } from "../layers/activations.js";
import { conv2d } from "../layers/conv2d.js";
import { dense } from "../layers/dense.js";
import { type Model, type Params, sequential } from "./model.js";

/** Takes images [..., 1, 28, 28]. */
export const lenet = ({ outputs = 10 }: { readonly outputs?: number } = {}): Model<Params> =>
  sequential("lenet", [
    conv2d({ channels: 1, filters: 6, kernel: 5 }),
    activation("tanh"),
    maxPool({ window: 2 }),
    conv2d({ channels: 6, filters: 16, kernel: 3 }),
    activation("tanh"),
    maxPool({ window: 2 }),
    conv2d({ channels: 16, filters: 120, kernel: 5 }),
    flattenImages,
    activation("tanh"),
    dense({ inputs: 120, outputs: 84 }),
    activation("tanh"),
    dense({ inputs: 84, outputs }),
  ]);
