// Moving, repeating and cutting axes, made of the operations that move elements.
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { type Axes, type Axis, axisIn, optionsOf } from "../ops/axis.js";
import { gather } from "../ops/indexing.js";
import { broadcastTo, concat, expandDims, reshape, transpose } from "../ops/movement.js";
import { flip, slice } from "../ops/slicing.js";
import { axesOf, axisOf, range } from "../shape.js";
import * as stacked from "../stacked.js";
import { constant, lift, type Operand, type Tensor } from "../tensor.js";

/** The places from … to of one axis. */
const part = (x: Tensor, axis: number, from: number, to: number): Tensor =>
  slice(
    x,
    range(x.rank).map((i) => (i === axis ? [from, to] : [])),
  );

const whole = (name: string, n: number, least = 0): number => {
  if (!Number.isInteger(n) || n < least)
    throw new ShapeError(name, `needs a whole number of at least ${least}, got ${n}`);
  return n;
};

/** Two axes exchanged. */
export function swapAxes(x: Operand, first: number, second: number): Tensor {
  const tensor = lift(x);
  const [a, b] = [first, second].map((axis) => axisOf("swapAxes", axis, tensor.rank));
  return transpose(
    tensor,
    range(tensor.rank).map((i) => (i === a ? b : i === b ? a : i)),
  );
}

/** One axis moved to another place; the others keep their order. */
export function moveAxis(x: Operand, from: number, to: number): Tensor {
  const tensor = lift(x);
  const [a, b] = [from, to].map((axis) => axisOf("moveAxis", axis, tensor.rank));
  return stacked.moveAxis(tensor, a, b);
}

/** Copies side by side: so many along each axis, along the last ones where fewer are given, along new ones where more. */
export function tile(x: Operand, times: number | readonly number[]): Tensor {
  const tensor = lift(x);
  const given = (typeof times === "number" ? [times] : times).map((n) => whole("tile", n));
  const rank = Math.max(given.length, tensor.rank);
  const pad = <T>(list: readonly T[], value: T): T[] => [
    ...range(rank - list.length).map(() => value),
    ...list,
  ];
  const [shape, counts] = [pad(tensor.shape, 1), pad(given, 1)];
  const wide = broadcastTo(
    reshape(
      tensor,
      shape.flatMap((d) => [1, d]),
    ),
    shape.flatMap((d, i) => [counts[i], d]),
  );
  return reshape(
    wide,
    shape.map((d, i) => d * counts[i]),
  );
}

/** Each element so many times in a row along an axis, or all elements as one row. */
export function repeat(x: Operand, times: number, along?: Axis): Tensor {
  const tensor = lift(x);
  if (along === undefined) return repeat(reshape(tensor, [tensor.size]), times, 0);
  const axis = axisOf("repeat", axisIn(along, 0), tensor.rank);
  const n = whole("repeat", times);
  const wide = expandDims(tensor, axis + 1);
  const copies = broadcastTo(
    wide,
    wide.shape.map((d, i) => (i === axis + 1 ? n : d)),
  );
  return reshape(
    copies,
    tensor.shape.map((d, i) => (i === axis ? d * n : d)),
  );
}

/** Elements moved along axes, those that leave at one end coming in at the other; without an axis, all as one row. */
export function roll(x: Operand, by: number, along?: Axes): Tensor {
  const tensor = lift(x);
  const { axis } = optionsOf<{ axis?: number | readonly number[] }>(along);
  if (axis === undefined) return reshape(roll(reshape(tensor, [tensor.size]), by, 0), tensor.shape);
  if (!Number.isInteger(by)) throw new ShapeError("roll", `moves by a whole number of places, got ${by}`);
  return axesOf("roll", axis, tensor.rank).reduce((y, a) => {
    const n = y.shape[a];
    const shift = n === 0 ? 0 : ((by % n) + n) % n;
    return shift === 0 ? y : concat([part(y, a, n - shift, n), part(y, a, 0, n - shift)], a);
  }, tensor);
}

/** Parts along an axis: so many equal ones, or those between the places given. */
export function split(x: Operand, parts: number | readonly number[], along: Axis = 0): Tensor[] {
  const tensor = lift(x);
  const axis = axisOf("split", axisIn(along, 0), tensor.rank);
  const n = tensor.shape[axis];
  if (typeof parts === "number" && n % whole("split", parts, 1) !== 0)
    throw new ShapeError("split", `axis ${axis} of ${showAval(tensor)} has no ${parts} equal parts`);
  const cuts = typeof parts === "number" ? range(parts - 1).map((i) => ((i + 1) * n) / parts) : parts;
  const ends = [0, ...cuts, n];
  return range(ends.length - 1).map((i) => part(tensor, axis, ends[i], Math.max(ends[i], ends[i + 1])));
}

/** The last two axes turned by so many quarters, against the clock. */
export function rot90(x: Operand, quarters = 1): Tensor {
  const tensor = lift(x);
  const turns = ((whole("rot90", Math.abs(quarters)) * Math.sign(quarters)) % 4) + 4;
  if (tensor.rank < 2) throw new ShapeError("rot90", `needs at least two axes, got ${showAval(tensor)}`);
  const [down, right] = [tensor.rank - 2, tensor.rank - 1];
  if (turns % 4 === 0) return tensor;
  if (turns % 4 === 2) return flip(tensor, [down, right]);
  const turned = swapAxes(tensor, down, right);
  return flip(turned, turns % 4 === 1 ? down : right);
}

/** The elements beyond the ends: the last element, the elements mirrored (without or with the last one), or those of the other end. */
export type PadMode = "edge" | "reflect" | "symmetric" | "wrap";

/** The place in 0 … n − 1 that stands for one beyond it. */
function placeOf(i: number, n: number, mode: PadMode): number {
  const inside = (period: number): number => ((i % period) + period) % period;
  if (mode === "edge") return Math.min(Math.max(i, 0), n - 1);
  if (mode === "wrap") return inside(n);
  if (mode === "symmetric") return Math.min(inside(2 * n), 2 * n - 1 - inside(2 * n));
  return n === 1 ? 0 : Math.min(inside(2 * n - 2), 2 * n - 2 - inside(2 * n - 2));
}

/** A border made of the elements themselves: per axis `[before, after]`. `pad` makes one of a value. */
export function padWith(x: Operand, widths: readonly (readonly number[])[], mode: PadMode): Tensor {
  const tensor = lift(x);
  const fits = widths.length === tensor.rank && widths.flat().every((n) => Number.isInteger(n) && n >= 0);
  if (!fits || widths.some((w) => w.length !== 2))
    throw new ShapeError(
      "padWith",
      `needs [before, after] of at least 0 for each axis of ${showAval(tensor)}, got ${JSON.stringify(widths)}`,
    );
  return widths.reduce((y, [before, after], axis) => {
    const n = y.shape[axis];
    if (before + after === 0) return y;
    if (n === 0) throw new ShapeError("padWith", `axis ${axis} of ${showAval(tensor)} is empty`);
    const places = Int32Array.from(range(n + before + after), (i) => placeOf(i - before, n, mode));
    return gather(y, constant(new NdArray(places, [places.length])), axis);
  }, tensor);
}
