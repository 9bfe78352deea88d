// Forward-mode differentiation. The gradient uᵀJ is linear in u, and its
// own gradient in u, from v, is J·v; if nothing reads uᵀJ itself, only the tangents remain, one or two operations for each operation of the function. So every operation that has a gradient, one's own among them, has this too.
import { isFloat } from "./dtype.js";
import { EngineError } from "./errors.js";
import { markedIn, pullback, zerosLike } from "./grad.js";
import { showAval } from "./graph.js";
import { alias } from "./ops/unary.js";
import { sameShape } from "./shape.js";
import { lift, type Operand, type Tensor } from "./tensor.js";
import { formOf, leaves, mapTree, type Replace } from "./tree.js";

/**
 * A function's value at `params`, a tree of tensors, and its derivative along `tangents`, a tree of the same form: J·v, in the
 * form of the value. `jvp(grad(f))` is the Hessian of f times v.
 */
export function jvp<P, R, Rest extends unknown[]>(
  fn: (params: P, ...rest: Rest) => R,
): (
  params: P,
  tangents: Replace<P, Operand>,
  ...rest: Rest
) => { value: Replace<R, Tensor>; tangent: Replace<R, Tensor> } {
  return (params, tangents, ...rest) => {
    const marked = markedIn("jvp", params);
    const wrt = leaves(marked).map(({ leaf }) => leaf as Tensor);
    const along = tangentsOf(tangents, marked, wrt);
    const value = mapTree(fn(marked as P, ...rest), (leaf: Operand) => lift(leaf));
    const all = leaves(value).map(({ leaf }) => leaf as Tensor);
    // Whole numbers and decisions do not move.
    const outputs = all.filter(({ dtype }) => isFloat(dtype));
    const found = pushforward(outputs, wrt, along);
    const moves = new Map(outputs.map((y, i) => [y, found[i]]));
    const tangent = mapTree(value, (y: Tensor) => moves.get(y) ?? zerosLike(y));
    return { value, tangent: tangent as Replace<R, Tensor> };
  };
}

/** J·v for outputs of floating-point numbers: how each moves as the inputs do; undefined for one that does not. */
export function pushforward(
  outputs: readonly Tensor[],
  wrt: readonly Tensor[],
  along: readonly Tensor[],
): (Tensor | undefined)[] {
  const seeds = outputs.map((y) => alias(zerosLike(y)));
  const rows = pullback(outputs, seeds, wrt);
  const moved = [...rows.keys()].filter((i) => rows[i] !== undefined);
  return pullback(
    moved.map((i) => rows[i]!),
    moved.map((i) => along[i]),
    seeds,
  );
}

function tangentsOf(tangents: unknown, params: unknown, wrt: readonly Tensor[]): Tensor[] {
  if (formOf(tangents) !== formOf(params))
    throw new EngineError("jvp: the tangents must have the form of the parameters.");
  return leaves(tangents).map(({ leaf, path }, i) => {
    const v = lift(leaf as Operand, wrt[i].dtype);
    if (!sameShape(v.shape, wrt[i].shape) || v.dtype !== wrt[i].dtype)
      throw new EngineError(
        `jvp: the tangent of parameter ${path || "argument"}, ${showAval(wrt[i])}, is ${showAval(v)}.`,
      );
    return v;
  });
}
