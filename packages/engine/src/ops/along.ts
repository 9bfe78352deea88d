// Reading and adding along one axis at positions that each row chooses for itself.
import { axesGo } from "../batch.js";
import { allocate, type Shape } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { axisOf, range, sameShape, showShape, sizeOf, stridesOf } from "../shape.js";
import { oneFurther } from "../stacked.js";
import { apply, constant, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { type Axis, axisIn } from "./axis.js";
import { add, mul } from "./binary.js";
import { gather, scatterAdd } from "./indexing.js";
import { broadcastTo, reshape } from "./movement.js";
import { clip, numeric } from "./unary.js";

interface AlongAttrs {
  readonly axis: number;
}

/** Rows may lie along any axis except the one along which elements are chosen. */
const batch = axesGo<AlongAttrs>((_, at, { attrs: { axis } }) => (at === axis ? undefined : at));

const further = oneFurther<AlongAttrs>(({ attrs: { axis } }) => ({ axis: axis + 1 }));

function refuse(name: string, x: Tensor, index: Tensor, axis: number): void {
  if (index.dtype !== "int32") throw new ShapeError(name, `needs int32 indices, got ${showAval(index)}`);
  const fits = index.rank === x.rank && index.shape.every((d, i) => i === axis || d === x.shape[i]);
  if (!fits)
    throw new ShapeError(
      name,
      `indices for ${showAval(x)} have its shape but for axis ${axis}, got ${showShape(index.shape)}`,
    );
  if (x.shape[axis] === 0 && index.size > 0)
    throw new ShapeError(name, `axis ${axis} of ${showAval(x)} is empty`);
}

/** Walks an array of indices: the place of each in it, and in x the place that it names, which is brought into the axis. */
function eachIndex(x: Shape, index: Shape, axis: number) {
  const [n, m] = [x[axis], index[axis]];
  const inner = sizeOf(index.slice(axis + 1));
  const outer = sizeOf(index.slice(0, axis));
  return (at: ArrayLike<number>, visit: (place: number, element: number) => void): void => {
    let place = 0;
    for (let o = 0; o < outer; o++) {
      for (let k = 0; k < m; k++) {
        for (let i = 0; i < inner; i++, place++) {
          const chosen = Math.min(Math.max(at[place], 0), n - 1);
          visit(place, (o * n + chosen) * inner + i);
        }
      }
    }
  };
}

/** For each index, the position that it names in x flattened to one row. */
function flatPlaces(x: Tensor, index: Tensor, axis: number): Tensor {
  const strides = stridesOf(x.shape);
  const chosen = mul(clip(index, 0, Math.max(x.shape[axis] - 1, 0)), strides[axis]);
  return range(x.rank)
    .filter((i) => i !== axis && x.shape[i] > 1)
    .reduce((places, i) => {
      const steps = Int32Array.from(range(x.shape[i]), (k) => k * strides[i]);
      const along = x.shape.map((d, k) => (k === i ? d : 1));
      return add(places, constant(new NdArray(steps, along)));
    }, chosen);
}

const takeAlongOp: Op<AlongAttrs> = {
  name: "takeAlong",
  batch,
  vmap: further,
  bf16: "follow",
  infer: ([x, index], { axis }) => {
    refuse("takeAlong", x, index, axis);
    return { shape: index.shape, dtype: x.dtype };
  },
  gradient: (g, node) => {
    const [x, index] = node.inputs;
    const zeros = constant(new NdArray(allocate(x.dtype, 1), [], x.dtype));
    return [addAlong(broadcastTo(zeros, x.shape), index, g, (node.attrs as AlongAttrs).axis), undefined];
  },
  expand: ([x, index], { axis }) => gather(reshape(x, [x.size]), flatPlaces(x, index, axis)),
  reference: ({ inputs: [x, index], attrs: { axis } }) => {
    const each = eachIndex(x.shape, index.shape, axis);
    return (out, data, at) =>
      each(at, (place, element) => {
        out[place] = data[element];
      });
  },
  onnx: (graph, [x, index], { inputs: [tensor], attrs: { axis } }) =>
    graph.op("GatherElements", [x, graph.clampIndex(index, tensor.shape[axis])], { axis }),
};
/** The elements that each row chooses along an axis: y[…, i, …] = x[…, index[…, i, …], …]. */
export function takeAlong(x: Operand, index: Operand, along: Axis = -1): Tensor {
  const axis = axisIn(along, -1);
  const tensor = lift(x);
  return apply(takeAlongOp, [tensor, lift(index, "int32")], { axis: axisOf("takeAlong", axis, tensor.rank) });
}

/** The adjoint: x with updates added where each row's indices say. */
const addAlongOp: Op<AlongAttrs> = {
  name: "addAlong",
  batch,
  vmap: further,
  infer: ([x, index, updates], { axis }) => {
    numeric("addAlong", x);
    refuse("addAlong", x, index, axis);
    if (!sameShape(index.shape, updates.shape) || x.dtype !== updates.dtype)
      throw new ShapeError(
        "addAlong",
        `updates must be ${x.dtype}${showShape(index.shape)}, got ${showAval(updates)}`,
      );
    return x;
  },
  empty: ([x]) => x,
  gradient: (g, node) => [g, undefined, takeAlong(g, node.inputs[1], (node.attrs as AlongAttrs).axis)],
  expand: ([x, index, updates], { axis }) => {
    const places = reshape(flatPlaces(x, index, axis), [index.size]);
    return reshape(scatterAdd(reshape(x, [x.size]), places, reshape(updates, [index.size])), x.shape);
  },
  reference: ({ inputs: [x, index], attrs: { axis } }) => {
    const each = eachIndex(x.shape, index.shape, axis);
    return (out, data, at, updates) => {
      const total = Float64Array.from(data);
      each(at, (place, element) => {
        total[element] += updates[place];
      });
      out.set(total);
    };
  },
  onnx: (graph, [x, index, updates], { inputs: [tensor], attrs: { axis } }) =>
    graph.op("ScatterElements", [x, graph.clampIndex(index, tensor.shape[axis]), updates], {
      axis,
      reduction: "add",
    }),
};
export const addAlong = (x: Tensor, index: Tensor, updates: Tensor, axis: number): Tensor =>
  apply(addAlongOp, [x, index, updates], { axis });
