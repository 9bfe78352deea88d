// What a model says of one row of its batch must not depend on the other rows. This finds the operations that make it so.
import type { Tensor } from "../tensor.js";

interface Over {
  readonly operand: Tensor;
  readonly axis: number;
}

type Axes = (node: Tensor<never>) => readonly number[];

const axesOf: Axes = ({ attrs }: Tensor<{ axes: readonly number[] }>) => attrs.axes;
const axisOf: Axes = ({ attrs }: Tensor<{ axis: number }>) => [attrs.axis];
const inPlane: Axes = () => [2, 3];
const cut: Axes = ({
  inputs: [x],
  attrs: { starts, stops, steps },
}: Tensor<{ starts: readonly number[]; stops: readonly number[]; steps: readonly number[] }>) =>
  x.shape.flatMap((d, i) => (starts[i] > 0 || stops[i] < d || steps[i] > 1 ? [i] : []));

/** The axes of its first operand along which an operation brings elements together, or takes some and not others. */
const along: Record<string, Axes> = {
  sum: axesOf,
  max: axesOf,
  min: axesOf,
  flip: axesOf,
  argmax: axisOf,
  softmax: axisOf,
  logSoftmax: axisOf,
  cumsum: axisOf,
  slice: cut,
  matmul: ({ inputs: [a] }: Tensor) => [a.rank - 1],
  conv2d: () => [1, 2, 3],
  conv2dInput: () => [1, 2, 3],
  conv2dKernel: () => [0, 2, 3],
  maxPool: inPlane,
  maxUnpool: inPlane,
  maxPoolLike: inPlane,
};

/** An axis over which an operation works and whose size differs between two traces of it, if there is one. */
export function mixedAxis(node: Tensor, other: Tensor): Over | undefined {
  const axes = along[node.op.name]?.(node as Tensor<never>) ?? [];
  const [operand] = node.inputs;
  const axis = axes.find((a) => operand.shape[a] !== other.inputs[0]?.shape[a]);
  return axis === undefined ? undefined : { operand, axis };
}
