// Convolution and its adjoints in ONNX operators.
import type { ConvAdjointAttrs, ConvAttrs } from "../ops/conv.js";
import type { Tensor } from "../tensor.js";
import type { OnnxGraph } from "./graph.js";

const pads = ({ padding: [[top, bottom], [left, right]] }: ConvAttrs): number[] => [top, left, bottom, right];

export const onnxConv = (
  graph: OnnxGraph,
  [x, w]: readonly string[],
  { inputs, attrs }: Tensor<ConvAttrs>,
): string =>
  graph.op("Conv", [x, w], {
    kernel_shape: inputs[1].shape.slice(2),
    strides: attrs.stride,
    dilations: attrs.dilation,
    pads: pads(attrs),
    group: attrs.groups,
  });

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
 * ∂/∂w[o,c,i,j] = Σ over n and places of x·g: a convolution whose channels are the images of the batch. Strides and
 * dilations change roles, and what the stride left over at the far edges is cut off.
 */
export function onnxConvKernel(
  graph: OnnxGraph,
  [x, g]: readonly string[],
  node: Tensor<ConvAdjointAttrs>,
): string {
  const { stride, dilation, groups } = node.attrs;
  const [xs, gs] = node.inputs.map((i) => i.shape);
  const [filters, c, kh, kw] = node.shape;
  const [n] = xs;
  // x as [C/groups, groups·N, H, W], g as [O, N, oh, ow].
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
  const cut = graph.op("Slice", [wide, graph.ints([0, 0]), graph.ints([kh, kw]), graph.ints([2, 3])]);
  return graph.op("Reshape", [
    graph.op("Transpose", [cut], { perm: [1, 0, 2, 3] }),
    graph.ints([filters, c, kh, kw]),
  ]);
}
