// A convolution that only 2×2 max-poolings read, as four of half the resolution: each gives one element of every window. They cost
// what the one did, and a pooling is then the largest of four arrays, NaN included, without another pass over the image.
import { add } from "../../ops/binary.js";
import { type ConvAttrs, convOp } from "../../ops/conv.js";
import { maxPoolOp, tiles, unpoolOp } from "../../ops/pool.js";
import { is, type Tensor } from "../../tensor.js";
import { biased } from "../emission/conv.js";
import type { OnnxGraph } from "../emission/graph.js";
import { conv, filter } from "./operators.js";

/** Products an element of the result takes, up to which passes over the result are a good part of a convolution's time. */
const fewProducts = 100;

/** The elements [[a, b], [c, d]] of the windows of x as four blocked values, where that is worth it. */
export function phasesOf(graph: OnnxGraph, x: Tensor): readonly string[] | undefined {
  const sum = is(x, add.op) ? biased(graph, x) : undefined;
  const y = sum?.y ?? (is(x, convOp) ? x : undefined);
  if (graph.blockedNameOf(x) === undefined || !y || !isQuick(y)) return undefined;
  const [image, w] = y.inputs;
  // An image in blocks cannot be cut.
  if (w.shape[1] >= graph.block! || !graph.isReadOnlyBy(x, (reader) => pools(reader, x))) return undefined;
  const rest = [filter(graph, graph.nameOf(w), w.shape), ...(sum ? [sum.bias()] : [])];
  const [[top, bottom], [left, right]] = y.attrs.padding;

  const phase = (i: number, j: number): string => {
    // The first row or column is passed over: of the padding, or else of the image.
    const [down, across] = [top > 0 ? 0 : i, left > 0 ? 0 : j];
    const starts = graph.ints([down, across]);
    const ends = graph.ints(image.shape.slice(2));
    const whole = graph.nameOf(image);
    const seen = down + across === 0 ? whole : graph.op("Slice", [whole, starts, ends, graph.ints([2, 3])]);
    return conv(graph, [seen, ...rest], {
      kernel: w.shape.slice(2),
      stride: [2, 2],
      padding: [
        [top - (i - down), bottom],
        [left - (j - across), right],
      ],
    });
  };
  return [phase(0, 0), phase(0, 1), phase(1, 0), phase(1, 1)];
}

const isQuick = ({ attrs: { stride, dilation, groups }, inputs: [, w] }: Tensor<ConvAttrs>): boolean =>
  groups === 1 &&
  [...stride, ...dilation].every((n) => n === 1) &&
  w.shape.slice(1).reduce((n, d) => n * d, 1) <= fewProducts;

/** Whether a reader is a pooling of x by 2×2 windows that tile it, or the gradient of one. */
const pools = (reader: Tensor, x: Tensor): boolean =>
  (is(reader, maxPoolOp) || (is(reader, unpoolOp) && reader.inputs[1] !== x)) &&
  reader.attrs.window.every((n) => n === 2) &&
  tiles(x, reader.attrs);
