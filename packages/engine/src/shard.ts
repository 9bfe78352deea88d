// Which axis of an array lies in parts on several devices. A note to XLA, which lays out everything else by it and moves what
// has to be moved; on one device, and on other back ends, it is the array itself.
import { topological } from "./graph.js";
import { axisOf } from "./shape.js";
import { apply, is, lift, type Op, type Operand, type Tensor } from "./tensor.js";

const shardOp: Op<{ axis: number }> = {
  name: "shard",
  bf16: "follow",
  batch: (_, { strides }) => strides[0],
  // The rows that lie in parts are those of this array, not of what they were taken from.
  resized: ({ shape: own, attrs }, shape) => (shape[attrs.axis] === own[attrs.axis] ? attrs : undefined),
  stacked: ({ attrs: { axis } }) => ({ axis: axis + 1 }),
  infer: ([x]) => x,
  gradient: (g, node) => [shard(g, (node.attrs as { axis: number }).axis)],
  reference: () => (out, x) => out.set(x),
  onnx: (_, [x]) => x,
  xla: (hlo, [x], { attrs: { axis } }) => hlo.sharded(x, axis),
};

/**
 * The same values, of which each device of `xla({ devices })` holds a part along an axis: the rows of a batch, the models of a
 * stack. An argument of a compiled function that is read so is laid out so, and a result that is one stays so.
 */
export function shard(x: Operand, axis = 0): Tensor {
  const tensor = lift(x);
  return apply(shardOp, [tensor], { axis: axisOf("shard", axis, tensor.rank) });
}

/** The axis along which a tensor lies in parts: as an input, the one it is read along; as a result, its own. */
export function shardedAxes(inputs: readonly Tensor[], outputs: readonly Tensor[]) {
  const read = new Map<Tensor, number>();
  for (const node of topological(outputs)) {
    if (is(node, shardOp) && !read.has(node.inputs[0])) read.set(node.inputs[0], node.attrs.axis);
  }
  return {
    inputs: inputs.map((x) => read.get(x)),
    outputs: outputs.map((y) => (is(y, shardOp) ? y.attrs.axis : undefined)),
  };
}
