// Parameters, states and batches are trees: nested plain objects and arrays with arrays or tensors as leaves.
import { EngineError } from "./errors.js";
import { NdArray, type Stored } from "./ndarray.js";
import { Tensor } from "./tensor.js";

export type Leaf = Tensor | Stored | number | boolean;
/** Nested objects and lists with leaves: parameters, data, results. */
export type Tree<L = unknown> = L | readonly Tree<L>[] | { readonly [name: string]: Tree<L> };

/** The type of a tree with every leaf replaced. */
export type Replace<T, To> = T extends Leaf
  ? To
  : T extends readonly unknown[] | object
    ? { [K in keyof T]: Replace<T[K], To> }
    : T;

function isBranch(value: unknown): value is Record<string, unknown> | unknown[] {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The leaves in order, each with its path (`.layers[0].weight`). Keys count in alphabetical order. */
export function leaves(tree: unknown): { path: string; leaf: unknown }[] {
  const found: { path: string; leaf: unknown }[] = [];
  // One list for all: states are walked at every call of a compiled function.
  const walk = (part: unknown, path: string): void => {
    if (!isBranch(part)) found.push({ path, leaf: part });
    else if (Array.isArray(part)) for (let i = 0; i < part.length; i++) walk(part[i], `${path}[${i}]`);
    else for (const name of Object.keys(part).sort()) walk(part[name], `${path}.${name}`);
  };
  walk(tree, "");
  return found;
}

/** A tree of the same form with f of each leaf. */
export function mapTree<T, To>(tree: T, f: (leaf: never, path: string) => To, path = ""): Replace<T, To> {
  if (!isBranch(tree)) return f(tree as never, path) as Replace<T, To>;
  if (Array.isArray(tree))
    return tree.map((child, i) => mapTree(child, f, `${path}[${i}]`)) as Replace<T, To>;
  const names = Object.keys(tree).sort();
  const mapped = new Map(names.map((name) => [name, mapTree(tree[name], f, `${path}.${name}`)]));
  return Object.fromEntries(Object.keys(tree).map((name) => [name, mapped.get(name)])) as Replace<T, To>;
}

/** Where one tree has a leaf that the other has not, for a sentence. */
function onlyIn(tree: unknown, other: unknown): string | undefined {
  const paths = new Set(leaves(other).map(({ path }) => path));
  return leaves(tree).find(({ path }) => !paths.has(path))?.path;
}

/** f of corresponding leaves of trees of one form. */
export function zipTrees<T>(
  f: (...leaves: Tensor[]) => Tensor,
  first: T,
  ...others: unknown[]
): Replace<T, Tensor> {
  for (const other of others) {
    if (formOf(other) === formOf(first)) continue;
    const here = onlyIn(first, other);
    const [missing, which] = here === undefined ? [onlyIn(other, first), "first"] : [here, "other"];
    throw new EngineError(
      `zipTrees: the trees have different forms: ${missing ? `the ${which} has no ${missing}` : "their branches differ"}.`,
    );
  }
  const columns = others.map((tree) => leaves(tree).map(({ leaf }) => leaf as Tensor));
  let i = 0;
  return mapTree(first, (leaf: Tensor) => {
    const row = columns.map((column) => column[i]);
    i++;
    return f(leaf, ...row);
  }) as Replace<T, Tensor>;
}

/** The tree's form as text: equal exactly when two trees have the same branches. */
export function formOf(tree: unknown): string {
  if (!isBranch(tree)) return "*";
  if (Array.isArray(tree)) return `[${tree.map(formOf).join(",")}]`;
  return `{${Object.keys(tree)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${formOf(tree[name])}`)
    .join(",")}}`;
}

export const isStored = (value: unknown): value is Stored =>
  value instanceof NdArray ||
  (typeof value === "object" &&
    value !== null &&
    !(value instanceof Tensor) &&
    "read" in value &&
    "dtype" in value);
