// Random changes to samples before a client trains on them. Their random numbers are drawn on the host, by client, epoch and
// place, and enter the steps as data: the same however clients are grouped.
import { type NdArray, random, type Tensor } from "@pliant/engine";
import { type FlipsAndCropsOptions, flipsAndCrops } from "@pliant/learn";

/** A random change of samples, made of numbers that are drawn outside the compiled steps. */
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

/** A horizontal flip, every other time, then a random crop of the padded image [..., C, H, W]. */
export const flipAndCrop = (options: FlipsAndCropsOptions = {}): Augmentation => ({
  count: 3,
  apply: (x, numbers) => flipsAndCrops(x, numbers, options),
});
