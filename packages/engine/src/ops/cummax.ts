// Running maxima along an axis. NaN counts as the largest number, so from the first on all are NaN.
import { exceptAlong } from "../batch.js";
import { allocate, isFloat } from "../dtype.js";
import { NdArray } from "../ndarray.js";
import { axisOf, range, stridesOf } from "../shape.js";
import { apply, constant, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { addAlong } from "./along.js";
import type { Axis } from "./axis.js";
import { and, eq, gt, maximum, ne, or, where } from "./binary.js";
import { broadcastTo } from "./movement.js";
import { type Direction, running } from "./reduce.js";
import { pad, slice } from "./slicing.js";
import { numeric } from "./unary.js";

interface CummaxAttrs {
  readonly axis: number;
  readonly reverse: boolean;
}

/** The elements `by` places before each along the axis; elements before the first never count as the maximum. */
export function earlier(x: Tensor, { axis, reverse }: CummaxAttrs, by: number, value: number): Tensor {
  const n = x.shape[axis];
  const along = <T>(here: T, there: T): T[] => range(x.rank).map((i) => (i === axis ? here : there));
  const kept = slice(x, along(reverse ? [by, n] : [0, n - by], [] as number[]));
  return pad(kept, along(reverse ? [0, by] : [by, 0], [0, 0]), value);
}

const lowest = (x: Tensor): number => (isFloat(x.dtype) ? -Infinity : -(2 ** 31));

/** Where the running maximum y of x was reached first: the last place that exceeded all before it. */
function reached(x: Tensor, y: Tensor, attrs: CummaxAttrs): Tensor {
  const n = x.shape[attrs.axis];
  const rank = (i: number): number => (attrs.reverse ? n - 1 - i : i);
  const column = (values: Int32Array): Tensor =>
    constant(
      new NdArray(
        values,
        x.shape.map((_, i) => (i === attrs.axis ? n : 1)),
      ),
    );
  const steps = column(Int32Array.from(range(n), rank));
  const before = earlier(y, attrs, 1, lowest(x));
  const exceeds = isFloat(x.dtype) ? or(gt(x, before), and(ne(x, x), eq(before, before))) : gt(x, before);
  const last = cummax(where(or(exceeds, eq(steps, 0)), steps, 0), attrs.axis, attrs);
  return attrs.reverse ? last.neg().add(n - 1) : last;
}

const cummaxOp: Op<CummaxAttrs> = {
  name: "cummax",
  batch: exceptAlong(({ attrs: { axis } }) => [axis]),
  stacked: ({ attrs }) => ({ ...attrs, axis: attrs.axis + 1 }),
  bf16: "follow",
  infer: ([x]) => numeric("cummax", x),
  gradient: (g, node) => {
    const [x] = node.inputs;
    const attrs = node.attrs as CummaxAttrs;
    const zeros = constant(new NdArray(allocate(x.dtype, 1), [], x.dtype));
    return [addAlong(broadcastTo(zeros, x.shape), reached(x, node, attrs), g, attrs.axis)];
  },
  // Maxima over 2, 4, 8, … elements.
  expand: ([x], attrs) => {
    let y = x;
    for (let by = 1; by < x.shape[attrs.axis]; by *= 2) y = maximum(y, earlier(y, attrs, by, lowest(x)));
    return y;
  },
  reference: ({ shape, dtype, attrs: { axis, reverse } }) => {
    const step = stridesOf(shape)[axis];
    const n = shape[axis];
    return (out, x) => {
      for (let start = 0; start < out.length; start += n * step) {
        for (let inner = 0; inner < step; inner++) {
          let largest = dtype === "int32" ? -(2 ** 31) : -Infinity;
          for (let k = 0; k < n; k++) {
            const at = start + inner + (reverse ? n - 1 - k : k) * step;
            largest = Math.max(largest, x[at]);
            out[at] = largest;
          }
        }
      }
    };
  },
};
/**
 * Running maxima along an axis, from the front or, with `reverse`, from the back. The gradient goes to the first of the
 * elements that equal the maximum.
 */
export function cummax(x: Operand, along: Axis<Direction> = -1, direction: Direction = {}): Tensor {
  const tensor = lift(x);
  const { axis, reverse } = running(along, direction);
  return apply(cummaxOp, [tensor], { axis: axisOf("cummax", axis, tensor.rank), reverse });
}
