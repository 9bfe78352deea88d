// What is computed with tensors is written as methods, which Stryker leaves alone: x.add(y) becomes x.sub(y), x.relu() becomes x.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Another method in its place, or none. */
const instead: Record<string, string | undefined> = {
  add: "sub",
  sub: "add",
  mul: "div",
  div: "mul",
  maximum: "minimum",
  minimum: "maximum",
  gt: "ge",
  ge: "gt",
  lt: "le",
  le: "lt",
  and: "or",
  or: "and",
  sum: "mean",
  mean: "sum",
  neg: undefined,
  abs: undefined,
  relu: undefined,
  sqrt: undefined,
  square: undefined,
  exp: undefined,
  log: undefined,
  not: undefined,
};

interface Node {
  readonly type: string;
  readonly callee: Node;
  readonly object: Node;
  readonly property: Node & { readonly name: string };
}
interface Mutator {
  readonly name: string;
  mutate(path: { readonly node: Node }): Iterable<Node>;
}

const tensorMethods: Mutator = {
  name: "TensorMethod",
  *mutate({ node }) {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return;
    const { object, property } = node.callee;
    if (property.type !== "Identifier" || !Object.hasOwn(instead, property.name)) return;
    const name = instead[property.name];
    if (name === undefined) yield structuredClone(object);
    else {
      const changed = structuredClone(node);
      (changed.callee.property as { name: string }).name = name;
      yield changed;
    }
  },
};

/** Stryker has no door for mutators of one's own; this is the list that it reads. */
export async function addTensorMethods(): Promise<void> {
  const entry = createRequire(createRequire(import.meta.url).resolve("@stryker-mutator/core")).resolve(
    "@stryker-mutator/instrumenter",
  );
  const list = pathToFileURL(join(dirname(entry), "mutators/mutate.js")).href;
  const { allMutators } = (await import(list)) as { allMutators: Mutator[] };
  allMutators.push(tensorMethods);
}
