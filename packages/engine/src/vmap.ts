// A function of one, done to many at once. The function is traced on one entry; then each operation that depends on it is
// replaced by what does the same to the whole stack. Each operation says what that is (`vmap`, `rows`, `elementwise`); one that
// says nothing is taken apart, or, where it has a gradient of its own, done to one entry after another.
import { Body, inlined, symbolsFor, tensorsOf } from "./control/body.js";
import { EngineError } from "./errors.js";
import { showAval, topological } from "./graph.js";
import { broadcastTo, reshape, stack as side } from "./ops/movement.js";
import { slice } from "./ops/slicing.js";
import { range } from "./shape.js";
import { allStacked, type Stack, withRank } from "./stacked.js";
import { apply, lift, type Operand, type Tensor } from "./tensor.js";
import { leaves, mapTree, type Replace } from "./tree.js";

/**
 * The function, done to each entry along the leading axis of all its arguments, which are trees of tensors; results have such
 * an axis too. What is the same for all, the function closes over.
 */
export function vmap<P extends unknown[], R>(fn: (...args: P) => R): (...args: P) => Replace<R, Tensor> {
  return (...args) => {
    const given = leaves(args).map(({ leaf }) => lift(leaf as Operand));
    const n = given[0]?.shape[0];
    if (n === undefined || given.some((x) => x.shape[0] !== n)) {
      const shapes = given.map(showAval).join(", ");
      throw new EngineError(
        `vmap: arguments need one leading axis of equal length; got ${shapes || "none"}.`,
      );
    }
    const symbols = symbolsFor("entry", args, ({ shape, dtype }) => ({ shape: shape.slice(1), dtype }));
    const { tree, outputs } = tensorsOf("vmap", fn(...(symbols as unknown as P)));
    const own = leaves(symbols).map(({ leaf }) => leaf as Tensor);
    const results = stackedOutputs(outputs, new Map(own.map((x, i) => [x, given[i]])), n);
    return mapTree(tree, (i: number) => results[i]) as Replace<R, Tensor>;
  };
}

/** The outputs for all entries, from the stacks that take the place of some tensors. */
export function stackedOutputs(
  outputs: readonly Tensor[],
  stacks: ReadonlyMap<Tensor, Tensor>,
  n: number,
): Tensor[] {
  const known = new Map(stacks);
  for (const node of topological(outputs)) {
    if (known.has(node) || !node.inputs.some((x) => known.has(x))) continue;
    const operands = node.inputs.map((x) => known.get(x) ?? x);
    known.set(node, stackedNode(node, operands, { n, has: node.inputs.map((x) => known.has(x)) }));
  }
  return outputs.map((x) => known.get(x) ?? broadcastTo(x, [n, ...x.shape]));
}

function stackedNode(node: Tensor, operands: readonly Tensor[], stack: Stack): Tensor {
  const { op, attrs, rank } = node;
  if (op.vmap) return op.vmap(node, operands, stack);
  if (op.elementwise) {
    const aligned = operands.map((x, i) => (stack.has[i] ? withRank(x, rank) : x));
    return apply(op, op.broadcasts ? aligned : allStacked(aligned, stack), attrs);
  }
  const further = operands.length === 1 ? op.stacked?.(node, stack.n) : undefined;
  if (further) return apply(op, operands, further);
  if (op.expand && !op.gradient && !op.gradientOfAll) {
    const inside = op.expand(node.inputs, attrs);
    const stacks = new Map(node.inputs.flatMap((x, i) => (stack.has[i] ? [[x, operands[i]] as const] : [])));
    return stackedOutputs([inside], stacks, stack.n)[0];
  }
  return oneByOne(node, operands, stack);
}

/** The operation applied to one entry after another. */
function oneByOne(
  { op, attrs, shape, dtype }: Tensor,
  operands: readonly Tensor[],
  { n, has }: Stack,
): Tensor {
  const entry = (x: Tensor, i: number): Tensor => reshape(slice(x, [[i, i + 1]]), x.shape.slice(1));
  if (n === 0) return broadcastTo(lift(0, dtype), [0, ...shape]);
  return side(
    range(n).map((i) =>
      apply(
        op,
        operands.map((x, k) => (has[k] ? entry(x, i) : x)),
        attrs,
      ),
    ),
  );
}

/** A body that does to stacks, in place of the inputs so marked, what another does to their entries; all it gives are stacks. */
export function stackedBody({ inputs, outputs }: Body, { n, has }: Stack): Body {
  const given = inputs.map((x, i) =>
    symbolsFor(`stack${i}`, x, ({ shape, dtype }) => ({ shape: has[i] ? [n, ...shape] : shape, dtype })),
  ) as Tensor[];
  const stacks = new Map(inputs.flatMap((x, i) => (has[i] ? [[x, given[i]] as const] : [])));
  const made = stackedOutputs(outputs, stacks, n);
  const places = { inputs, outputs: made };
  return new Body({ inputs: given, outputs: inlined(places, given) });
}
