// Every output a weighted sum of all inputs, plus a bias: x [..., in] gives [..., out].
import { array, type NdArray } from "@pliant/engine";
import { drawAffine, type Initialiser } from "../initialisers.js";
import { type Affine, type Layer, overSamples } from "./layer.js";

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
      rows.matmul(weight).add(bias.rank === 1 ? bias : bias.expandDims(-2)),
    ),
});

function transposed({ data, shape: [rows, columns], dtype }: NdArray): NdArray {
  const turned = data.slice();
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = data[i * columns + j];
  }
  return array(turned, { shape: [columns, rows], dtype });
}
