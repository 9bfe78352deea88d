// Computes values that do not change between the steps of a loop once, before the first step. This includes rows gathered from fixed
// data: taking rows commutes with any operation on each row, f(x[i]) = f(x)[i], so f is applied to all rows
// beforehand and only the taking is left in the loop, where memory allows.
import type { StepProgram } from "./backend.js";
import { follow, resized } from "./batch.js";
import { bytesPerElement, type Shape } from "./dtype.js";
import { type Program, topological } from "./graph.js";
import { gather, gatherOp } from "./ops/indexing.js";
import { broadcastToOp, reshape, reshapeOp, transposeOp } from "./ops/movement.js";
import { optimize, rebuild } from "./passes.js";
import { range, sameShape, sizeOf } from "./shape.js";
import { apply, input, isConstant, type Tensor } from "./tensor.js";

export interface Hoisted {
  /** From some of the loop's constants to the values the step takes behind them all. */
  readonly before: Program;
  /** Which constants those are. */
  readonly reads: readonly number[];
  readonly step: StepProgram;
}

const is = (node: Tensor, op: object): boolean => (node.op as object) === op;

const bytesOf = ({ size, dtype }: Tensor): number => size * bytesPerElement(dtype);

/** Costs nothing, or can be part of reading it. */
const views = (node: Tensor): boolean => is(node, reshapeOp) || is(node, transposeOp);

/** Repeats its operands: cheaper done again at every step than kept. */
const repeats = (node: Tensor): boolean =>
  is(node, broadcastToOp) || (node.op.elementwise === true && node.inputs.every((x) => x.size < node.size));

/** Which tensors of a step are the same at every step because they depend on its constants alone, and on at least one. */
function stillTensors({ inputs, outputs, states, constants }: StepProgram): Set<Tensor> {
  const still = new Set(inputs.slice(states, states + constants));
  const fixed = new Set(still);
  for (const node of topological(outputs)) {
    if (node.inputs.length === 0) {
      if (isConstant(node)) fixed.add(node);
    } else if (node.inputs.every((x) => fixed.has(x))) {
      fixed.add(node);
      if (node.inputs.some((x) => still.has(x))) still.add(node);
    }
  }
  return still;
}

/** f(x[i], c) as f(x, c)[i], where x is still and c is the same for every row. */
function gatherLast(node: Tensor, still: (x: Tensor) => boolean, limit: number): Tensor | undefined {
  const taken = node.inputs.filter((x) => is(x, gatherOp) && still(x.inputs[0]));
  const [first] = taken;
  if (!first || (first.attrs as { axis: number }).axis !== 0) return undefined;
  const [data, index] = first.inputs;
  const alike = taken.every((x) => x.inputs[1] === index && (x.attrs as { axis: number }).axis === 0);
  if (!alike || repeats(node) || isConstant(index) || still(index)) return undefined;
  const n = data.shape[0];
  const rest = node.shape.slice(index.rank);
  if (n * sizeOf(rest) * bytesPerElement(node.dtype) > limit) return undefined;
  const all = node.op.elementwise
    ? onEachRow(node, taken, still, index.rank) && apply(node.op, untaken(node, taken), node.attrs)
    : onAllRows(node, data, index);
  return all ? gather(all, index) : undefined;
}

/** A node applied to all rows of the data instead of the gathered ones; undefined if it mixes rows. */
function onAllRows(node: Tensor, data: Tensor, { shape: taken, rank: lead }: Tensor): Tensor | undefined {
  const [x] = node.inputs;
  if (node.inputs.length > 1 || lead === 0 || !sameShape(node.shape.slice(0, lead), taken)) return undefined;
  const apart = taken.every((count, axis) => {
    const stride = ({ shape }: Tensor) => sizeOf(shape.slice(axis + 1));
    return follow(node, { strides: [stride(x)], count }) === stride(node);
  });
  // All rows along the first of the axes they were taken along, so that the others keep their numbers.
  const alike = (rest: Shape): Shape => [data.shape[0], ...taken.slice(1).map(() => 1), ...rest];
  const rest = node.shape.slice(lead);
  const all = apart ? resized(node, [reshape(data, alike(x.shape.slice(lead)))], alike(rest)) : undefined;
  return all && reshape(all, [data.shape[0], ...rest]);
}

