// The order of a product's axes, kept. A product over patches comes out with the windows of the pooling behind it as axes of
// their own; on the way to that pooling stand reshapes and transposes that would move every element twice. Here axes are
// renamed instead: reshapes, transposes, element-wise operations and reductions behind an anchored tensor are done in the
// order in which it lies, and elements are moved once, where something else reads them.
import { type Program, topological } from "../graph.js";
import { reshape, reshapeOp, transpose, transposeOp } from "../ops/movement.js";
import { isReduction } from "../ops/reduce.js";
import { castOp } from "../ops/unary.js";
import { optimize, rebuild } from "../passes.js";
import { sameShape, sizeOf } from "../shape.js";
import { apply, type Op, type Tensor } from "../tensor.js";

/** The tensor itself, in another shape, with a mark: operations before it keep the order of its axes. */
export const anchorOp: Op<{ shape: readonly number[] }> = {
  name: "anchor",
  bf16: "follow",
  infer: ([x], { shape }) => ({ shape, dtype: x.dtype }),
  xla: (hlo, [x], { shape }) => hlo.emit("stablehlo.reshape", [x], shape),
};
export const anchor = (x: Tensor, shape: readonly number[]): Tensor => apply(anchorOp, [x], { shape });

/** A tensor as it lies, and for each axis the program knows the axes of the lying tensor it is made of, major first. */
interface Placed {
  readonly base: Tensor;
  readonly axes: readonly (readonly number[])[];
}

const is = (node: Tensor, op: object): boolean => (node.op as object) === op;

/** The tensor the program means. */
function moved({ base, axes }: Placed): Tensor {
  const shape = axes.map((atoms) => sizeOf(atoms.map((a) => base.shape[a])));
  return reshape(transpose(base, axes.flat()), shape);
}

/** The same axes in other groups; undefined where the new shape cuts through one of them. */
function regrouped({ base, axes }: Placed, shape: readonly number[]): Placed | undefined {
  const atoms = axes.flat();
  const groups: number[][] = [];
  let next = 0;
  for (const d of shape) {
    const group: number[] = [];
    let size = 1;
    while (size < d) {
      if (next === atoms.length) return undefined;
      size *= base.shape[atoms[next]];
      group.push(atoms[next++]);
    }
    if (size !== d) return undefined;
    // An axis of size 1 keeps the atom of size 1 that stands at its place.
    if (d === 1 && next < atoms.length && base.shape[atoms[next]] === 1) group.push(atoms[next++]);
    groups.push(group);
  }
  if (next === atoms.length) return { base, axes: groups };
  return undefined;
}

/** An operand in the order of another tensor's axes, each of them whole or of size 1. */
function alongside(x: Tensor, axes: Placed["axes"], sizes: readonly number[]): Tensor | undefined {
  if (x.size === 1) return reshape(x, []);
  const shape = [...axes.slice(x.rank).map(() => 1), ...x.shape];
  const atoms: number[] = [];
  for (const [i, group] of axes.entries()) {
    const whole = sizeOf(group.map((a) => sizes[a]));
    if (shape[i] !== whole && shape[i] !== 1) return undefined;
    for (const a of group) atoms.push(shape[i] === 1 ? 1 : sizes[a]);
  }
  const order = axes.flat();
  return transpose(
    reshape(x, atoms),
    sizes.map((_, a) => order.indexOf(a)),
  );
}

const sameAxes = (a: Placed, b: Placed): boolean =>
  a.axes.length === b.axes.length && a.axes.every((group, i) => sameShape(group, b.axes[i]));

function elementwise(node: Tensor, placed: ReadonlyMap<Tensor, Placed>): Placed | undefined {
  const leaders = node.inputs.flatMap((x) => (x.rank === node.rank ? (placed.get(x) ?? []) : []));
  if (leaders.length === 0) return undefined;
  const leader = leaders.reduce((a, b) => (b.base.size > a.base.size ? b : a));
  const { axes } = leader;
  // An axis on which the leader is of size 1 takes its size from the others, if it is a single one.
  const sizes = [...leader.base.shape];
  for (const [i, group] of axes.entries()) {
    if (sizeOf(group.map((a) => sizes[a])) === node.shape[i]) continue;
    if (group.length !== 1) return undefined;
    sizes[group[0]] = node.shape[i];
  }
  const operands: Tensor[] = [];
  for (const x of node.inputs) {
    const place = placed.get(x);
    const lying = place && sameAxes(place, leader) ? place.base : alongside(x, axes, sizes);
    if (!lying) return undefined;
    operands.push(lying);
  }
  const base = apply(node.op, operands, node.attrs);
  return sameShape(base.shape, sizes) ? { base, axes } : undefined;
}

function reduced(node: Tensor, place: Placed): Placed | undefined {
  const { axes: over, keepDims } = node.attrs as { axes: readonly number[]; keepDims: boolean };
  const gone = over.flatMap((i) => place.axes[i]);
  const base = apply(node.op, [place.base], { axes: [...gone].sort((a, b) => a - b), keepDims } as object);
  if (keepDims) return { base, axes: place.axes };
  const renamed = (a: number) => a - gone.filter((g) => g < a).length;
  const axes = place.axes.filter((_, i) => !over.includes(i)).map((group) => group.map(renamed));
  return { base, axes };
}

function place(node: Tensor, placed: ReadonlyMap<Tensor, Placed>): Placed | undefined {
  if (is(node, anchorOp)) return { base: node, axes: node.shape.map((_, i) => [i]) };
  const [first] = node.inputs;
  const before = first && placed.get(first);
  if (is(node, reshapeOp)) return before && regrouped(before, node.shape);
  if (is(node, transposeOp)) {
    const { order } = node.attrs as { order: readonly number[] };
    return before && { base: before.base, axes: order.map((i) => before.axes[i]) };
  }
  if (isReduction(node)) return before && reduced(node, before);
  return node.op.elementwise || is(node, castOp) ? elementwise(node, placed) : undefined;
}

/** The same program, with everything behind anchors done in their order. */
export function inOrder(program: Program): Program {
  if (!topological(program.outputs).some((node) => is(node, anchorOp))) return program;
  const placed = new Map<Tensor, Placed>();
  const ordered = rebuild(program, (node) => {
    const found = place(node, placed);
    if (!found) return node;
    const result = moved(found);
    placed.set(result, found);
    return result;
  });
  return optimize(ordered);
}
