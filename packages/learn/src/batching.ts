// The samples of a step: every sample once per epoch, in an order drawn for the epoch. They depend only on the step number, so a
// resumed run sees the same samples.

import { InputError } from "@pliant/core";
import { NdArray, random } from "@pliant/engine";

/** How samples are dealt to the steps of an epoch. */
export interface EpochOptions {
  /** The number of samples. */
  readonly size: number;
  /** Samples per step; all of them if there are fewer. */
  readonly batch: number;
  /** The order of an epoch, a permutation of 0 … size − 1; called again when a run returns to an epoch. */
  readonly permutation: (epoch: number, size: number) => Int32Array;
  /** Whether samples that do not fill a batch at the end of an epoch are dropped or form a smaller batch. */
  readonly remainder?: "drop" | "keep";
}

/** Minibatches by step number, so that a resumed run sees the same samples. */
export interface EpochBatches {
  readonly stepsPerEpoch: number;
  epochOf(step: number): number;
  /** The samples of one step. */
  rows(step: number): Int32Array;
  /** The samples of several steps, int32 [steps, batch], as a compiled loop takes them; batches must be of one size. */
  slices(from: number, steps: number): NdArray;
}

/** Orders drawn from a key, independently for each epoch. */
export const shuffles =
  (key: random.Key) =>
  (epoch: number, size: number): Int32Array =>
    random.permutation(random.foldIn(key, epoch), size).data as Int32Array;

/** Every sample once per epoch, in a new order for each epoch. */
export function epochBatches({ size, batch, permutation, remainder = "drop" }: EpochOptions): EpochBatches {
  for (const [name, n] of Object.entries({ size, batch }))
    if (!(Number.isInteger(n) && n > 0))
      throw new InputError(`epochBatches: ${name} must be a whole number of samples, got ${n}.`);
  const perBatch = Math.min(batch, size);
  const stepsPerEpoch = remainder === "keep" ? Math.ceil(size / perBatch) : Math.floor(size / perBatch);
  const epochOf = (step: number): number => Math.floor(step / stepsPerEpoch);

  let known: { epoch: number; order: Int32Array } | undefined;
  const orderOf = (epoch: number): Int32Array => {
    if (known?.epoch === epoch) return known.order;
    const order = permutation(epoch, size);
    if (order.length !== size)
      throw new InputError(
        `epochBatches: the order of epoch ${epoch} has ${order.length} entries, not ${size}.`,
      );
    known = { epoch, order };
    return order;
  };
  const rows = (step: number): Int32Array => {
    const start = (step % stepsPerEpoch) * perBatch;
    return orderOf(epochOf(step)).slice(start, start + perBatch);
  };
  return {
    stepsPerEpoch,
    epochOf,
    rows,
    slices: (from, steps) => {
      if (stepsPerEpoch * perBatch > size)
        throw new InputError(
          `epochBatches: slices need batches of one size, but ${batch} does not divide ${size}; drop the remainder or take rows.`,
        );
      const all = new Int32Array(steps * perBatch);
      for (let i = 0; i < steps; i++) all.set(rows(from + i), i * perBatch);
      return new NdArray(all, [steps, perBatch]);
    },
  };
}
