// A convolution over few channels: what is known of it, and where a program has some.
import { attrsKey, type Program, topological } from "../graph.js";
import { type ConvAttrs, convInputOp, convKernelOp, convOp } from "../ops/conv.js";
import { reshapeOp, transposeOp } from "../ops/movement.js";
import { maxPoolOp, type PoolAttrs, tiles } from "../ops/pool.js";
import { sizeOf } from "../shape.js";
import type { Tensor } from "../tensor.js";

/** Channels of a group up to which a convolution is narrow. With 4 a step of two LeNet runs takes 2.8 ms, with 8 2.1. */
const fewChannels = 8;
/** Elements of a pooling window up to which each has filters of its own. */
const fewPhases = 9;

export type Pair = readonly [number, number];

const is = (node: Tensor, op: object): boolean => (node.op as object) === op;

export const isConvolution = (node: Tensor): boolean => is(node, convOp);
export const isImageGradient = (node: Tensor): boolean => is(node, convInputOp);

/** One convolution of images [N, G·C, H, W], and everything about it that its gradient shares. */
export interface Narrow {
  /** N. */
  readonly count: number;
  readonly stride: Pair;
  readonly padding: ConvAttrs["padding"];
  readonly groups: number;
  /** Channels and filters of a group. */
  readonly channels: number;
  readonly filters: number;
  readonly kernel: Pair;
  /** Height and width of the result. */
  readonly out: Pair;
  /** The window of the pooling that follows, [1, 1] without one. */
  readonly pool: Pair;
  /** Whether each step of a loop has other images. */
  readonly images?: "change";
}

/** The common parameters of a convolution and the gradient of its kernel; undefined for anything else. */
export function keyOf(node: Tensor): string | undefined {
  const kernel = is(node, convOp) ? node.inputs[1].shape : is(node, convKernelOp) ? node.shape : undefined;
  if (!kernel) return undefined;
  const { stride, padding, dilation, groups } = node.attrs as ConvAttrs;
  return `${node.inputs[0].id} ${attrsKey({ kernel, stride, padding, dilation, groups })}`;
}

/** The common parameters of a convolution and the gradient of its images. */
export function kernelKeyOf(node: Tensor): string | undefined {
  if (!isConvolution(node) && !isImageGradient(node)) return undefined;
  const { stride, padding, dilation, groups } = node.attrs as ConvAttrs;
  const image = isConvolution(node) ? node.inputs[0].shape : node.shape;
  return `${node.inputs[1].id} ${attrsKey({ image, stride, padding, dilation, groups })}`;
}

function readersOf(order: readonly Tensor[]): Map<Tensor, Tensor[]> {
  const readers = new Map<Tensor, Tensor[]>();
  for (const node of order) {
    for (const x of node.inputs) {
      const list = readers.get(x);
      if (list) list.push(node);
      else readers.set(x, [node]);
    }
  }
  return readers;
}

/** The window of the max-pooling a convolution's result goes to, past what only moves or acts on each element. */
function poolBehind(conv: Tensor, readers: ReadonlyMap<Tensor, readonly Tensor[]>): Pair {
  const seen = new Set<Tensor>();
  const queue = [conv];
  for (let node = queue.pop(); node; node = queue.pop()) {
    for (const reader of readers.get(node) ?? []) {
      if (seen.has(reader)) continue;
      seen.add(reader);
      if (is(reader, maxPoolOp)) {
        const attrs = reader.attrs as PoolAttrs;
        const [x] = reader.inputs;
        const whole = x.shape.slice(-2).every((d, i) => d === conv.shape[2 + i]) && tiles(x, attrs);
        return whole && sizeOf(attrs.window) <= fewPhases ? attrs.window : [1, 1];
      }
      if (is(reader, reshapeOp) || is(reader, transposeOp) || reader.op.elementwise) queue.push(reader);
    }
  }
  return [1, 1];
}

/** The narrow convolutions of a program, by their keys. */
export function narrowConvolutions(program: Program): Map<string, Narrow> {
  const order = topological(program.outputs);
  const readers = readersOf(order);
  const found = new Map<string, Narrow>();
  for (const node of order) {
    if (!is(node, convOp)) continue;
    const { stride, padding, dilation, groups } = node.attrs as ConvAttrs;
    const [o, channels, kh, kw] = node.inputs[1].shape;
    const spread = dilation.some((d) => d > 1);
    if (channels === 0 || channels > fewChannels || kh * kw === 1 || spread || node.size === 0) continue;
    found.set(keyOf(node)!, {
      count: node.shape[0],
      stride,
      padding,
      groups,
      channels,
      filters: o / groups,
      kernel: [kh, kw],
      out: [node.shape[2], node.shape[3]],
      pool: poolBehind(node, readers),
    });
  }
  return found;
}
