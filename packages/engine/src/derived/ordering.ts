// Places in sorted arrays, and counting what falls where. NaN sorts last.
import { type DType, isFloat } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { add, and, eq, ge, gt, le, lt, ne, not, or, sub, where } from "../ops/binary.js";
import { gather, scatterAdd } from "../ops/indexing.js";
import { broadcastTo, concat, reshape } from "../ops/movement.js";
import { cumsum } from "../ops/reduce.js";
import { slice } from "../ops/slicing.js";
import { sort } from "../ops/sort.js";
import { cast, clip } from "../ops/unary.js";
import { range } from "../shape.js";
import { constant, lift, liftAll, type Operand, scalar, type Tensor } from "../tensor.js";

/** Whether a comes before b. */
const before = (a: Tensor, b: Tensor): Tensor =>
  isFloat(a.dtype) ? or(lt(a, b), and(ne(b, b), eq(a, a))) : lt(a, b);

/** On which side of its equals a value belongs. */
export interface SearchOptions {
  side?: "left" | "right";
}

/** Where each value belongs in a sorted vector, by halving: before its equals, or behind them. */
export function searchSorted(
  sorted: Operand,
  values: Operand,
  { side = "left" }: SearchOptions = {},
): Tensor {
  const [list, wanted] = liftAll(sorted, values);
  if (list.rank !== 1 || list.dtype !== wanted.dtype || list.dtype === "bool")
    throw new ShapeError(
      "searchSorted",
      `needs a vector of numbers and values of its dtype, got ${showAval(list)} and ${showAval(wanted)}`,
    );
  const n = list.size;
  let place = broadcastTo(scalar(0, "int32"), wanted.shape);
  if (n === 0) return place;
  for (let step = 2 ** Math.floor(Math.log2(n)); step >= 1; step /= 2) {
    const next = add(place, step);
    const last = gather(list, sub(next, 1));
    const passes = side === "left" ? before(last, wanted) : not(before(wanted, last));
    place = where(and(le(next, n), passes), next, place);
  }
  return place;
}

/** How often each of 0 … n − 1 occurs, or the sum of the weights where it does; other numbers are left out. */
export function bincount(x: Operand, n: number, weights?: Operand): Tensor {
  const places = lift(x, "int32");
  const flat = reshape(places, [places.size]);
  const inside = and(ge(flat, 0), lt(flat, n));
  const given = weights === undefined ? undefined : lift(weights);
  const counts = given ? reshape(given, [places.size]) : cast(inside, "int32");
  const zero = scalar(0, counts.dtype);
  if (n === 0) return broadcastTo(zero, [0]);
  return scatterAdd(broadcastTo(zero, [n]), flat, where(inside, counts, zero));
}

/** How many values lie between each two of the sorted edges, the lower one included, the very last too. */
export function histogram(x: Operand, edges: Operand): Tensor {
  const [values, bounds] = liftAll(x, edges);
  const n = bounds.size - 1;
  if (bounds.rank !== 1 || n < 1)
    throw new ShapeError("histogram", `needs a vector of at least two edges, got ${showAval(bounds)}`);
  const bin = sub(searchSorted(bounds, values, { side: "right" }), 1);
  const last = gather(bounds, n);
  const within = where(eq(values, last), n - 1, where(gt(values, last), n, bin));
  return bincount(isFloat(values.dtype) ? where(ne(values, values), n, within) : within, n);
}

/**
 * The distinct values in their order, and how often each occurs. As a shape cannot depend on values, there are `size` of
 * them: places left over repeat the largest value and count 0, and what does not fit is left out.
 */
export function uniqueCounts(x: Operand, size: number): { values: Tensor; counts: Tensor } {
  const tensor = lift(x);
  if (tensor.size === 0)
    throw new ShapeError("uniqueCounts", `nothing to choose from in ${showAval(tensor)}`);
  const sorted = sort(reshape(tensor, [tensor.size]));
  const n = sorted.size;
  const starts = before(slice(sorted, [[0, n - 1]]), slice(sorted, [[1, n]]));
  const group = concat([scalarRow(0), cumsum(cast(starts, "int32"))]);
  const wanted = constant(new NdArray(Int32Array.from(range(size)), [size]));
  return {
    values: gather(sorted, clip(searchSorted(group, wanted), 0, n - 1)),
    counts: bincount(group, size),
  };
}

const scalarRow = (value: number, dtype: DType = "int32"): Tensor => reshape(scalar(value, dtype), [1]);
