// Algebraic identities that hold for every value, NaN and infinities included, so that no result changes by them.
import { allocate } from "./dtype.js";
import { NdArray } from "./ndarray.js";
import { mul } from "./ops/binary.js";
import { broadcastTo, reshape, transpose } from "./ops/movement.js";
import { cast, neg } from "./ops/unary.js";
import { sameShape } from "./shape.js";
import { apply, constant, isConstant, splatOf, type Tensor } from "./tensor.js";

type Rule = (node: Tensor) => Tensor | undefined;

/** The operand that is left when the other is the number that changes nothing, unless it would lose a broadcast. */
const unless = (kept: Tensor, node: Tensor): Tensor | undefined =>
  sameShape(kept.shape, node.shape) ? kept : undefined;

const rules: Record<string, Rule> = {
  alias: ({ inputs: [x] }) => x,
  stopGradient: ({ inputs: [x] }) => x,
  add: (node) => {
    const [a, b] = node.inputs;
    // x + (−0) is x, but −0 + 0 is 0; integers have one 0.
    const nothing = node.dtype === "int32" ? 0 : -0;
    if (Object.is(splatOf(b), nothing)) return unless(a, node);
    return Object.is(splatOf(a), nothing) ? unless(b, node) : undefined;
  },
  sub: (node) => {
    const [a, b] = node.inputs;
    if (Object.is(splatOf(b), 0)) return unless(a, node);
    const nothing = node.dtype === "int32" ? 0 : -0;
    return Object.is(splatOf(a), nothing) && sameShape(b.shape, node.shape) ? neg(b) : undefined;
  },
  mul: (node) => {
    const [a, b] = node.inputs;
    if (splatOf(b) === 1) return unless(a, node);
    if (splatOf(a) === 1) return unless(b, node);
    if (splatOf(b) === -1 && sameShape(a.shape, node.shape)) return neg(a);
    return splatOf(a) === -1 && sameShape(b.shape, node.shape) ? neg(b) : undefined;
  },
  div: (node) => (splatOf(node.inputs[1]) === 1 ? unless(node.inputs[0], node) : undefined),
  pow: (node) => {
    const [a, b] = node.inputs;
    if (b.size !== 1 || !sameShape(a.shape, node.shape)) return undefined;
    const exponent = splatOf(b);
    if (exponent === 1) return a;
    return exponent === 2 ? mul(a, a) : undefined;
  },
  neg: ({ inputs: [x] }) => (x.op.name === "neg" ? x.inputs[0] : undefined),
  not: ({ inputs: [x] }) => (x.op.name === "not" ? x.inputs[0] : undefined),
  cast: ({ dtype, inputs: [x] }) =>
    x.op.name === "cast" && x.inputs[0].dtype === "bool" ? cast(x.inputs[0], dtype) : undefined,
  reshape: ({ shape, inputs: [x] }) => {
    if (sameShape(x.shape, shape)) return x;
    return x.op.name === "reshape" ? reshape(x.inputs[0], shape) : undefined;
  },
  transpose: (node) => {
    const { order } = node.attrs as { order: readonly number[] };
    const [x] = node.inputs;
    if (x.op.name === "transpose") {
      const inner = (x.attrs as { order: readonly number[] }).order;
      return transpose(
        x.inputs[0],
        order.map((i) => inner[i]),
      );
    }
    // Moving axes of size 1 moves nothing.
    const moved = order.filter((i) => x.shape[i] !== 1);
    return moved.every((axis, i) => i === 0 || moved[i - 1] < axis) ? reshape(x, node.shape) : undefined;
  },
  // Unpooling moves values within their plane, so the sum of a plane needs none of it.
  sum: ({ op, attrs, inputs: [x] }) => {
    const { axes } = attrs as { axes: readonly number[] };
    if (!axes.includes(x.rank - 1) || !axes.includes(x.rank - 2)) return undefined;
    const unpool = x.op.name === "reshape" ? x.inputs[0] : x;
    if (unpool.op.name !== "maxUnpool" || !sameShape(unpool.shape.slice(-2), x.shape.slice(-2)))
      return undefined;
    const g = unpool.inputs[1];
    return apply(op, [reshape(g, [...x.shape.slice(0, -2), ...g.shape.slice(-2)])], attrs);
  },
  broadcastTo: ({ shape, inputs: [x] }) => (sameShape(x.shape, shape) ? x : undefined),
};

const broadcasting = new Set([
  "add",
  "sub",
  "mul",
  "div",
  "pow",
  "maximum",
  "minimum",
  "eq",
  "lt",
  "le",
  "gt",
  "ge",
  "and",
  "or",
  "where",
]);

/** Operands of broadcasting operations need no broadcast of their own, unless the result takes its shape from it. */
function withoutBroadcasts(node: Tensor): Tensor {
  if (!broadcasting.has(node.op.name)) return node;
  let current = node;
  for (const [i, x] of node.inputs.entries()) {
    if (x.op.name !== "broadcastTo") continue;
    const args = current.inputs.map((a, k) => (k === i ? x.inputs[0] : a));
    const bare = apply(node.op, args, node.attrs);
    if (sameShape(bare.shape, node.shape)) current = bare;
  }
  return current;
}

/** The one number a tensor repeats, as a scalar, if it is a broadcast of one. */
const repeated = (x: Tensor): Tensor | undefined => {
  const source = x.op.name === "broadcastTo" ? x.inputs[0] : x;
  return source.size === 1 ? reshape(source, []) : undefined;
};

/** What is done to every element of a repeated number is done to the number; moving them around does nothing. */
function onRepeated(node: Tensor): Tensor | undefined {
  const moves = node.op.name === "reshape" || node.op.name === "transpose";
  if (node.size === 1 || !(moves || node.op.elementwise)) return undefined;
  const scalars = node.inputs.map(repeated);
  if (!scalars.every((x) => x !== undefined)) return undefined;
  return broadcastTo(moves ? scalars[0] : apply(node.op, scalars, node.attrs), node.shape);
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
  const none = ofNothing(node);
  if (none) return none;
  const repeats = onRepeated(node);
  if (repeats) return repeats;
  const bare = withoutBroadcasts(node);
  return rules[bare.op.name]?.(bare) ?? bare;
}
