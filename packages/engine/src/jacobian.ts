// Whole matrices of derivatives, all rows or all columns at once by vmap, and the gradient's own function.
import { isFloat } from "./dtype.js";
import { EngineError } from "./errors.js";
import { grad, markedIn, pullback, zerosLike } from "./grad.js";
import { showAval } from "./graph.js";
import { pushforward } from "./jvp.js";
import { NdArray } from "./ndarray.js";
import { reshape, transpose } from "./ops/movement.js";
import { sameShape } from "./shape.js";
import { constant, lift, type Operand, Tensor } from "./tensor.js";
import { leaves, mapTree, type Replace } from "./tree.js";
import { vmap } from "./vmap.js";

/** The unit vectors of a tensor's space, stacked: [size, ...shape]. */
function units({ size, shape, dtype }: Tensor): Tensor {
  const data = dtype === "float64" ? new Float64Array(size * size) : new Float32Array(size * size);
  for (let i = 0; i < size; i++) data[i * size + i] = 1;
  return constant(new NdArray(data, [size, ...shape], dtype));
}

/** By rows, one for each element of the result. */
function byRows(y: Tensor, wrt: readonly Tensor[]): Tensor[] {
  const rows = vmap((seed: Tensor) => pullback([y], [seed], wrt).map((g, i) => g ?? zerosLike(wrt[i])))(
    units(y),
  ) as Tensor[];
  return rows.map((row, i) => reshape(row, [...y.shape, ...wrt[i].shape]));
}

/** By columns, one for each element of the parameters. */
function byColumns(y: Tensor, wrt: readonly Tensor[]): Tensor[] {
  return wrt.map((x) => {
    const columns = vmap((v: Tensor) => pushforward([y], [x], [v])[0] ?? zerosLike(y))(units(x)) as Tensor;
    const [n, ...rest] = columns.shape;
    const flat = transpose(reshape(columns, [n, y.size]));
    return reshape(flat, [...rest, ...x.shape]);
  });
}

/**
 * The derivative of every element of a function's result, one tensor, in every element of its first argument, a tree: in its
 * form, tensors of shape [...result, ...parameter]. By columns (forward) where the parameters have no more elements than the
 * result, else by rows.
 */
export function jacobian<P, Rest extends unknown[]>(
  fn: (params: P, ...rest: Rest) => Tensor,
): (params: P, ...rest: Rest) => Replace<P, Tensor> {
  return (params, ...rest) => {
    const marked = markedIn("jacobian", params);
    const wrt = leaves(marked).map(({ leaf }) => leaf as Tensor);
    const y = fn(marked as P, ...rest);
    if (!(y instanceof Tensor) || !isFloat(y.dtype))
      throw new EngineError("jacobian: the function must return one floating-point tensor.");
    const forward = wrt.reduce((n, x) => n + x.size, 0) <= y.size;
    const parts = forward ? byColumns(y, wrt) : byRows(y, wrt);
    let next = 0;
    return mapTree(marked, () => parts[next++]) as Replace<P, Tensor>;
  };
}

/** Second derivatives of a scalar function of one tensor: [...x, ...x]. */
export const hessian =
  <Rest extends unknown[]>(fn: (x: Tensor, ...rest: Rest) => Tensor) =>
  (x: Operand, ...rest: Rest): Tensor =>
    jacobian((at: Tensor, ...others: Rest) => grad(fn)(at, ...others) as Tensor)(lift(x), ...rest) as Tensor;

/** A function's value, one tensor, and what takes a gradient of it back to one of the parameters. */
export function vjp<P, Rest extends unknown[]>(
  fn: (params: P, ...rest: Rest) => Tensor,
): (params: P, ...rest: Rest) => { value: Tensor; pullback: (g: Operand) => Replace<P, Tensor> } {
  return (params, ...rest) => {
    const marked = markedIn("vjp", params);
    const wrt = leaves(marked).map(({ leaf }) => leaf as Tensor);
    const value = fn(marked as P, ...rest);
    return {
      value,
      pullback: (g) => {
        const cotangent = lift(g, value.dtype);
        if (!sameShape(cotangent.shape, value.shape) || cotangent.dtype !== value.dtype)
          throw new EngineError(
            `vjp: the gradient of ${showAval(value)} has its form, got ${showAval(cotangent)}.`,
          );
        const found = pullback([value], [cotangent], wrt);
        let next = 0;
        return mapTree(marked, (x: Tensor) => found[next++] ?? zerosLike(x)) as Replace<P, Tensor>;
      },
    };
  };
}
