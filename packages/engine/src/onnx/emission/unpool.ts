// Undoing a 2×2 max-pooling. MaxPool's own index output is slow, so the maximum's place is found by comparing four
// poolings that have none; and MaxUnpool is a scatter into any order of elements, so the gradient is written at once in
// the order its reader wants.
import { NdArray } from "../../ndarray.js";
import { tiles, unpoolOp } from "../../ops/pool.js";
import { is, type Tensor } from "../../tensor.js";
import { pool, toBlocked } from "../layout/operators.js";
import { phasesOf } from "../layout/phases.js";
import type { OnnxGraph } from "./graph.js";

/**
 * The largest elements of windows, and NaN where a window holds one: the runtime's MaxPool of float32 passes over it.
 * The windows' means carry it (and are NaN too where a window holds both infinities); clipped to 0 … 0 they are 0 else.
 */
export function withNaN(graph: OnnxGraph, largest: string, means: string): string {
  const zero = graph.scalar(0, "float32");
  return graph.op("Add", [largest, graph.op("Clip", [means, zero, zero])]);
}

/** Where the elements of a gradient [N, O, H, W] are to be written. */
export interface Target {
  size: number;
  /** The place of element (n, o, 0, 0); those beside and below it follow at these distances. */
  place(n: number, o: number): number;
  column: number;
  row: number;
  /** Only these images of the batch: from, up to. */
  images?: readonly [number, number];
}

/** Whether a node is an unpooling that can be written in another order: 2×2 windows side by side. */
export function canScatter(node: Tensor): boolean {
  if (!is(node, unpoolOp) || node.dtype !== "float32" || node.rank !== 4) return false;
  return node.attrs.window.every((w) => w === 2) && tiles(node.inputs[0], node.attrs);
}

/** Whether the first maximum of each window [[a, b], [c, d]] is in its upper row and whether it is in its left column. */
function maximaOf(graph: OnnxGraph, x: Tensor): { upper: string; left: string } {
  const or = (p: string, q: string) => graph.op("Or", [p, q]);
  const butNot = (p: string, q: string) => graph.op("And", [p, graph.op("Not", [q])]);
  const phases = phasesOf(graph, x);
  if (phases) {
    const top = graph.op("Max", phases);
    const [a, b, c] = phases.slice(0, 3).map((phase) => graph.op("Equal", [phase, top]));
    return { upper: or(a, b), left: or(a, butNot(c, b)) };
  }
  const blocked = graph.blockedNameOf(x);
  const pooled = (window: readonly [number, number]): string =>
    blocked
      ? pool(graph, blocked, { window, stride: [2, 2], padding: [0, 0] })
      : graph.op("MaxPool", [graph.nameOf(x)], { kernel_shape: window, strides: [2, 2], pads: [0, 0, 0, 0] });
  const top = pooled([2, 2]);
  const equals = (window: readonly [number, number]) => graph.op("Equal", [pooled(window), top]);
  const upper = equals([1, 2]);
  return { upper, left: or(equals([1, 1]), butNot(equals([2, 1]), upper)) };
}

/** The unpooled gradient as a flat array in the order of `target`; places nothing is written to are 0. */
export function scatterUnpooled(graph: OnnxGraph, node: Tensor, target: Target): string {
  const [x, g] = node.inputs;
  const [n, channels, ph, pw] = g.shape;
  const blocked = graph.blockedNameOf(x);
  const gradient = blocked ? (graph.blockedNameOf(g) ?? toBlocked(graph, graph.nameOf(g))) : graph.nameOf(g);
  const { upper, left } = maximaOf(graph, x);

  const [from, to] = target.images ?? [0, n];
  const part = (v: string): string =>
    from === 0 && to === n
      ? v
      : graph.op("Slice", [v, graph.ints([from]), graph.ints([to]), graph.ints([0])]);

  // Start at the lower right of each window and step back. Floats count exactly up to 2²⁴, and are faster.
  const exact = target.size < 2 ** 24;
  const dtype = exact ? "float32" : "int32";
  const places = exact
    ? new Float32Array((to - from) * channels * ph * pw)
    : new Int32Array((to - from) * channels * ph * pw);
  const b = blocked ? graph.block! : 1;
  let at = 0;
  for (let i = from; i < to; i++) {
    for (let o = 0; o < channels; o += b) {
      for (let r = 0; r < ph; r++) {
        for (let c = 0; c < pw; c++) {
          const inside = (2 * r + 1) * target.row + (2 * c + 1) * target.column;
          for (let k = 0; k < b; k++) places[at++] = target.place(i, o + k) + inside;
        }
      }
    }
  }
  const last = graph.constant(new NdArray(places, [to - from, channels, ph, pw]));
  const back = (flag: string, distance: number) =>
    graph.op("Mul", [graph.cast(part(flag), dtype), graph.scalar(distance, dtype)]);
  const index = graph.op("Sub", [
    graph.op("Sub", [last, back(left, target.column)]),
    back(upper, target.row),
  ]);
  const flat = (v: string) => graph.op("Reshape", [v, graph.ints([1, 1, places.length])]);
  const whole = graph.op("Cast", [flat(index)], { to: 7 });
  return graph.op("MaxUnpool", [flat(part(gradient)), whole, graph.ints([1, 1, target.size])], {
    kernel_shape: [4],
    strides: [4],
  });
}

/** The unpooled gradient as a plain image. */
export function unpooled(graph: OnnxGraph, node: Tensor): string {
  const [, channels, h, w] = node.shape;
  const flat = scatterUnpooled(graph, node, {
    size: node.size,
    column: 1,
    row: w,
    place: (n, o) => (n * channels + o) * h * w,
  });
  return graph.op("Reshape", [flat, graph.ints(node.shape)]);
}
