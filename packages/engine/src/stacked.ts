// The effect of an operation on a stack of operands: rules for vmap, and their parts.
import { broadcastTo, reshape, transpose } from "./ops/movement.js";
import { range } from "./shape.js";
import { apply, type Tensor } from "./tensor.js";

/** Which operands are stacks, with a leading axis of size n; the others are the same for all. */
export interface Stack {
  readonly n: number;
  readonly has: readonly boolean[];
}

/** A node's result for each entry of the stacks in place of its operands, stacked. */
export type StackRule<Attrs extends object = object> = (
  node: Tensor<Attrs>,
  operands: readonly Tensor[],
  stack: Stack,
) => Tensor;

/** All operands as stacks. */
export const allStacked = (operands: readonly Tensor[], { n, has }: Stack): Tensor[] =>
  operands.map((x, i) => (has[i] ? x : broadcastTo(x, [n, ...x.shape])));

/** A stack whose entries have `rank` axes, those they lack in front of their own being of size 1. */
export const withRank = (x: Tensor, rank: number): Tensor => {
  const [n, ...shape] = x.shape;
  return reshape(x, [n, ...range(rank - shape.length).map(() => 1), ...shape]);
};

/** The first two axes as one. */
export const merged = (x: Tensor): Tensor => {
  const [n, m, ...rest] = x.shape;
  return reshape(x, [n * m, ...rest]);
};

/** The first axis as a stack of n. */
export const unmerged = (x: Tensor, n: number): Tensor => {
  const [m, ...rest] = x.shape;
  return reshape(x, [n, m / n, ...rest]);
};

/** One axis moved to another place. */
export function moveAxis(x: Tensor, from: number, to: number): Tensor {
  const order = range(x.rank).filter((i) => i !== from);
  order.splice(to, 0, from);
  return transpose(x, order);
}

/** For an operation whose attributes name axes from the front: the same, one axis further. */
export const oneFurther =
  <Attrs extends object>(attrs: (node: Tensor<Attrs>) => Attrs): StackRule<Attrs> =>
  (node, operands, stack) =>
    apply(node.op, allStacked(operands, stack), attrs(node));

/** For an operation on each entry of the first axis of its operands: the stack and that axis are merged. */
export const inFirstAxis: StackRule = (node, operands, stack) =>
  unmerged(apply(node.op, allStacked(operands, stack).map(merged), node.attrs), stack.n);
