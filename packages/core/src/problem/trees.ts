// Vectors as trees of tensors.
import { full, leaves, mapTree, type NdArray, type Tensor, zipTrees } from "@pliant/engine";

type Tree = unknown;

/** A function of the tensors in the same place of several trees. */
export const mapTrees = <T extends Tree>(f: (...x: Tensor[]) => Tensor, first: T, ...others: T[]): T =>
  zipTrees(f, first, ...others) as unknown as T;

export const zerosLike = (tree: Tree): Tree => mapTree(tree, (p: NdArray) => full(p.shape, 0, p.dtype));

/** a·b of all that two trees hold. */
export const dotOf = (a: Tree, b: Tree): Tensor =>
  leaves(mapTrees((x, y) => x.mul(y).sum(), a, b))
    .map(({ leaf }) => leaf as Tensor)
    .reduce((x, y) => x.add(y));

export const lengthOf = (tree: Tree): Tensor => dotOf(tree, tree).sqrt();
