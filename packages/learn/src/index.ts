// The public names of learn. Runs on disk are a subpath, @pliant/learn/runs, for Node alone.
import { isLibrary } from "@pliant/engine";

export { type FlipsAndCropsOptions, flipsAndCrops } from "./augmentation.js";
export { type EpochBatches, type EpochOptions, epochBatches, shuffles } from "./batching.js";
export { calibrationError } from "./calibration.js";
export { type Draws, keyed } from "./draws.js";
export type { Initialiser } from "./initialisers.js";
export { exactInterval, type Interval, proportionInterval, studentReach } from "./interval.js";
export { type Activation, activation, flattenImages, maxPool } from "./layers/activations.js";
export { type Conv2dOptions, conv2d } from "./layers/conv2d.js";
export { type DenseOptions, dense } from "./layers/dense.js";
export type { Affine, Layer, Traced } from "./layers/layer.js";
export { binaryCrossEntropy, crossEntropy, hinge, squaredError, weightedMean } from "./losses.js";
export {
  accuracy,
  type Confusion,
  confusion,
  correct,
  errorRate,
  falseNegativeRate,
  falsePositiveRate,
  positiveRate,
} from "./metrics.js";
export { type ConvnetOptions, convnet } from "./models/convnet.js";
export { lenet } from "./models/lenet.js";
export { type MlpOptions, mlp } from "./models/mlp.js";
export { type Model, type Params, sequential } from "./models/model.js";
export { stackParams, unstackParams } from "./models/stack.js";
export { type Tabular, type TabularOptions, tabular } from "./models/tabular.js";
export { batchChain, type Chain, metropolis } from "./sampling/metropolis.js";
export { augerinoGenerators, augerinoMatrices } from "./transforms/augerino.js";
export { matrixExponential } from "./transforms/exponential.js";
export { compose, rotation, scaling, translation } from "./transforms/matrices.js";
export { quads, transformQuads } from "./transforms/quads.js";
export { type Corners, transform } from "./transforms/transform.js";

isLibrary(import.meta.url);

export { version } from "./version.js";
