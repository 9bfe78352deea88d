// ONNX Runtime's operators on blocked images, its internal domain com.microsoft.nchwc: what they take and in which order
// their kernels lie.
import type { PoolAttrs } from "../../ops/pool.js";
import type { OnnxGraph } from "../emission/graph.js";

const domain = "com.microsoft.nchwc";

export const toBlocked = (graph: OnnxGraph, x: string): string => graph.op(`${domain}.ReorderInput`, [x]);

export const toPlain = (graph: OnnxGraph, x: string, channels: number): string =>
  graph.op(`${domain}.ReorderOutput`, [x], { channels });

interface Window {
  kernel: readonly number[];
  stride?: readonly number[];
  dilation?: readonly number[];
  padding?: readonly (readonly [number, number])[];
}

/** Inputs: image, kernel and, if any, a bias and a tensor to add to. */
export const conv = (
  graph: OnnxGraph,
  inputs: readonly string[],
  {
    kernel,
    stride = [1, 1],
    dilation = [1, 1],
    padding = [
      [0, 0],
      [0, 0],
    ],
  }: Window,
): string =>
  graph.op(`${domain}.Conv`, inputs, {
    kernel_shape: kernel,
    strides: stride,
    dilations: dilation,
    pads: [padding[0][0], padding[1][0], padding[0][1], padding[1][1]],
    group: 1,
  });

export const pool = (
  graph: OnnxGraph,
  x: string,
  { window, stride, padding }: PoolAttrs,
  kind: "MaxPool" | "AveragePool" = "MaxPool",
): string =>
  graph.op(`${domain}.${kind}`, [x], {
    kernel_shape: window,
    strides: stride,
    pads: [...padding, ...padding],
  });

/** A chain of reshapes and transposes. */
function rearrange(
  graph: OnnxGraph,
  value: string,
  ...steps: ({ shape: number[] } | { perm: number[] })[]
): string {
  let v = value;
  for (const step of steps) {
    v = "shape" in step ? graph.op("Reshape", [v, graph.ints(step.shape)]) : graph.op("Transpose", [v], step);
  }
  return v;
}

/** A kernel [O, C, kh, kw] as [O/b, C/b, kh·kw, b of C, b of O]; with fewer channels than a block [O/b, C, kh·kw, b]. */
export function filter(graph: OnnxGraph, w: string, shape: readonly number[]): string {
  const b = graph.block!;
  const [o, c, kh, kw] = shape;
  const taps = kh * kw;
  if (c < b)
    return rearrange(graph, w, { shape: [o / b, b, c * taps] }, { perm: [0, 2, 1] }, { shape: [...shape] });
  // As an image it is [O, C/b, kh·kw, b of C] when reordered.
  const byFilter = toBlocked(graph, w);
  return rearrange(
    graph,
    byFilter,
    { shape: [o / b, b, c * taps] },
    { perm: [0, 2, 1] },
    { shape: [...shape] },
  );
}

/** The kernel of the image gradient: taps in reverse, filters and channels exchanged, as [C/b, O/b, kh·kw, b of O, b of C]. */
export function flippedFilter(graph: OnnxGraph, w: string, shape: readonly number[]): string {
  const b = graph.block!;
  const [o, c, kh, kw] = shape;
  const taps = kh * kw;
  const byTap = rearrange(graph, w, { shape: [o * c, taps] }, { perm: [1, 0] });
  const reversed = graph.op(
    "Gather",
    [byTap, graph.ints(Array.from({ length: taps }, (_, i) => taps - 1 - i))],
    { axis: 0 },
  );
  return rearrange(
    graph,
    reversed,
    { shape: [taps, o / b, b, c / b, b] },
    { perm: [3, 1, 0, 2, 4] },
    { shape: [c, o, kh, kw] },
  );
}
