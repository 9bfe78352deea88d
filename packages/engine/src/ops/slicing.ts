// Operations that cut, border and reverse axes.
import { exceptAlong } from "../batch.js";
import { kindOf, ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { full } from "../ndarray.js";
import { indexTable, take } from "../reference/indexing.js";
import { axesOf, range, stridesOf } from "../shape.js";
import { apply, constant, lift, numberFor, type Op, type Operand, type Tensor } from "../tensor.js";
import { type Axes, optionsOf } from "./axis.js";
import { broadcastTo, expandDims, reshape } from "./movement.js";

interface SliceAttrs {
  starts: readonly number[];
  stops: readonly number[];
  steps: readonly number[];
}
const sliceOp: Op<SliceAttrs> = {
  name: "slice",
  batch: exceptAlong(({ inputs: [x], attrs: { starts, stops, steps } }) =>
    range(x.rank).filter((i) => starts[i] > 0 || stops[i] < x.shape[i] || steps[i] > 1),
  ),
  resized: ({ shape: own, attrs }, shape) => ({
    ...attrs,
    stops: attrs.stops.map((stop, i) => (shape[i] === own[i] ? stop : shape[i])),
  }),
  bf16: "follow",
  infer: ([x], { starts, stops, steps }) => ({
    shape: starts.map((s, i) => Math.max(0, Math.ceil((stops[i] - s) / steps[i]))),
    dtype: x.dtype,
  }),
  gradient: (g, node) => {
    const { starts, steps } = node.attrs as SliceAttrs;
    const [x] = node.inputs;
    const spread = dilate(g, steps);
    return [
      pad(
        spread,
        starts.map((s, i) => [s, x.shape[i] - s - spread.shape[i]]),
      ),
    ];
  },
  stacked: ({ attrs: { starts, stops, steps } }, n) => ({
    starts: [0, ...starts],
    stops: [n, ...stops],
    steps: [1, ...steps],
  }),
  reference: ({ shape, inputs: [x], attrs: { starts, steps } }) => {
    const strides = stridesOf(x.shape);
    const offset = starts.reduce((o, s, i) => o + s * strides[i], 0);
    return take(
      indexTable(
        shape,
        strides.map((s, i) => s * steps[i]),
        offset,
      ),
    );
  },
  onnx: (graph, [x], { inputs, attrs: { starts, stops, steps } }) => {
    const axes = range(starts.length).filter(
      (i) => starts[i] > 0 || stops[i] < inputs[0].shape[i] || steps[i] !== 1,
    );
    if (axes.length === 0) return x;
    const pick = (of: readonly number[]) => graph.ints(axes.map((a) => of[a]));
    return graph.op("Slice", [x, pick(starts), pick(stops), graph.ints(axes), pick(steps)]);
  },
  xla: (hlo, [x], { shape, attrs: { starts, stops, steps } }) =>
    hlo.emit("stablehlo.slice", [x], shape, {
      attrs: {
        start_indices: hlo.i64Array(starts),
        limit_indices: hlo.i64Array(stops),
        strides: hlo.i64Array(steps),
      },
    }),
};
/**
 * A part of a tensor: per axis `[start, stop, step]`, each optional, `stop` excluded, negative ones counted from the
 * end: `slice(x, [[1, -1], [], [0, 10, 2]])` is x[1:-1, :, 0:10:2]. Axes left out are taken whole.
 */
export function slice(x: Operand, ranges: readonly (readonly number[])[]): Tensor {
  const tensor = lift(x);
  const refuse = (what: string): never => {
    throw new ShapeError(
      "slice",
      `needs a list of [start, stop] for each axis, as in [[0, 2], [1, 3]], ${what}`,
    );
  };
  if (!Array.isArray(ranges)) refuse(`got ${kindOf(ranges)}`);
  for (const [i, one] of ranges.entries())
    if (one !== undefined && !Array.isArray(one)) refuse(`got ${kindOf(one)} for axis ${i}`);
  if (ranges.length > tensor.rank) {
    throw new ShapeError(
      "slice",
      `${ranges.length} ranges for ${showAval(tensor)}, which has ${tensor.rank} axes`,
    );
  }
  const starts: number[] = [];
  const stops: number[] = [];
  const steps: number[] = [];
  for (const [i, d] of tensor.shape.entries()) {
    const [start = 0, stop = d, step = 1] = ranges[i] ?? [];
    if (!Number.isInteger(step) || step < 1)
      throw new ShapeError("slice", `step ${step} on axis ${i}: use 1 or more, and flip`);
    const clamp = (v: number) => Math.min(Math.max(v < 0 ? v + d : v, 0), d);
    starts.push(clamp(start));
    stops.push(Math.max(clamp(stop), clamp(start)));
    steps.push(step);
  }
  const whole = starts.every((s, i) => s === 0 && stops[i] === tensor.shape[i] && steps[i] === 1);
  return whole ? tensor : apply(sliceOp, [tensor], { starts, stops, steps });
}

/** Zeros between the elements, so that they stand `steps` apart. */
export function dilate(x: Tensor, steps: readonly number[]): Tensor {
  let y = x;
  for (const [axis, step] of steps.entries()) {
    const n = y.shape[axis];
    if (step === 1 || n <= 1) continue;
    const wide = pad(
      expandDims(y, axis + 1),
      range(y.rank + 1).map((i) => (i === axis + 1 ? [0, step - 1] : [0, 0])),
    );
    const joined = reshape(
      wide,
      y.shape.map((d, i) => (i === axis ? d * step : d)),
    );
    y = slice(
      joined,
      range(y.rank).map((i) => (i === axis ? [0, (n - 1) * step + 1] : [])),
    );
  }
  return y;
}

interface PadAttrs {
  before: readonly number[];
  after: readonly number[];
  value: number;
}
const padOp: Op<PadAttrs> = {
  name: "pad",
  batch: exceptAlong(({ attrs: { before, after } }) =>
    range(before.length).filter((i) => before[i] > 0 || after[i] > 0),
  ),
  bf16: "follow",
  infer: ([x], { before, after }) => ({
    shape: x.shape.map((d, i) => d + before[i] + after[i]),
    dtype: x.dtype,
  }),
  gradient: (g, node) => {
    const { before } = node.attrs as PadAttrs;
    return [
      slice(
        g,
        node.inputs[0].shape.map((d, i) => [before[i], before[i] + d]),
      ),
    ];
  },
  stacked: ({ attrs: { before, after, value } }) => ({ before: [0, ...before], after: [0, ...after], value }),
  reference: ({ shape, inputs: [x], attrs: { before, value } }) => {
    const strides = stridesOf(shape);
    const table = indexTable(
      x.shape,
      strides,
      before.reduce((o, b, i) => o + b * strides[i], 0),
    );
    return (out, data) => {
      out.fill(value);
      for (let i = 0; i < table.length; i++) out[table[i]] = data[i];
    };
  },
  empty: (_, { shape, dtype, attrs: { value } }) => broadcastTo(constant(full([], value, dtype)), shape),
  onnx: (graph, [x], { dtype, attrs: { before, after, value } }) =>
    graph.op("Pad", [x, graph.ints([...before, ...after]), graph.scalar(value, dtype)]),
  xla: (hlo, [x], { shape, attrs: { before, after, value } }) =>
    hlo.emit("stablehlo.pad", [x, hlo.scalar(value, x.type)], shape, {
      attrs: {
        edge_padding_low: hlo.i64Array(before),
        edge_padding_high: hlo.i64Array(after),
        interior_padding: hlo.i64Array(before.map(() => 0)),
      },
    }),
};
/** A border of `value`: per axis `[before, after]`. */
export function pad(
  x: Operand,
  widths: readonly (readonly [number, number] | number[])[],
  value = 0,
): Tensor {
  const tensor = lift(x);
  const fits =
    widths.length === tensor.rank &&
    widths.every((w) => w.length === 2 && w.every((n) => Number.isInteger(n) && n >= 0));
  if (!fits) {
    throw new ShapeError(
      "pad",
      `needs [before, after] of at least 0 for each axis of ${showAval(tensor)}, got ${JSON.stringify(widths)}`,
    );
  }
  if (widths.every(([before, after]) => before === 0 && after === 0)) return tensor;
  return apply(padOp, [tensor], {
    before: widths.map((w) => w[0]),
    after: widths.map((w) => w[1]),
    value: numberFor(tensor.dtype, value),
  });
}

const flipOp: Op<{ axes: readonly number[] }> = {
  name: "flip",
  batch: exceptAlong(({ attrs: { axes } }) => axes),
  bf16: "follow",
  infer: ([x]) => x,
  gradient: (g, node) => [flip(g, (node.attrs as { axes: readonly number[] }).axes)],
  stacked: ({ attrs: { axes } }) => ({ axes: axes.map((a) => a + 1) }),
  reference: ({ shape, attrs: { axes } }) => {
    const strides = stridesOf(shape);
    const offset = axes.reduce((o, a) => o + Math.max(shape[a] - 1, 0) * strides[a], 0);
    return take(
      indexTable(
        shape,
        strides.map((s, i) => (axes.includes(i) ? -s : s)),
        offset,
      ),
    );
  },
  onnx: (graph, [x], { attrs: { axes } }) => {
    const all = (v: number) => graph.ints(axes.map(() => v));
    return graph.op("Slice", [x, all(-1), all(-(2 ** 31)), graph.ints(axes), all(-1)]);
  },
  xla: (hlo, [x], { attrs: { axes } }) =>
    hlo.emit("stablehlo.reverse", [x], x.shape, { attrs: { dimensions: hlo.i64Array(axes) } }),
};
/** The named axes back to front. */
export function flip(x: Operand, along?: Axes): Tensor {
  const tensor = lift(x);
  const { axis } = optionsOf<{ axis?: number | readonly number[] }>(along);
  const axes = axesOf("flip", axis, tensor.rank);
  return axes.length === 0 ? tensor : apply(flipOp, [tensor], { axes });
}
