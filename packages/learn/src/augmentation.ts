// The usual augmentation of small photographs, on the device: half of them mirrored, all moved by some pixels.
import { array, constant, NdArray, type Shape, type Tensor, where } from "@pliant/engine";

/** How far images are moved before they are cropped, and what stands at their edges. */
export interface FlipsAndCropsOptions {
  /** Pixels of black put around an image. */
  readonly padding?: number;
  /** Black of each channel, for images that are standardised; default: 0. */
  readonly black?: readonly number[];
}

/**
 * Images [..., C, H, W], each mirrored left to right with probability ½, then bordered by `padding` black pixels and cut back to its
 * size at a random place. Uniform numbers [..., 3] in [0, 1) decide: the first on mirroring, the others on row and column.
 */
export function flipsAndCrops(
  images: Tensor,
  uniforms: Tensor,
  { padding = 4, black = [0] }: FlipsAndCropsOptions = {},
): Tensor {
  const [channels, height, width] = images.shape.slice(-3);
  const count = images.size / (channels * height * width);
  const border = [padding, padding];
  const none = images.shape.slice(0, -2).map(() => [0, 0]);
  const dark = constant(
    array(
      black.map((v) => [[v]]),
      { dtype: images.dtype },
    ),
  );
  const wide = images.sub(dark).pad([...none, border, border]);
  const [fullHeight, fullWidth] = wide.shape.slice(-2);

  const number = (i: number): Tensor =>
    uniforms
      .reshape([count, 3])
      .slice([[], [i, i + 1]])
      .reshape([count, 1, 1, 1]);
  const offset = (i: number): Tensor =>
    number(i)
      .mul(2 * padding + 1)
      .floor()
      .cast("int32");
  const row = offset(1).add(counting(height, [height, 1]));
  const column = offset(2).add(counting(width, [width]));
  // The border is as wide on both sides, so the mirror image of what is cut is cut from the mirrored place.
  const mirrored = where(number(0).lt(0.5), column.neg().add(fullWidth - 1), column);
  const plane = counting(count * channels, [count, channels, 1, 1]);
  const position = plane.mul(fullHeight).add(row).mul(fullWidth).add(mirrored);
  return wide.flatten().gather(position).reshape(images.shape).add(dark);
}

const counting = (n: number, shape: Shape): Tensor =>
  constant(
    new NdArray(
      Int32Array.from({ length: n }, (_, i) => i),
      shape,
    ),
  );
