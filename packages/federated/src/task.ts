// What a model is held to: how wrong it is on a sample, which clients train on, and a number of one's own beside it.
import { InputError } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { crossEntropy } from "@pliant/learn";

/** One number a sample [...], from the model's outputs [..., K] and the samples' targets; leading axes may be clients and samples. */
export type PerSampleNumber = (outputs: Tensor, targets: Tensor) => Tensor;

/** What clients train on and what is measured of them, where it is not cross-entropy and accuracy. */
export interface Task {
  /** What clients train on; default: cross-entropy. Targets may then be numbers of any kind, [samples, …]. */
  readonly loss?: PerSampleNumber;
  /** What is measured besides, and a formulation may judge clients by (`ownMetric`). It needs no slope. */
  readonly metric?: PerSampleNumber;
}

/** The losses of samples [...] that `like` has one number for. */
export const lossesOf = (
  { loss = crossEntropy }: Task,
  outputs: Tensor,
  targets: Tensor,
  like: Tensor,
): Tensor => onePerSample("loss", loss(outputs, targets), like);

/** The metric of each sample, where there is one. */
export const metricsOf = (
  { metric }: Task,
  outputs: Tensor,
  targets: Tensor,
  like: Tensor,
): Tensor | undefined => metric && onePerSample("metric", metric(outputs, targets), like);

function onePerSample(what: string, numbers: Tensor, like: Tensor): Tensor {
  if (String(numbers.shape) === String(like.shape)) return numbers;
  throw new InputError(
    `The ${what} must give one number a sample, [${like.shape}], and gave [${numbers.shape}].`,
  );
}

/** 1 where the largest output is that of the right class, where outputs are of classes. */
export const hitsOf = (outputs: Tensor, targets: Tensor): Tensor | undefined =>
  targets.dtype === "int32" && outputs.rank === targets.rank + 1
    ? outputs.argmax().eq(targets).cast("int32")
    : undefined;
