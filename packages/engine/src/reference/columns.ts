// A transposed matrix times a column, as the slope of every linear model is: the column as a row times the matrix as it lies. Nothing is
// transposed then.
import { matmul, matmulOp } from "../ops/linear.js";
import { reshape, transposeOp } from "../ops/movement.js";
import type { Op, Tensor } from "../tensor.js";

export function untransposed(node: Tensor): Tensor {
  if ((node.op as Op) !== (matmulOp as Op) || node.rank !== 2) return node;
  const [a, column] = node.inputs;
  if ((a.op as Op) !== (transposeOp as unknown as Op) || a.rank !== 2 || column.shape[1] !== 1) return node;
  return reshape(matmul(reshape(column, [1, column.size]), a.inputs[0]), node.shape);
}
