// What is the same for all operations in making a program simpler; each operation's own identities are with it, as
// `simplify`. They hold for every value, NaN, infinities and the sign of zero included, so that no result changes by them.
import { allocate } from "./dtype.js";
import { NdArray } from "./ndarray.js";
import { broadcastTo, reshape } from "./ops/movement.js";
import { sameShape } from "./shape.js";
import { apply, constant, isConstant, type Tensor } from "./tensor.js";

/** Operands of broadcasting operations need no broadcast of their own, unless the result takes its shape from it. */
function withoutBroadcasts(node: Tensor): Tensor {
  if (!node.op.broadcasts) return node;
  let current = node;
  for (const [i, x] of node.inputs.entries()) {
    if (!x.op.repeats) continue;
    const args = current.inputs.map((a, k) => (k === i ? x.inputs[0] : a));
    const bare = apply(node.op, args, node.attrs);
    if (sameShape(bare.shape, node.shape)) current = bare;
  }
  return current;
}

/** The one number a tensor repeats, as a scalar, if it is a broadcast of one. */
const repeated = (x: Tensor): Tensor | undefined => {
  const source = x.op.repeats ? x.inputs[0] : x;
  return source.size === 1 ? reshape(source, []) : undefined;
};

/** An elementwise operation on a repeated number is done on the number; moving the elements has no effect. */
function onRepeated(node: Tensor): Tensor | undefined {
  const { rearranges, elementwise } = node.op;
  if (node.size === 1 || !(rearranges || elementwise)) return undefined;
  const scalars = node.inputs.map(repeated);
  if (!scalars.every((x) => x !== undefined)) return undefined;
  return broadcastTo(rearranges ? scalars[0] : apply(node.op, scalars, node.attrs), node.shape);
}

/** A result without elements needs no work, and one made of operands without elements is known. */
function ofNothing(node: Tensor): Tensor | undefined {
  if (node.size === 0)
    return isConstant(node)
      ? undefined
      : constant(new NdArray(allocate(node.dtype, 0), node.shape, node.dtype));
  return node.inputs.some((x) => x.size === 0) ? node.op.empty?.(node.inputs, node) : undefined;
}

/** A simpler tensor of the same value, or the node itself. */
export function simplify(node: Tensor): Tensor {
  const known = ofNothing(node) ?? onRepeated(node);
  if (known) return known;
  const bare = withoutBroadcasts(node);
  return bare.op.simplify?.(bare) ?? bare;
}