const untaken = ({ inputs }: Tensor, taken: readonly Tensor[]): Tensor[] =>
  inputs.map((x) => (taken.includes(x) ? x.inputs[0] : x));

/** Whether the operands that are not taken rows are numbers, or still and without an axis along the rows. */
function onEachRow(
  node: Tensor,
  taken: readonly Tensor[],
  still: (x: Tensor) => boolean,
  lead: number,
): boolean {
  const rest = node.rank - lead;
  const whole = taken.every((x) => x.rank === node.rank);
  const others = node.inputs.filter((x) => !taken.includes(x));
  return whole && others.every((x) => (isConstant(x) || still(x)) && x.rank <= rest);
}

function gathersLast(step: StepProgram, limit: number): StepProgram {
  const still = stillTensors(step);
  const fixed = (x: Tensor) => still.has(x);
  return {
    ...step,
    ...rebuild(step, (node) => {
      const moved = gatherLast(node, fixed, limit);
      if (moved) still.add(moved.inputs[0]);
      else if (!still.has(node) && node.inputs.length > 0 && node.inputs.every(steady(still)))
        still.add(node);
      return moved ?? node;
    }),
  };
}

const steady = (still: ReadonlySet<Tensor>) => (x: Tensor) => still.has(x) || isConstant(x);

/** The still tensors that the changing part of a step reads, and that are worth keeping. */
function frontier(step: StepProgram): Tensor[] {
  const still = stillTensors(step);
  const inputs = new Set(step.inputs);
  const chosen = new Set<Tensor>();
  const keep = (node: Tensor): void => {
    if (!still.has(node) || inputs.has(node)) return;
    if (repeats(node) || views(node)) for (const x of node.inputs) keep(x);
    else chosen.add(node);
  };
  for (const node of topological(step.outputs)) if (!still.has(node)) for (const x of node.inputs) keep(x);
  for (const output of step.outputs) keep(output);
  return [...chosen];
}

/** A step with the kept tensors as further constants, and what makes them. */
function split(step: StepProgram, kept: readonly Tensor[]): Hoisted {
  const { inputs, outputs, states, constants } = step;
  const given = kept.map((node, i) => input(`kept${i}`, node));
  const places = new Map<Tensor, Tensor>(kept.map((node, i) => [node, given[i]]));
  const body = rebuild({ inputs, outputs }, (node) => node, places);
  const at = states + constants;
  const used = new Set(topological(kept));
  const reads = range(constants).filter((i) => used.has(inputs[states + i]));
  return {
    before: { inputs: reads.map((i) => inputs[states + i]), outputs: kept },
    reads,
    step: {
      inputs: [...inputs.slice(0, at), ...given, ...inputs.slice(at)],
      outputs: body.outputs,
      states,
      constants: constants + kept.length,
    },
  };
}

/** Splits a step into what is done once and what is done at every step. No more than `limit` bytes are kept. */
export function hoist(step: StepProgram, limit: number): Hoisted {
  const moved = gathersLast({ ...step, ...optimize(step) }, limit);
  const candidates = frontier(moved);
  const total = candidates.reduce((sum, node) => sum + bytesOf(node), 0);
  if (total <= limit) return split(moved, candidates);
  // Too much together: rows are left where they are taken, and of the rest as much is kept as there is room for.
  let room = limit;
  const kept = frontier(step).filter((node) => {
    const fits = bytesOf(node) <= room;
    if (fits) room -= bytesOf(node);
    return fits;
  });
  return split(step, kept);
}
