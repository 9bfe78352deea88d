// The layout choice of the onnx back end. ONNX Runtime's fastest convolutions work on images whose channels are cut into
// blocks that lie innermost: [N, C/b, H, W, b] in memory, under the shape [N, C, H, W]. Its optimiser goes there by
// itself only where kernels are constant, so a training step asks for it here: convolutions and poolings run blocked,
// element-wise operations stay in whatever layout their operands have, and everything else sees plain tensors.
import type { ConvAdjointAttrs, ConvAttrs } from "../../ops/conv.js";
import type { PoolAttrs } from "../../ops/pool.js";
import { sameShape } from "../../shape.js";
import type { Tensor } from "../../tensor.js";
import { biased } from "../emission/conv.js";
import type { OnnxGraph, Placed } from "../emission/graph.js";
import { canScatter, scatterUnpooled, withNaN } from "../emission/unpool.js";
import { conv, filter, flippedFilter, pool, toBlocked, toPlain } from "./operators.js";
import { phasesOf } from "./phases.js";

/** Emits a node in blocked layout where that is possible and worth it. */
export function emitBlocked(graph: OnnxGraph, node: Tensor): Placed | undefined {
  if (!graph.block || node.dtype === "float64") return undefined;
  return node.op.onnxBlocked?.(graph, node) ?? elementwise(graph, node);
}

const both = (graph: OnnxGraph, blocked: string, channels: number): Placed => ({
  plain: toPlain(graph, blocked, channels),
  blocked,
});

/** The blocked form of a tensor, reordered into it where there is none yet. */
const blockedOf = (graph: OnnxGraph, tensor: Tensor): string =>
  graph.blockedNameOf(tensor) ?? toBlocked(graph, graph.nameOf(tensor));

function convolves(graph: OnnxGraph, node: Tensor<ConvAttrs>): boolean {
  const [filters, channels] = node.inputs[1].shape;
  const b = graph.block!;
  return node.attrs.groups === 1 && filters % b === 0 && (channels % b === 0 || channels < b);
}

export function convolve(graph: OnnxGraph, node: Tensor<ConvAttrs>): Placed | undefined {
  return convolves(graph, node) ? convolved(graph, node) : undefined;
}

function convolved(graph: OnnxGraph, node: Tensor<ConvAttrs>, bias?: string): Placed {
  const [x, w] = node.inputs;
  const { stride, dilation, padding } = node.attrs;
  // Images of few channels (colours) are read as they are.
  const image = w.shape[1] < graph.block! ? graph.nameOf(x) : blockedOf(graph, x);
  const inputs = [image, filter(graph, graph.nameOf(w), w.shape), ...(bias ? [bias] : [])];
  return both(
    graph,
    conv(graph, inputs, { kernel: w.shape.slice(2), stride, dilation, padding }),
    node.shape[1],
  );
}

export function convolveWithBias(graph: OnnxGraph, node: Tensor): Placed | undefined {
  const sum = biased(graph, node);
  return sum && convolves(graph, sum.y) ? convolved(graph, sum.y, sum.bias()) : undefined;
}

export function poolBlocked(graph: OnnxGraph, node: Tensor<PoolAttrs>): Placed | undefined {
  const x = graph.blockedNameOf(node.inputs[0]);
  if (x === undefined) return undefined;
  const phases = phasesOf(graph, node.inputs[0]);
  if (phases) return both(graph, graph.op("Max", phases), node.shape[1]);
  const [largest, means] = (["MaxPool", "AveragePool"] as const).map((kind) =>
    pool(graph, x, node.attrs, kind),
  );
  return both(graph, withNaN(graph, largest, means), node.shape[1]);
}

/** Element-wise operations follow their operands; those that are plain still are reordered. */
function elementwise(graph: OnnxGraph, node: Tensor): Placed | undefined {
  const operands = node.inputs.filter((x) => x.size !== 1);
  const follows =
    node.op.elementwise &&
    node.rank === 4 &&
    operands.some((x) => graph.blockedNameOf(x) !== undefined) &&
    operands.every(
      (x) => sameShape(x.shape, node.shape) && (x.dtype === "float32" || graph.blockedNameOf(x)),
    );
  if (!follows) return undefined;
  const names = node.inputs.map((x) => (x.size === 1 ? graph.nameOf(x) : blockedOf(graph, x)));
  const blocked = node.op.onnx!(graph, names, node);
  if (node.dtype === "float32") return both(graph, blocked, node.shape[1]);
  // Only floats can be reordered; nodes that are not used in the end are dropped.
  return {
    plain: node.op.onnx!(
      graph,
      node.inputs.map((x) => graph.nameOf(x)),
      node,
    ),
    blocked,
  };
}

