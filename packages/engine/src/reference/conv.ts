// Convolution on the reference back end: each image's windows become the columns of a matrix (im2col), and the three
// operations are matrix products with it.
import { allocate, type Data } from "../dtype.js";
import type { ConvAdjointAttrs, ConvAttrs } from "../ops/conv.js";
import type { Kernel, Tensor } from "../tensor.js";
import { gemm, transposeInto } from "./gemm.js";

interface Geometry {
  images: number;
  groups: number;
  /** Elements of one group of one image, of one image, and of the matrix [rows × places] of its windows. */
  group: number;
  rows: number;
  places: number;
  filters: number;
  /** For each entry of the window matrix its position in the group, or -1 in the padding. */
  table: Int32Array;
}

function geometry(
  x: readonly number[],
  w: readonly number[],
  y: readonly number[],
  attrs: ConvAttrs,
): Geometry {
  const [images, channels, height, width] = x;
  const { stride, padding, dilation, groups } = attrs;
  const [filters, c, kh, kw] = w;
  const [oh, ow] = y.slice(2);
  const rows = c * kh * kw;
  const places = oh * ow;
  const table = new Int32Array(rows * places);
  let at = 0;
  for (let k = 0; k < c; k++) {
    for (let i = 0; i < kh; i++) {
      for (let j = 0; j < kw; j++) {
        for (let r = 0; r < oh; r++) {
          const row = r * stride[0] + i * dilation[0] - padding[0][0];
          for (let s = 0; s < ow; s++) {
            const column = s * stride[1] + j * dilation[1] - padding[1][0];
            const inside = row >= 0 && row < height && column >= 0 && column < width;
            table[at++] = inside ? (k * height + row) * width + column : -1;
          }
        }
      }
    }
  }
  return {
    images,
    groups,
    group: (channels / groups) * height * width,
    rows,
    places,
    filters: filters / groups,
    table,
  };
}

function windows(out: Data, x: Data, table: Int32Array, offset: number): void {
  for (let i = 0; i < table.length; i++) out[i] = table[i] < 0 ? 0 : x[offset + table[i]];
}

export function referenceConv(node: Tensor<ConvAttrs>): Kernel {
  const [x, w] = node.inputs;
  const { images, groups, group, rows, places, filters, table } = geometry(
    x.shape,
    w.shape,
    node.shape,
    node.attrs,
  );
  const columns = allocate(node.dtype, rows * places);
  return (out, image, kernel) => {
    for (let b = 0; b < images * groups; b++) {
      windows(columns, image, table, b * group);
      const at = (b % groups) * filters * rows;
      gemm(out, kernel, columns, [filters, rows, places], [b * filters * places, at, 0]);
    }
  };
}

export function referenceConvInput(node: Tensor<ConvAdjointAttrs>): Kernel {
  const [g, w] = node.inputs;
  const { images, groups, group, rows, places, filters, table } = geometry(
    node.shape,
    w.shape,
    g.shape,
    node.attrs,
  );
  const columns = allocate("float64", rows * places);
  const turned = allocate(node.dtype, rows * filters);
  return (out, gradient, kernel) => {
    const total = new Float64Array(out.length);
    for (let b = 0; b < images * groups; b++) {
      transposeInto(turned, kernel, filters, rows, (b % groups) * filters * rows);
      gemm(columns, turned, gradient, [rows, filters, places], [0, 0, b * filters * places]);
      for (let i = 0; i < table.length; i++) if (table[i] >= 0) total[b * group + table[i]] += columns[i];
    }
    out.set(total);
  };
}

export function referenceConvKernel(node: Tensor<ConvAdjointAttrs>): Kernel {
  const [x, g] = node.inputs;
  const { images, groups, group, rows, places, filters, table } = geometry(
    x.shape,
    node.shape,
    g.shape,
    node.attrs,
  );
  const columns = allocate(node.dtype, rows * places);
  const turned = allocate(node.dtype, rows * places);
  return (out, image, gradient) => {
    const total = new Float64Array(out.length);
    for (let b = 0; b < images * groups; b++) {
      windows(columns, image, table, b * group);
      transposeInto(turned, columns, rows, places);
      const at = (b % groups) * filters * rows;
      gemm(total, gradient, turned, [filters, places, rows], [at, b * filters * places, 0], true);
    }
    out.set(total);
  };
}
