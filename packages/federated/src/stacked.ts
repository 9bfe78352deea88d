// Arithmetic on the models of several clients at once, stacked along a leading axis, or of one, without that axis.
import { leaves, mapTree, type Replace, type Tensor, zipTrees } from "@pliant/engine";

/** One number a client, [S] or [], as it meets an array of theirs, [S, …] or […]. */
export const beside = (perClient: Tensor, theirs: Tensor): Tensor =>
  perClient.reshape([...perClient.shape, ...theirs.shape.slice(perClient.rank).map(() => 1)]);

/** A tree times one number a client. */
export const times = <P>(tree: P, perClient: Tensor): Replace<P, Tensor> =>
  mapTree(tree, (leaf: Tensor) => leaf.mul(beside(perClient, leaf))) as Replace<P, Tensor>;

export const plus = <P>(a: P, b: unknown): Replace<P, Tensor> => zipTrees((x, y) => x.add(y), a, b);
export const minus = <P>(a: P, b: unknown): Replace<P, Tensor> => zipTrees((x, y) => x.sub(y), a, b);
export const scaledBy = <P>(tree: P, factor: number): Replace<P, Tensor> =>
  mapTree(tree, (leaf: Tensor) => leaf.mul(factor)) as Replace<P, Tensor>;

/** ‖tree‖² of each client: [S], or [] where there is no stack. `stack` is the number of leading axes. */
export const squaredNorms = (tree: unknown, stack: number): Tensor =>
  leaves(tree)
    .map(({ leaf }) => leaf as Tensor)
    .map((x) => x.mul(x).sum({ axis: x.shape.map((_, i) => i).slice(stack) }))
    .reduce((a, b) => a.add(b));

/** The sum over the clients of a stack; of one client itself. */
export const overClients = <P>(tree: P, stack: number): Replace<P, Tensor> =>
  mapTree(tree, (leaf: Tensor) => (stack === 0 ? leaf : leaf.sum({ axis: 0 }))) as Replace<P, Tensor>;
