// Every output a weighted sum of all inputs, plus a bias: x [..., in] gives [..., out].
import { array, type NdArray, type Tensor } from "@pliant/engine";
import { drawAffine, type Initialiser } from "../initialisers.js";
import { type Affine, type Layer, overSamples } from "./layer.js";

/** The sizes of a dense layer; the default initialiser is `fanIn`. */
export interface DenseOptions {
  readonly inputs: number;
  readonly outputs: number;
  readonly initialiser?: Initialiser;
}

/** Weights are [in, out], drawn in the order of [out, in], as most libraries store them. */
export const dense = ({ inputs, outputs, initialiser = "fanIn" }: DenseOptions): Layer<Affine> => ({
  init: (draws) => {
    const shapes = { weight: [outputs, inputs], bias: [outputs], initialiser };
    const { weight, bias } = drawAffine(draws, shapes, { fanIn: inputs, fanOut: outputs });
    return { weight: transposed(weight), bias };
  },
  apply: ({ weight, bias }, x) =>
    overSamples(x, { stack: weight.rank - 2, features: 1 }, (rows) =>
      product(rows, weight).add(bias.rank === 1 ? bias : bias.expandDims(-2)),
    ),
});

/** Models that read the same rows are one product, their outputs side by side: the rows are read once. */
function product(rows: Tensor, weight: Tensor): Tensor {
  const [models, inputs, outputs] = weight.shape;
  if (weight.rank !== 3 || rows.shape[0] === models) return rows.matmul(weight);
  const [stack, n] = rows.shape;
  const rowsPerModel = models / stack;
  const wide = weight
    .reshape([rowsPerModel, stack, inputs, outputs])
    .transpose([1, 2, 0, 3])
    .reshape([stack, inputs, rowsPerModel * outputs]);
  return rows
    .matmul(wide)
    .reshape([stack, n, rowsPerModel, outputs])
    .transpose([2, 0, 1, 3])
    .reshape([models, n, outputs]);
}

function transposed({ data, shape: [rows, columns], dtype }: NdArray): NdArray {
  const turned = data.slice();
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = data[i * columns + j];
  }
  return array(turned, { shape: [columns, rows], dtype });
}
