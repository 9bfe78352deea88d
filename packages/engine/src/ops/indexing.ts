// Reading and adding at positions that are themselves data. Positions outside an axis are clamped to it, everywhere.
import { axesGo } from "../batch.js";
import { allocate, type Shape } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { axisOf, range, sameShape, showShape, sizeOf } from "../shape.js";
import { allStacked, merged, moveAxis, oneFurther, unmerged } from "../stacked.js";
import { apply, constant, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { type Axis, axisIn } from "./axis.js";
import { add, eq, where } from "./binary.js";
import { broadcastTo, expandDims, reshape, transpose } from "./movement.js";
import { clip, numeric } from "./unary.js";

const gathered = (x: Shape, index: Shape, axis: number): number[] => [
  ...x.slice(0, axis),
  ...index,
  ...x.slice(axis + 1),
];

const needsInt32 = (name: string, index: Tensor): void => {
  if (index.dtype !== "int32")
    throw new ShapeError(name, `needs int32 indices, got ${showAval(index)}; use cast`);
};

/** Both operations see x as [outer, n, inner], the indices as m positions on the middle axis. */
function blocks(x: Shape, axis: number): { outer: number; n: number; inner: number } {
  return { outer: sizeOf(x.slice(0, axis)), n: x[axis], inner: sizeOf(x.slice(axis + 1)) };
}

export const gatherOp: Op<{ axis: number }> = {
  name: "gather",
  vmap: (node, [x, index], { n, has }) => {
    const { axis } = node.attrs;
    if (!has[1]) return gather(x, index, axis + 1);
    if (!has[0]) return moveAxis(gather(x, index, axis), axis, 0);
    // All entries along one long axis, and the positions of each on it.
    const y = gather(merged(moveAxis(x, axis + 1, 1)), placesIn(index, n, x.shape[axis + 1]));
    return exchanged(y, index.rank - 1, axis);
  },
  batch: axesGo((operand, at, { inputs: [, index], attrs: { axis } }) => {
    if (operand === 1) return axis + at;
    if (at === axis) return undefined;
    return at < axis ? at : at - 1 + index.rank;
  }),
  bf16: "follow",
  infer: ([x, index], { axis }) => {
    needsInt32("gather", index);
    const shape = gathered(x.shape, index.shape, axis);
    if (x.shape[axis] === 0 && sizeOf(shape) > 0)
      throw new ShapeError("gather", `axis ${axis} of ${showAval(x)} is empty`);
    return { shape, dtype: x.dtype };
  },
  gradient: (g, node) => {
    const [x, index] = node.inputs;
    const zeros = constant(new NdArray(allocate(x.dtype, 1), [], x.dtype));
    return [
      scatterAdd(broadcastTo(zeros, x.shape), index, g, (node.attrs as { axis: number }).axis),
      undefined,
    ];
  },
  reference: ({ inputs: [x], attrs: { axis } }) => {
    const { outer, n, inner } = blocks(x.shape, axis);
    return (out, data, index) => {
      let at = 0;
      for (let o = 0; o < outer; o++) {
        for (let m = 0; m < index.length; m++) {
          const from = (o * n + Math.min(Math.max(index[m], 0), n - 1)) * inner;
          for (let i = 0; i < inner; i++) out[at++] = data[from + i];
        }
      }
    };
  },
  onnx: (graph, [x, index], node) => {
    const { axis } = node.attrs;
    const inside = graph.clampIndex(index, node.inputs[0].shape[axis]);
    return graph.op("Gather", [x, inside], { axis });
  },
  xla: (hlo, [x, index], { shape, attrs: { axis } }) => {
    const k = index.shape.length;
    const offsets = range(shape.length).filter((i) => i < axis || i >= axis + k);
    return hlo.emit("stablehlo.gather", [x, index], shape, {
      attrs: {
        dimension_numbers: `#stablehlo.gather<offset_dims = [${offsets}], collapsed_slice_dims = [${axis}], start_index_map = [${axis}], index_vector_dim = ${k}>`,
        slice_sizes: hlo.i64Array(x.shape.map((d, i) => (i === axis ? 1 : d))),
        indices_are_sorted: "false",
      },
    });
  },
};
/** The entries of x at the given positions of one axis, whose place the axes of `index` take. */
export function gather(x: Operand, index: Operand, along: Axis = 0): Tensor {
  const axis = axisIn(along, 0);
  const tensor = lift(x);
  return apply(gatherOp, [tensor, lift(index, "int32")], { axis: axisOf("gather", axis, tensor.rank) });
}

const scatterAddOp: Op<{ axis: number }> = {
  name: "scatterAdd",
  vmap: (node, [x, index, updates], stack) => {
    const { axis } = node.attrs;
    const { n, has } = stack;
    const [whole, , added] = allStacked([x, index, updates], stack);
    if (!has[1]) return scatterAdd(whole, index, added, axis + 1);
    const front = moveAxis(whole, axis + 1, 1);
    const places = placesIn(index, n, whole.shape[axis + 1]);
    const total = scatterAdd(merged(front), places, exchanged(added, axis, index.rank - 1));
    return moveAxis(unmerged(total, n), 1, axis + 1);
  },
  batch: axesGo((operand, at, { inputs: [, index], attrs: { axis } }) => {
    if (operand === 0) return at === axis ? undefined : at;
    if (operand === 1 || (at >= axis && at < axis + index.rank)) return undefined;
    return at < axis ? at : at + 1 - index.rank;
  }),
  infer: ([x, index, updates], { axis }) => {
    numeric("scatterAdd", x);
    needsInt32("scatterAdd", index);
    const wanted = gathered(x.shape, index.shape, axis);
    if (!sameShape(wanted, updates.shape) || x.dtype !== updates.dtype) {
      throw new ShapeError(
        "scatterAdd",
        `updates must be ${x.dtype}${showShape(wanted)}, got ${showAval(updates)}`,
      );
    }
    if (x.shape[axis] === 0 && updates.size > 0)
      throw new ShapeError("scatterAdd", `axis ${axis} of ${showAval(x)} is empty`);
    return x;
  },
  empty: ([x]) => x,
  gradient: (g, node) => [g, undefined, gather(g, node.inputs[1], (node.attrs as { axis: number }).axis)],
  reference: ({ inputs: [x], attrs: { axis } }) => {
    const { outer, n, inner } = blocks(x.shape, axis);
    return (out, data, index, updates) => {
      const total = Float64Array.from(data);
      let at = 0;
      for (let o = 0; o < outer; o++) {
        for (let m = 0; m < index.length; m++) {
          const to = (o * n + Math.min(Math.max(index[m], 0), n - 1)) * inner;
          for (let i = 0; i < inner; i++) total[to + i] += updates[at++];
        }
      }
      out.set(total);
    };
  },
  onnx: (graph, [x, index, updates], node) => {
    const { axis } = node.attrs;
    const [xs, is, us] = node.inputs.map((i) => i.shape);
    const m = sizeOf(is);
    const flat = (s: Shape, k: number) => [...s.slice(0, axis), m, ...s.slice(axis + k)];
    const clamped = graph.clampIndex(index, xs[axis]);
    const column = graph.op("Reshape", [
      clamped,
      graph.ints(flat(us, is.length).map((_, i) => (i === axis ? m : 1))),
    ]);
    const places = graph.op("Expand", [column, graph.ints(flat(us, is.length))]);
    const rows = graph.op("Reshape", [updates, graph.ints(flat(us, is.length))], { allowzero: 1 });
    return graph.op("ScatterElements", [x, places, rows], { axis, reduction: "add" });
  },
  xla: (hlo, [x, index, updates], { shape, attrs: { axis } }) => {
    const k = index.shape.length;
    const windows = range(updates.shape.length).filter((i) => i < axis || i >= axis + k);
    const low = hlo.scalar(0, "i32");
    const high = hlo.scalar(x.shape[axis] - 1, "i32");
    const inside = hlo.emit("stablehlo.clamp", [low, index, high], index.shape);
    return hlo.emit("stablehlo.scatter", [x, inside, updates], shape, {
      attrs: {
        scatter_dimension_numbers: `#stablehlo.scatter<update_window_dims = [${windows}], inserted_window_dims = [${axis}], scatter_dims_to_operand_dims = [${axis}], index_vector_dim = ${k}>`,
        indices_are_sorted: "false",
        unique_indices: "false",
      },
      region: hlo.combiner("stablehlo.add", x.type),
    });
  },
};
/** x with `updates` added at the given positions of one axis; positions named twice receive both. */
export function scatterAdd(x: Operand, index: Operand, updates: Operand, along: Axis = 0): Tensor {
  const axis = axisIn(along, 0);
  const tensor = lift(x);
  const inputs = [tensor, lift(index, "int32"), lift(updates, tensor.dtype)];
  return apply(scatterAddOp, inputs, { axis: axisOf("scatterAdd", axis, tensor.rank) });
}

/** For a stack of indices into axes of size d, the positions on the n axes laid end to end. */
function placesIn(index: Tensor, n: number, d: number): Tensor {
  const starts = Int32Array.from(range(n), (i) => i * d);
  return add(
    clip(index, 0, Math.max(d - 1, 0)),
    constant(new NdArray(starts, [n, ...index.shape.slice(1).map(() => 1)])),
  );
}

/** Behind the first axis, the next `a` axes and the `b` behind them in exchanged places. */
const exchanged = (x: Tensor, a: number, b: number): Tensor =>
  transpose(x, [
    0,
    ...range(b).map((i) => 1 + a + i),
    ...range(a).map((i) => 1 + i),
    ...range(x.rank).slice(1 + a + b),
  ]);

/** The n positions of a row, as the last axis. */
const placesOf = (x: Tensor): Tensor =>
  constant(new NdArray(Int32Array.from(range(x.shape[x.rank - 1])), [x.shape[x.rank - 1]]));

const pickOp: Op = {
  name: "pick",
  vmap: oneFurther(({ attrs }) => attrs),
  bf16: "follow",
  batch: axesGo((operand, axis, { rank }) => (operand === 1 || axis < rank ? axis : undefined)),
  infer: ([x, index]) => {
    needsInt32("pick", index);
    if (!sameShape(x.shape.slice(0, -1), index.shape))
      throw new ShapeError("pick", `${showAval(x)} needs one index a row, got ${showAval(index)}`);
    if (x.size === 0 && index.size > 0) throw new ShapeError("pick", `the rows of ${showAval(x)} are empty`);
    return { shape: index.shape, dtype: x.dtype };
  },
  gradient: (g, { inputs: [x, index] }) => {
    const inside = clip(index, 0, Math.max(x.shape[x.rank - 1] - 1, 0));
    return [where(eq(expandDims(inside, -1), placesOf(x)), expandDims(g, -1), 0), undefined];
  },
  expand: ([x, index]) => {
    const n = x.shape[x.rank - 1];
    const starts = new NdArray(
      Int32Array.from(range(index.size), (i) => i * n),
      index.shape,
    );
    return gather(reshape(x, [x.size]), add(constant(starts), clip(index, 0, n - 1)));
  },
  reference: ({ inputs: [x] }) => {
    const n = x.shape[x.rank - 1];
    return (out, data, index) => {
      for (let i = 0; i < out.length; i++) out[i] = data[i * n + Math.min(Math.max(index[i], 0), n - 1)];
    };
  },
  onnx: (graph, [x, index], { rank, inputs: [rows] }) => {
    const last = graph.ints([rank]);
    const column = graph.op("Unsqueeze", [graph.clampIndex(index, rows.shape[rank]), last]);
    return graph.op("Squeeze", [graph.op("GatherElements", [x, column], { axis: rank }), last]);
  },
};
/** One entry of each row: x [..., n] and index [...] give x[..., index[...]]. */
export const pick = (x: Operand, index: Operand): Tensor =>
  apply(pickOp, [lift(x), lift(index, "int32")], {});