const unit = (pair: readonly number[]): boolean => pair.every((n) => n === 1);

/**
 * The image gradient, a convolution of g with the flipped kernel. The scatter that undoes the pooling writes g with its
 * horizontal padding, so that the convolution has none to care for but the vertical.
 */
export function inputGradient(graph: OnnxGraph, node: Tensor<ConvAdjointAttrs>): Placed | undefined {
  const [g, w] = node.inputs;
  const { stride, dilation, groups, padding } = node.attrs;
  const b = graph.block!;
  const [filters, channels, kh, kw] = w.shape;
  const room = [
    kh - 1 - padding[0][0],
    kh - 1 - padding[0][1],
    kw - 1 - padding[1][0],
    kw - 1 - padding[1][1],
  ];
  const fits = groups === 1 && unit(stride) && unit(dilation) && filters % b === 0 && channels % b === 0;
  if (!fits || room.some((r) => r < 0) || !canScatter(g)) return undefined;
  const [n, , oh, ow] = g.shape;
  const [top, bottom, left, right] = room;
  const width = left + ow + right;
  const wide = scatterUnpooled(graph, g, {
    size: n * filters * oh * width,
    column: b,
    row: width * b,
    place: (i, o) => (i * (filters / b) + Math.floor(o / b)) * oh * width * b + left * b + (o % b),
  });
  const image = graph.op("Reshape", [wide, graph.ints([n, filters, oh, width])]);
  const kernel = flippedFilter(graph, graph.nameOf(w), w.shape);
  const y = conv(graph, [image, kernel], {
    kernel: [kh, kw],
    padding: [
      [top, bottom],
      [0, 0],
    ],
  });
  return both(graph, y, channels);
}

/**
 * The kernel gradient, a convolution whose channels are the images of the batch and whose kernel is g. The scatter that
 * undoes the pooling writes g as such a kernel: whole blocks of images first, the rest of the batch as a second one.
 */
export function kernelGradient(graph: OnnxGraph, node: Tensor<ConvAdjointAttrs>): Placed | undefined {
  const [x, g] = node.inputs;
  const { stride, dilation, groups, padding } = node.attrs;
  const b = graph.block!;
  const [filters, channels, kh, kw] = node.shape;
  const fits = groups === 1 && unit(stride) && unit(dilation) && filters % b === 0;
  if (!fits || !canScatter(g)) return undefined;
  const [n, , oh, ow] = g.shape;
  const turned = graph.op("Transpose", [graph.nameOf(x)], { perm: [1, 0, 2, 3] });
  const [[top, bottom], [left, right]] = padding;
  const padded = [top, bottom, left, right].some((p) => p > 0)
    ? graph.op("Pad", [
        turned,
        graph.ints([0, 0, top, left, 0, 0, bottom, right]),
        graph.scalar(0, "float32"),
      ])
    : turned;
  const images = (from: number, to: number) =>
    from === 0 && to === n
      ? padded
      : graph.op("Slice", [padded, graph.ints([from]), graph.ints([to]), graph.ints([1])]);

  const whole = n - (n % b);
  let sum: string | undefined;
  for (const [from, to] of [
    [0, whole],
    [whole, n],
  ]) {
    if (from === to) continue;
    const count = to - from;
    const deep = to === whole ? b : 1; // images in a block
    const kernel = scatterUnpooled(graph, g, {
      images: [from, to],
      size: count * filters * oh * ow,
      column: deep * b,
      row: ow * deep * b,
      place: (i, o) =>
        (Math.floor(o / b) * (count / deep) + Math.floor((i - from) / deep)) * oh * ow * deep * b +
        ((i - from) % deep) * b +
        (o % b),
    });
    const shaped = graph.op("Reshape", [kernel, graph.ints([filters, count, oh, ow])]);
    const image = deep === 1 ? images(from, to) : toBlocked(graph, images(from, to));
    sum = conv(graph, [image, shaped, ...(sum ? ["", sum] : [])], { kernel: [oh, ow] });
  }
  // [C, O/b, kh·kw, b] to [O, C, kh, kw]
  const parts = graph.op("Reshape", [sum!, graph.ints([channels, filters / b, kh * kw, b])]);
  const byFilter = graph.op("Reshape", [
    graph.op("Transpose", [parts], { perm: [1, 0, 2, 3] }),
    graph.ints([filters / b, channels * kh * kw, b]),
  ]);
  const ordered = graph.op("Transpose", [byFilter], { perm: [0, 2, 1] });
  return { plain: graph.op("Reshape", [ordered, graph.ints([filters, channels, kh, kw])]) };
}
