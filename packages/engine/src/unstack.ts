// A stack of models as one model after another. Batched over an axis, many models make large arrays that fall out of the
// processor's caches between any two operations; where what is done to one model does not depend on the others, the
// same program for one of them, run as often as there are models, works on arrays that stay there.
import { follow, located, Mixed, type RowStride, resized } from "./batch.js";
import type { Shape } from "./dtype.js";
import { type Program, topological } from "./graph.js";
import { matmulOp } from "./ops/linear.js";
import { reshape, reshapeOp, transposeOp } from "./ops/movement.js";
import { optimize, rebuild } from "./passes.js";
import { range, sameShape } from "./shape.js";
import { apply, input, is, type Tensor } from "./tensor.js";

export interface Unstacked {
  readonly models: number;
  /** What is done to each model: takes the whole program's inputs, of those that are stacked a part. */
  readonly one: Program;
  readonly stacked: readonly boolean[];
  /** What `one` gives, as it is for all models: each one's part is a piece of it. */
  readonly parts: readonly Tensor[];
  /** What is done with all models together: takes these of the whole program's inputs and then the parts. */
  readonly rest: Program;
  readonly restReads: readonly number[];
  /** For each output of the whole program which of the parts it is, or which output of the rest. */
  readonly outputs: readonly { readonly part?: number; readonly rest?: number }[];
}

/** The shape of one model's part. */
function partOf({ shape }: { shape: Shape }, stride: number, models: number): Shape | undefined {
  const axis = located(shape, stride, models)?.axis;
  return axis === undefined ? undefined : shape.map((d, i) => (i === axis ? d / models : d));
}

/** A tensor that is the same for every model, cut to what fits a part; undefined where it is not the same along the axis. */
function fitted(x: Tensor, shape: Shape, part: Shape): Tensor | undefined {
  const lead = part.length - x.rank;
  const own = x.shape.map((d, i) => (d === shape[i + lead] ? part[i + lead] : d));
  if (sameShape(own, x.shape)) return x;
  // A number repeated: less often.
  const source = x.op.repeats ? x.inputs[0] : undefined;
  const repeats = source?.shape.every((d, i) => d === 1 || d === own[i + own.length - source.rank]);
  return repeats ? resized(x, [source!], own) : undefined;
}

/** An operation along axes other than a leading one of size 1 is done on the array without it. */
function withoutLead(node: Tensor): Tensor {
  if (node.rank < 2 || node.shape[0] !== 1) return node;
  const bare = (x: Tensor): Tensor => (x.rank === node.rank ? reshape(x, x.shape.slice(1)) : x);
  const without = (attrs: object): Tensor =>
    reshape(apply(node.op, node.inputs.map(bare), attrs), node.shape);
  if (node.op.elementwise && node.inputs.some((x) => is(x, reshapeOp))) return without(node.attrs);
  // The leading axis of a product of two matrices is not that of its second operand.
  if (is(node, matmulOp) && node.rank > 2 && node.inputs.every((x) => x.rank === node.rank))
    return without(node.attrs);
  if (is(node, transposeOp) && node.attrs.order[0] === 0)
    return without({ order: node.attrs.order.slice(1).map((i) => i - 1) });
  return node;
}

/** Takes a program apart along the first axis of its inputs of so many entries; undefined where it is no such stack. */
export function unstack({ inputs, outputs }: Program, models: number): Unstacked | undefined {
  const order = topological(outputs);
  const strides = new Map<Tensor, RowStride>();
  const one = new Map<Tensor, Tensor>();
  const together = new Set<Tensor>();
  for (const [i, x] of inputs.entries()) {
    const stacked = x.rank > 0 && x.shape[0] === models;
    strides.set(x, stacked ? x.size / models : undefined);
    one.set(x, stacked ? input(`part${i}`, { shape: [1, ...x.shape.slice(1)], dtype: x.dtype }) : x);
  }
  for (const node of order) {
    if (strides.has(node)) continue;
    const found = node.inputs.some((x) => together.has(x))
      ? new Mixed(node, undefined)
      : follow(node, { strides: node.inputs.map((x) => strides.get(x)), count: models });
    if (found instanceof Mixed) {
      together.add(node);
      continue;
    }
    strides.set(node, found);
    if (found === undefined) {
      one.set(node, node);
      continue;
    }
    const part = partOf(node, found, models);
    const args = node.inputs.map((x) =>
      strides.get(x) === undefined && part && node.op.broadcasts ? fitted(x, node.shape, part) : one.get(x),
    );
    const made = part && args.every((x) => x !== undefined) ? resized(node, args, part) : undefined;
    if (!made) return undefined;
    one.set(node, made);
  }

  const given = new Set(inputs);
  const isPart = (x: Tensor): boolean => strides.get(x) !== undefined && !given.has(x);
  const crossing = order.filter((node) => together.has(node)).flatMap((node) => node.inputs.filter(isPart));
  const parts = [...new Set([...outputs.filter(isPart), ...crossing])];
  const inPieces = (x: Tensor): boolean => strides.get(x)! * models === x.size;
  const once = new Set(outputs).size === outputs.length;
  if (parts.length === 0 || !once || !parts.every(inPieces)) return undefined;

  const places = new Map(parts.map((x, i) => [x, input(`parts${i}`, x)]));
  const others = outputs.filter((x) => !isPart(x));
  const rest = rebuild({ inputs, outputs: others }, (node) => node, places).outputs;
  const read = new Set(topological(rest));
  const sources = [...inputs, ...places.values()];
  return {
    models,
    one: optimize(
      rebuild(
        optimize({ inputs: inputs.map((x) => one.get(x)!), outputs: parts.map((x) => one.get(x)!) }),
        withoutLead,
      ),
    ),
    stacked: inputs.map((x) => strides.get(x) !== undefined),
    parts,
    rest: { inputs: sources.filter((x) => read.has(x)), outputs: rest },
    restReads: range(sources.length).filter((i) => read.has(sources[i])),
    outputs: outputs.map((x) => (isPart(x) ? { part: parts.indexOf(x) } : { rest: others.indexOf(x) })),
  };
}
