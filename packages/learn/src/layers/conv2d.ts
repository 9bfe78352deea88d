// A convolution with a bias for each filter: images [..., C, H, W] give [..., O, h, w].
import type { ConvOptions, Tensor } from "@pliant/engine";
import { drawAffine, type Initialiser } from "../initialisers.js";
import { type Affine, type Layer, overSamples } from "./layer.js";

/** The sizes of a convolution's layer; the rest is as `conv2d` of the engine has it. */
export interface Conv2dOptions extends Omit<ConvOptions, "groups"> {
  readonly channels: number;
  readonly filters: number;
  /** The side of the square kernel. */
  readonly kernel: number;
  readonly initialiser?: Initialiser;
}

/** Images of a stack, once for each of the models that read them. */
function forEach(images: Tensor, models = 1): Tensor {
  const [stack, ...rest] = images.shape;
  if (images.rank < 5 || stack === models) return images;
  return images.broadcastTo([models / stack, stack, ...rest]).reshape([models, ...rest]);
}

/** A convolution with a bias, on images [..., channels, H, W]. */
export const conv2d = ({
  channels,
  filters,
  kernel,
  initialiser = "fanIn",
  ...options
}: Conv2dOptions): Layer<Affine> => ({
  init: (draws) =>
    drawAffine(
      draws,
      { weight: [filters, channels, kernel, kernel], bias: [filters], initialiser },
      { fanIn: channels * kernel ** 2, fanOut: filters * kernel ** 2 },
    ),
  apply: ({ weight, bias }, x) => {
    const stack = weight.shape.slice(0, -4);
    const aside = stack.length === 0 ? [filters, 1, 1] : [...stack, 1, filters, 1, 1];
    return overSamples(x, { stack: stack.length, features: 3 }, (images) =>
      forEach(images, stack[0]).conv2d(weight, options).add(bias.reshape(aside)),
    );
  },
});
