// Reverse-mode differentiation. A gradient is a graph of the same operations, so gradients of gradients work.
import { familiesOf, type OfFamily } from "./control/family.js";
import { isFloat } from "./dtype.js";
import { EngineError } from "./errors.js";
import { showAval, topological } from "./graph.js";
import { add } from "./ops/binary.js";
import { broadcastTo } from "./ops/movement.js";
import { alias } from "./ops/unary.js";
import { type Aval, lift, type Operand, scalar, Tensor } from "./tensor.js";
import { leaves, mapTree, type Replace } from "./tree.js";

/**
 * Σ over the outputs of their cotangents times ∂output/∂x, for each x; undefined for one that no output depends on. Linear in
 * the cotangents.
 */
export function pullback(
  outputs: readonly Tensor[],
  cotangents: readonly Tensor[],
  wrt: readonly Tensor[],
): (Tensor | undefined)[] {
  const order = topological(outputs);
  const active = new Set<Tensor>(wrt);
  for (const node of order)
    if ((node.op.gradient || node.op.gradientOfAll) && node.inputs.some((i) => active.has(i)))
      active.add(node);

  const gradients = new Map<Tensor, Tensor>();
  for (const [i, output] of outputs.entries()) {
    if (!active.has(output)) continue;
    const sofar = gradients.get(output);
    gradients.set(output, sofar ? add(sofar, cotangents[i]) : cotangents[i]);
  }
  const families = familiesOf(order);
  for (const node of order.reverse()) {
    if (!node.inputs.some((i) => active.has(i))) continue;
    for (const [i, part] of partsOf(node, gradients, families.get(node)).entries()) {
      const target = node.inputs[i];
      if (!part || !active.has(target)) continue;
      const sofar = gradients.get(target);
      gradients.set(target, sofar ? add(sofar, part) : part);
    }
  }
  return wrt.map((x) => gradients.get(x));
}

/** The gradients of a node's inputs, of a family's at the first of its nodes: then those of all are known. */
function partsOf(
  node: Tensor,
  gradients: ReadonlyMap<Tensor, Tensor>,
  family?: readonly Tensor<OfFamily>[],
): readonly (Tensor | undefined)[] {
  if (!family) {
    const g = gradients.get(node);
    return g && node.op.gradient ? node.op.gradient(g, node) : [];
  }
  const all = family as readonly Tensor[] as readonly (Tensor & Tensor<OfFamily>)[];
  if (node !== all[0]) return [];
  const known = new Map(
    all.flatMap((x) => (gradients.has(x) ? [[x.attrs.result, gradients.get(x)!] as const] : [])),
  );
  return known.size > 0 ? node.op.gradientOfAll!(known, node) : [];
}

/** A scalar loss with whatever else the caller wants to see from the same evaluation. */
interface WithAux<A> {
  readonly loss: Tensor;
  readonly aux: A;
}

function lossOf(result: unknown): Tensor {
  const loss = result instanceof Tensor ? result : (result as Partial<WithAux<unknown>> | undefined)?.loss;
  if (!(loss instanceof Tensor)) {
    throw new EngineError("grad: the function must return a tensor, or { loss, aux } with a tensor as loss.");
  }
  if (loss.size !== 1 || !isFloat(loss.dtype)) {
    throw new EngineError(
      `grad: the loss must be one floating-point number, got ${showAval(loss)}; take its sum or mean.`,
    );
  }
  return loss;
}

/** Zeros in the shape and dtype of another. */
export const zerosLike = ({ shape, dtype }: Aval): Tensor => broadcastTo(scalar(0, dtype), shape);

/** Parameters as aliases: a derivative is in the argument, not in a tensor of the same value that the function closes over. */
export const markedIn = <P>(name: string, params: P): Replace<P, Tensor> =>
  mapTree(params, (leaf: Operand, path) => {
    const x = lift(leaf);
    if (!isFloat(x.dtype)) {
      throw new EngineError(
        `${name}: parameter ${path || "argument"} is ${showAval(x)}; only floating-point tensors have gradients.`,
      );
    }
    return alias(x);
  });

/**
 * The value of a scalar function and its gradient in the first argument, a tree of tensors whose form the gradient has.
 * The function returns the loss, or `{ loss, aux }`.
 */
export function valueAndGrad<P, Rest extends unknown[], A>(
  fn: (params: P, ...rest: Rest) => WithAux<A>,
): (params: P, ...rest: Rest) => { value: Tensor; gradient: Replace<P, Tensor>; aux: A };
export function valueAndGrad<P, Rest extends unknown[]>(
  fn: (params: P, ...rest: Rest) => Tensor,
): (params: P, ...rest: Rest) => { value: Tensor; gradient: Replace<P, Tensor> };
export function valueAndGrad<P>(fn: (params: P, ...rest: unknown[]) => Tensor | WithAux<unknown>) {
  return (params: P, ...rest: unknown[]) => {
    const marked = markedIn("grad", params);
    const result = fn(marked as P, ...rest);
    const value = lossOf(result);
    const wrt = leaves(marked).map(({ leaf }) => leaf as Tensor);
    const one = broadcastTo(scalar(1, value.dtype), value.shape);
    const gradients = pullback([value], [one], wrt).map((g, i) => g ?? zerosLike(wrt[i]));
    let next = 0;
    const gradient = mapTree(marked, () => gradients[next++]);
    return result instanceof Tensor ? { value, gradient } : { value, gradient, aux: result.aux };
  };
}

/** The gradient alone. */
export function grad<P, Rest extends unknown[]>(
  fn: (params: P, ...rest: Rest) => Tensor | WithAux<unknown>,
): (params: P, ...rest: Rest) => Replace<P, Tensor> {
  const both = valueAndGrad(fn as (params: P, ...rest: Rest) => Tensor);
  return (params, ...rest) => both(params, ...rest).gradient;
}
