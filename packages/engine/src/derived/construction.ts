// Arrays made of nothing but their size, and tensors with a given diagonal or triangle.
import { allocate, type DType, type Shape } from "../dtype.js";
import { EngineError, ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { full, NdArray } from "../ndarray.js";
import { where } from "../ops/binary.js";
import { broadcastTo, expandDims, reshape } from "../ops/movement.js";
import { sum } from "../ops/reduce.js";
import { pad, slice } from "../ops/slicing.js";
import { cast } from "../ops/unary.js";
import { range } from "../shape.js";
import { type Aval, constant, lift, type Operand, scalar, type Tensor } from "../tensor.js";

/** An array whose elements follow from their places along one axis. */
function counted(n: number, dtype: DType, value: (i: number) => number): NdArray {
  const data = allocate(dtype, n);
  for (let i = 0; i < n; i++) data[i] = value(i);
  return new NdArray(data, [n], dtype);
}

/** An array of zeros. */
export const zeros = (shape: Shape, dtype: DType = "float32"): NdArray => full(shape, 0, dtype);
/** An array of ones. */
export const ones = (shape: Shape, dtype: DType = "float32"): NdArray => full(shape, 1, dtype);

export { zerosLike } from "../grad.js";
/** The value everywhere, in the shape and dtype of another. */
export const fullLike = (x: Aval, value: number): Tensor => broadcastTo(scalar(value, x.dtype), x.shape);
/** Ones in the shape and dtype of another. */
export const onesLike = (x: Aval): Tensor => fullLike(x, 1);

/** Ones on a diagonal, `offset` to the right of the main one, zeros elsewhere. */
export function eye(
  rows: number,
  columns = rows,
  { offset = 0, dtype = "float32" }: { offset?: number; dtype?: DType } = {},
): NdArray {
  const { data } = full([rows, columns], 0, dtype);
  for (let i = 0; i < rows; i++)
    if (i + offset >= 0 && i + offset < columns) data[i * columns + i + offset] = 1;
  return new NdArray(data, [rows, columns], dtype);
}

/** start, start + step, … up to but without `stop`; `arange(n)` counts from 0. Whole numbers are int32 by default. */
export function arange(
  from: number,
  to?: number,
  by = 1,
  dtype: DType = [from, to ?? 0, by].every(Number.isInteger) ? "int32" : "float32",
): NdArray {
  const [start, stop] = to === undefined ? [0, from] : [from, to];
  if (!(by !== 0) || ![start, stop, by].every(Number.isFinite))
    throw new EngineError(
      `arange: needs finite numbers and a step that is not 0, got ${start}, ${stop}, ${by}.`,
    );
  return counted(Math.max(0, Math.ceil((stop - start) / by)), dtype, (i) => start + i * by);
}

/** n numbers from start to stop, both included, at equal distances. */
export const linspace = (start: number, stop: number, n: number, dtype: DType = "float32"): NdArray =>
  counted(n, dtype, (i) => (i === n - 1 && n > 1 ? stop : start + ((stop - start) * i) / Math.max(n - 1, 1)));

/** n powers of `base`, their exponents at equal distances from start to stop. */
export const logspace = (
  start: number,
  stop: number,
  n: number,
  { base = 10, dtype = "float32" }: { base?: number; dtype?: DType } = {},
): NdArray => {
  const { data } = linspace(start, stop, n, "float64");
  return counted(n, dtype, (i) => base ** data[i]);
};

/** Grids from vectors, each of which varies along its own axis: x[i] and y[j] give two grids [i, j]. */
export function meshgrid(...axes: Operand[]): Tensor[] {
  const vectors = axes.map((x) => lift(x));
  for (const x of vectors)
    if (x.rank !== 1) throw new ShapeError("meshgrid", `needs vectors, got ${showAval(x)}`);
  const shape = vectors.map((x) => x.size);
  return vectors.map((x, k) =>
    broadcastTo(
      reshape(
        x,
        shape.map((d, i) => (i === k ? d : 1)),
      ),
      shape,
    ),
  );
}

/** Where column − row satisfies a condition, in the last two axes of a shape. */
function band(shape: Shape, holds: (right: number) => boolean): Tensor {
  const [rows, columns] = shape.slice(-2);
  const data = new Uint8Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) data[i * columns + j] = Number(holds(j - i));
  return constant(new NdArray(data, [rows, columns], "bool"));
}

function matrices(name: string, x: Operand): Tensor {
  const tensor = lift(x);
  if (tensor.rank < 2) throw new ShapeError(name, `needs at least two axes, got ${showAval(tensor)}`);
  return tensor;
}

/** The lower triangle of the last two axes, up to `offset` diagonals right of the main one; zeros above. */
export function tril(x: Operand, offset = 0): Tensor {
  const tensor = matrices("tril", x);
  return where(
    band(tensor.shape, (right) => right <= offset),
    tensor,
    scalar(0, tensor.dtype),
  );
}

/** The upper triangle of the last two axes, from `offset` diagonals right of the main one; zeros below. */
export function triu(x: Operand, offset = 0): Tensor {
  const tensor = matrices("triu", x);
  return where(
    band(tensor.shape, (right) => right >= offset),
    tensor,
    scalar(0, tensor.dtype),
  );
}

/** Matrices with the last axis of x on their diagonal, `offset` to the right of the main one. */
export function diag(x: Operand, offset = 0): Tensor {
  const tensor = lift(x);
  if (tensor.rank === 0) throw new ShapeError("diag", `needs at least one axis, got ${showAval(tensor)}`);
  const n = tensor.shape[tensor.rank - 1];
  const away = Math.abs(offset);
  const size = n + away;
  const zeros = (...shape: number[]) =>
    broadcastTo(scalar(0, tensor.dtype), [...tensor.shape.slice(0, -1), ...shape]);
  if (n === 0) return zeros(size, size);
  const wide = expandDims(tensor, offset >= 0 ? -1 : -2);
  const on = band([n, n], (right) => right === 0);
  const square = where(on, broadcastTo(wide, [...tensor.shape, n]), scalar(0, tensor.dtype));
  return away === 0 ? square : bordered(square, offset);
}

/** A square as a corner of a larger one, of which `offset` rows and columns are zeros. */
function bordered(x: Tensor, offset: number): Tensor {
  const away = Math.abs(offset);
  const [before, after] = [
    [0, away],
    [away, 0],
  ];
  const lead = range(x.rank - 2).map(() => [0, 0]);
  return pad(x, [...lead, ...(offset > 0 ? [before, after] : [after, before])]);
}

/** The diagonal of the last two axes, `offset` to the right of the main one. */
export function diagonal(x: Operand, offset = 0): Tensor {
  const tensor = matrices("diagonal", x);
  const [rows, columns] = tensor.shape.slice(-2);
  const [down, right] = [Math.max(-offset, 0), Math.max(offset, 0)];
  const n = Math.max(0, Math.min(rows - down, columns - right));
  const square = slice(tensor, [
    ...range(tensor.rank - 2).map(() => []),
    [down, down + n],
    [right, right + n],
  ]);
  const on = band([n, n], (away) => away === 0);
  if (tensor.dtype === "bool") return cast(diagonalOf(cast(square, "int32"), on), "bool");
  return diagonalOf(square, on);
}

/** One element a row is not 0: their sum is it. */
const diagonalOf = (x: Tensor, on: Tensor): Tensor => sum(where(on, x, scalar(0, x.dtype)), { axis: -1 });

/** The sum of the diagonal of the last two axes. */
export const trace = (x: Operand, offset = 0): Tensor => sum(diagonal(x, offset), { axis: -1 });
