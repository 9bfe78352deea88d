// Random changes to samples before a client trains on them. Their random numbers are drawn on the host, by client, epoch and
// place, and enter the steps as data: the same however clients are grouped.
import { constant, NdArray, random, type Tensor, where } from "@pliant/engine";

export interface Augmentation {
  /** Random numbers a sample needs, uniform between 0 and 1. */
  readonly count: number;
  /** Samples [..., sample…] and their numbers [..., count] give changed samples. */
  apply(x: Tensor, numbers: Tensor): Tensor;
}

/** Samples as they are, or changed by their numbers. */
export const augmented = (augmentation: Augmentation | undefined, x: Tensor, numbers?: Tensor): Tensor =>
  augmentation && numbers ? augmentation.apply(x, numbers) : x;

/** Of each client's samples in each epoch. */
export function trainingDraws({ count }: Augmentation, seed: number) {
  const key = random.foldIn(random.key(seed), 3);
  return {
    count,
    of: (client: number, epoch: number, samples: number) =>
      random.uniform(random.foldIn(random.foldIn(key, client), epoch), [samples * count]).data,
  };
}

/** Of all samples of a pool, for the losses at the beginning of a round. */
export const lossDraws = ({ count }: Augmentation, seed: number, round: number, samples: number): NdArray =>
  random.uniform(random.foldIn(random.foldIn(random.key(seed), 4), round), [samples, count]);

export interface FlipAndCropOptions {
  /** The side of the square images. */
  readonly size: number;
  /** Pixels of black put around an image before a part of its own size is cut out. */
  readonly padding?: number;
  /** Black of each channel, for images that are standardised; 0 unless given. */
  readonly black?: readonly number[];
}

/** A horizontal flip, every other time, then a random crop of the padded image [..., C, size, size]. */
export function flipAndCrop({ size, padding = 4, black = [0] }: FlipAndCropOptions): Augmentation {
  const places = 2 * padding + 1;
  const [first, level] = [
    new NdArray(
      Int32Array.from({ length: size }, (_, i) => i),
      [size],
    ),
    new NdArray(Float32Array.from(black), [black.length, 1, 1]),
  ];
  return {
    count: 3,
    apply: (x, numbers) => {
      const number = (k: number) => {
        const range = numbers.shape.map((n, axis) => (axis === numbers.rank - 1 ? [k, k + 1] : [0, n]));
        return numbers.slice(range);
      };
      const dark = constant(level).cast(x.dtype);
      /** [..., 1, size, size + 2·padding]: which padded row or column each row or column of the result is. */
      const choice = (k: number) => {
        const offset = number(k)
          .mul(places)
          .floor()
          .cast("int32")
          .clip(0, places - 1);
        return offset
          .add(constant(first))
          .oneHot(size + 2 * padding, x.dtype)
          .expandDims(-3);
      };
      const around = x.shape.map(
        (_, axis) => (axis >= x.rank - 2 ? [padding, padding] : [0, 0]) as [number, number],
      );
      const flips = number(0)
        .lt(0.5)
        .reshape([...x.shape.slice(0, -3), 1, 1, 1]);
      const padded = where(flips, x.flip(-1), x).sub(dark).pad(around);
      const rows = choice(1).matmul(padded);
      return rows.matmul(transposed(choice(2))).add(dark);
    },
  };
}

const transposed = (m: Tensor): Tensor =>
  m.transpose(m.shape.map((_, axis) => (axis < m.rank - 2 ? axis : 2 * m.rank - 3 - axis)));
