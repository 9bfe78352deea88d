// Convolution and its adjoints in ONNX operators.
import { type ConvAdjointAttrs, type ConvAttrs, convOp } from "../../ops/conv.js";
import { sameShape } from "../../shape.js";
import { is, type Tensor } from "../../tensor.js";
import type { OnnxGraph } from "./graph.js";

const pads = ({ padding: [[top, bottom], [left, right]] }: ConvAttrs): number[] => [top, left, bottom, right];

/** Its inputs: image, kernel and, if any, the biases. */
export function onnxConv(
  graph: OnnxGraph,
  names: readonly string[],
  { inputs, attrs }: Tensor<ConvAttrs>,
): string {
  return graph.op("Conv", names, {
    kernel_shape: inputs[1].shape.slice(2),
    strides: attrs.stride,
    dilations: attrs.dilation,
    pads: pads(attrs),
    group: attrs.groups,
  });
}

/** The convolution to which a sum adds one bias a channel, unless somebody reads it without, and the biases as a list. */
export function biased(
  graph: OnnxGraph,
  { shape, inputs: [y, bias] }: Tensor,
): { y: Tensor<ConvAttrs>; bias: () => string } | undefined {
  const perChannel = bias.size === y.shape[1] && sameShape(bias.shape.slice(-3), [bias.size, 1, 1]);
  // Biases of more axes give the sum more than a convolution has.
  if (!is(y, convOp) || !perChannel || !sameShape(shape, y.shape) || !graph.hasOneReader(y)) return undefined;
  return { y, bias: () => graph.op("Reshape", [graph.nameOf(bias), graph.ints([bias.size])]) };
}

/** One bias a channel is added by the convolution itself. */
export function onnxConvWithBias(graph: OnnxGraph, node: Tensor): string | undefined {
  const sum = biased(graph, node);
  return sum && onnxConv(graph, [...sum.y.inputs.map((x) => graph.nameOf(x)), sum.bias()], sum.y);
}

/** ConvTranspose is the adjoint of Conv; output_padding adds what the stride left over at the far edges. */
export function onnxConvInput(
  graph: OnnxGraph,
  [g, w]: readonly string[],
  node: Tensor<ConvAdjointAttrs>,
): string {
  const { stride, padding, dilation, groups } = node.attrs;
  const [gs, ws] = node.inputs.map((i) => i.shape);
  const over = [0, 1].map((i) => {
    const reached = (gs[2 + i] - 1) * stride[i] + (ws[2 + i] - 1) * dilation[i] + 1;
    return node.shape[2 + i] + padding[i][0] + padding[i][1] - reached;
  });
  return graph.op("ConvTranspose", [g, w], {
    kernel_shape: ws.slice(2),
    strides: stride,
    dilations: dilation,
    pads: pads(node.attrs),
    output_padding: over,
    group: groups,
  });
}

/**
 * ∂/∂w[o,c,i,j] = Σ over images and places of x·g: a convolution whose channels are the images of the batch, in which
 * strides and dilations change roles. Elements that the stride left over at the far edges are cut off.
 */
export function onnxConvKernel(
  graph: OnnxGraph,
  names: readonly string[],
  node: Tensor<ConvAdjointAttrs>,
): string {
  const { groups } = node.attrs;
  const [filters, channels] = node.shape;
  const images = node.inputs[0].shape[0];
  if (groups > 1) return kernelOfGroups(graph, names, node);
  return channels === 1 && filters < 16 && images % parts === 0
    ? kernelInParts(graph, names, node)
    : kernel3D(graph, names, node);
}

const cut = (graph: OnnxGraph, wide: string, axis: number, [, , kh, kw]: readonly number[]): string =>
  graph.op("Slice", [wide, graph.ints([0, 0]), graph.ints([kh, kw]), graph.ints([axis, axis + 1])]);

/** x as one image [1, N, C, H, W] of three dimensions, g as kernels [O, N, 1, oh, ow]: the result lies as w does. */
function kernel3D(graph: OnnxGraph, [x, g]: readonly string[], node: Tensor<ConvAdjointAttrs>): string {
  const { stride, dilation, padding } = node.attrs;
  const [xs, gs] = node.inputs.map((i) => i.shape);
  const [n, filters, oh, ow] = gs;
  const image = graph.op("Reshape", [x, graph.ints([1, ...xs])]);
  const kernel = graph.op("Reshape", [
    graph.op("Transpose", [g], { perm: [1, 0, 2, 3] }),
    graph.ints([filters, n, 1, oh, ow]),
  ]);
  const wide = graph.op("Conv", [image, kernel], {
    kernel_shape: [1, oh, ow],
    strides: [1, ...dilation],
    dilations: [1, ...stride],
    pads: [0, padding[0][0], padding[1][0], 0, padding[0][1], padding[1][1]],
  });
  return graph.op("Reshape", [cut(graph, wide, 3, node.shape), graph.ints(node.shape)]);
}

/** How many parts a batch is cut into where there are too few filters to keep the processor busy. */
const parts = 8;

/** One channel and few filters: each part of the batch is a group with all filters; the parts are added up. */
function kernelInParts(graph: OnnxGraph, [x, g]: readonly string[], node: Tensor<ConvAdjointAttrs>): string {
  const { stride, dilation } = node.attrs;
  const [xs, gs] = node.inputs.map((i) => i.shape);
  const [n, filters, oh, ow] = gs;
  const image = graph.op("Reshape", [x, graph.ints([1, n, ...xs.slice(2)])]);
  const split = graph.op("Reshape", [g, graph.ints([parts, n / parts, filters, oh, ow])]);
  const kernel = graph.op("Reshape", [
    graph.op("Transpose", [split], { perm: [0, 2, 1, 3, 4] }),
    graph.ints([parts * filters, n / parts, oh, ow]),
  ]);
  const wide = graph.op("Conv", [image, kernel], {
    kernel_shape: [oh, ow],
    strides: dilation,
    dilations: stride,
    pads: pads(node.attrs),
    group: parts,
  });
  const [, , kh, kw] = node.shape;
  const each = graph.op("Reshape", [
    cut(graph, wide, 2, node.shape),
    graph.ints([parts, filters, 1, kh, kw]),
  ]);
  return graph.op("ReduceSum", [each, graph.ints([0])], { keepdims: 0 });
}

/** x as [C/groups, groups·N, H, W], g as kernels [O, N, oh, ow]. */
function kernelOfGroups(graph: OnnxGraph, [x, g]: readonly string[], node: Tensor<ConvAdjointAttrs>): string {
  const { stride, dilation, groups } = node.attrs;
  const [xs, gs] = node.inputs.map((i) => i.shape);
  const [, c] = node.shape;
  const [n] = xs;
  const split = graph.op("Reshape", [x, graph.ints([n, groups, c, ...xs.slice(2)])]);
  const side = graph.op("Reshape", [
    graph.op("Transpose", [split], { perm: [2, 1, 0, 3, 4] }),
    graph.ints([c, groups * n, ...xs.slice(2)]),
  ]);
  const kernel = graph.op("Transpose", [g], { perm: [1, 0, 2, 3] });
  const wide = graph.op("Conv", [side, kernel], {
    kernel_shape: gs.slice(2),
    strides: dilation,
    dilations: stride,
    pads: pads(node.attrs),
    group: groups,
  });
  return graph.op("Transpose", [cut(graph, wide, 2, node.shape)], { perm: [1, 0, 2, 3] });
}
