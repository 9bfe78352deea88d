// What the decompositions of small matrices share: shapes that are refused, places in a scan, columns and rows.
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { expandDims } from "../ops/movement.js";
import { floating } from "../ops/unary.js";
import { range } from "../shape.js";
import { constant, lift, type Operand, type Tensor } from "../tensor.js";

/** Square matrices of floating-point numbers in the last two axes. */
export function square(name: string, x: Operand): Tensor {
  const tensor = lift(x);
  floating(name, tensor);
  if (tensor.rank < 2 || tensor.shape[tensor.rank - 1] !== tensor.shape[tensor.rank - 2])
    throw new ShapeError(name, `needs square matrices [..., n, n], got ${showAval(tensor)}`);
  return tensor;
}

/** 0 … n − 1. */
export const places = (n: number): Tensor => constant(new NdArray(Int32Array.from(range(n)), [n]));

/** A vector [..., n] as columns [..., n, 1], as rows [..., 1, n]. */
export const column = (x: Tensor): Tensor => expandDims(x, -1);
export const row = (x: Tensor): Tensor => expandDims(x, -2);
