// Products of tensors: matmul and, on top of it, einsum.

import { axesGo } from "../batch.js";
import type { Shape } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { onnxProduct } from "../onnx/emission/fusion.js";
import { gemm } from "../reference/gemm.js";
import { indexTable } from "../reference/indexing.js";
import { broadcastShapes, broadcastStrides, range, showShape, sizeOf } from "../shape.js";
import { withRank } from "../stacked.js";
import { apply, constant, liftAll, type Op, type Operand, scalar, type Tensor } from "../tensor.js";
import type { HloFunction, HloValue } from "../xla/hlo.js";
import { eq, where } from "./binary.js";
import { broadcastTo, reshape, swapLast, transpose } from "./movement.js";
import { sum, sumTo } from "./reduce.js";
import { cast, numeric } from "./unary.js";

const batchOf = (x: Tensor): readonly number[] => x.shape.slice(0, -2);

export const matmulOp: Op = {
  name: "matmul",
  // Operands of one stack: their batches are broadcast behind it.
  vmap: ({ rank }, operands, { has }) => {
    const [a, b] = operands.map((x, i) => (has[i] ? withRank(x, rank) : x));
    return matmul(a, b);
  },
  bf16: "compute",
  // Neither of the axes that are summed over: the last of a, the last but one of b.
  batch: axesGo((i, axis, { rank, inputs }) =>
    axis === inputs[i].rank - 1 - i ? undefined : axis + rank - inputs[i].rank,
  ),
  infer: ([a, b]) => {
    numeric("matmul", a);
    const inner = a.shape[a.rank - 1];
    if (a.dtype !== b.dtype)
      throw new ShapeError("matmul", `${showAval(a)} and ${showAval(b)} do not mix; cast one of them`);
    if (inner !== b.shape[b.rank - 2]) {
      throw new ShapeError(
        "matmul",
        `shapes ${showShape(a.shape)} and ${showShape(b.shape)} do not fit: the inner sizes ${inner} and ${b.shape[b.rank - 2]} differ`,
      );
    }
    const batch = broadcastShapes("matmul", batchOf(a), batchOf(b));
    return { shape: [...batch, a.shape[a.rank - 2], b.shape[b.rank - 1]], dtype: a.dtype };
  },
  gradient: (g, { inputs: [a, b] }) => [
    sumTo(matmul(g, swapLast(b)), a.shape),
    sumTo(matmul(swapLast(a), g), b.shape),
  ],
  reference: ({ shape, inputs: [a, b] }) => {
    const batch = shape.slice(0, -2);
    const [m, n] = shape.slice(-2);
    const k = a.shape[a.rank - 1];
    const starts = (x: Tensor, step: number) =>
      indexTable(
        batch,
        broadcastStrides(batchOf(x), batch).map((s) => s * step),
      );
    const as = starts(a, m * k);
    const bs = starts(b, k * n);
    return (out, x, y) => {
      for (let i = 0; i < as.length; i++) gemm(out, x, y, [m, k, n], [i * m * n, as[i], bs[i]]);
    };
  },
  empty: (_, { shape, dtype }) => broadcastTo(cast(0, dtype), shape),
  onnx: (graph, [a, b], node) => onnxProduct(graph, node) ?? graph.op("MatMul", [a, b]),
  xla: (hlo, [a, b], { shape }) => {
    const batch = shape.slice(0, -2);
    const terms = a.shape[a.shape.length - 1];
    if (terms > 0 && terms <= fewTerms) return sumOfOuterProducts(hlo, a, b, shape);
    const whole = (x: typeof a) => hlo.broadcast(x, [...batch, ...x.shape.slice(-2)]);
    return hlo.dotGeneral(whole(a), whole(b), batch.length, shape);
  },
};

const fewTerms = 8;

/** A product over very few terms, element by element: it fuses with what reads it, and is exact in float32. */
function sumOfOuterProducts(hlo: HloFunction, a: HloValue, b: HloValue, shape: Shape): HloValue {
  const terms = range(b.shape[b.shape.length - 2]).map((i) => {
    const column = hlo.slice(a, a.shape.length - 1, i, i + 1);
    const row = hlo.slice(b, b.shape.length - 2, i, i + 1);
    return hlo.emit("stablehlo.multiply", [hlo.broadcast(column, shape), hlo.broadcast(row, shape)], shape);
  });
  return terms.reduce((sum, term) => hlo.emit("stablehlo.add", [sum, term], shape));
}

/**
 * Matrix product of the last two axes; leading axes are a batch and broadcast. A vector on the left is a row, on the
 * right a column, and its axis is gone from the result.
 */
export function matmul(a: Operand, b: Operand): Tensor {
  const [left, right] = liftAll(a, b);
  if (left.rank === 0 || right.rank === 0) {
    throw new ShapeError(
      "matmul",
      `needs at least one axis on each side, got ${showAval(left)} and ${showAval(right)}; use mul`,
    );
  }
  if (left.rank === 1) {
    const y = matmul(reshape(left, [1, left.size]), right);
    return reshape(y, [...y.shape.slice(0, -2), ...y.shape.slice(y.rank - 1)]);
  }
  if (right.rank === 1) {
    const y = matmul(left, reshape(right, [right.size, 1]));
    return reshape(y, y.shape.slice(0, -1));
  }
  // One matrix for the whole batch: a single large product, forward and in both gradients.
  if (left.rank > 2 && right.rank === 2 && left.shape[left.rank - 1] === right.shape[0]) {
    const rows = reshape(left, [sizeOf(left.shape.slice(0, -1)), left.shape[left.rank - 1]]);
    return reshape(apply(matmulOp, [rows, right], {}), [...left.shape.slice(0, -1), right.shape[1]]);
  }
  return apply(matmulOp, [left, right], {});
}

/** An operand in which a letter stands twice, without the elements where the two places differ. */
function ofDiagonals(x: Tensor, term: string): [Tensor, string] {
  const letters = [...term];
  const second = letters.findIndex((letter, i) => letters.indexOf(letter) < i);
  const first = letters.indexOf(letters[second]);
  if (second < 0 || term.length !== x.rank || x.shape[first] !== x.shape[second]) return [x, term];
  const n = x.shape[first];
  const along = (axis: number): Tensor =>
    constant(
      new NdArray(
        Int32Array.from(range(n)),
        x.shape.map((_, i) => (i === axis ? n : 1)),
      ),
    );
  const on = where(eq(along(first), along(second)), x, scalar(0, x.dtype));
  return ofDiagonals(sum(on, second), letters.filter((_, i) => i !== second).join(""));
}

/**
 * Contraction in Einstein's notation: `einsum("snk,sko->sno", x, w)`. Letters missing from the result are summed over;
 * letters in both operands and in the result are a batch; a letter twice in one operand is its diagonal. More than two
 * operands are contracted from the left.
 */
export function einsum(spec: string, ...operands: Operand[]): Tensor {
  const [left, result] = spec.replace(/\s/g, "").split("->");
  const terms = left.split(",");
  const tensors = liftAll(...operands);
  for (let t = 0; t < Math.min(terms.length, tensors.length); t++)
    [tensors[t], terms[t]] = ofDiagonals(tensors[t], terms[t]);
  if (result !== undefined && terms.length > 2 && terms.length === tensors.length) {
    const [a, b, ...others] = terms;
    // What a later term or the result still asks for.
    const kept = [...new Set(a + b)].filter((letter) => (others.join("") + result).includes(letter)).join("");
    const [x, y, ...rest] = tensors;
    return einsum(`${[kept, ...others]}->${result}`, einsum(`${a},${b}->${kept}`, x, y), ...rest);
  }
  const refuse = (problem: string): never => {
    throw new ShapeError("einsum", `"${spec}" with ${tensors.map(showAval).join(" and ")}: ${problem}`);
  };
  if (result === undefined) refuse("the result is missing, write it after ->");
  if (terms.length !== tensors.length) refuse(`${terms.length} terms for ${tensors.length} operands`);
  const size = new Map<string, number>();
  for (const [t, term] of terms.entries()) {
    if (term.length !== tensors[t].rank) refuse(`"${term}" names ${term.length} axes of ${tensors[t].rank}`);
    for (const [i, letter] of [...term].entries()) {
      const d = tensors[t].shape[i];
      if (size.has(letter) && size.get(letter) !== d)
        refuse(`axis ${letter} is both ${size.get(letter)} and ${d}`);
      size.set(letter, d);
    }
  }
  for (const letter of result) if (!size.has(letter)) refuse(`the result's "${letter}" is in no operand`);

  // Letters that one operand alone has and the result lacks are summed at once.
  const kept = terms.map((term, t) =>
    [...term].filter((l) => result.includes(l) || terms.some((o, i) => i !== t && o.includes(l))),
  );
  const parts = tensors.map((x, t) =>
    sum(x, { axis: range(x.rank).filter((i) => !kept[t].includes(terms[t][i])) }),
  );
  const arrange = (x: Tensor, from: readonly string[], to: readonly string[]) =>
    transpose(
      x,
      to.map((l) => from.indexOf(l)),
    );
  if (parts.length === 1) return arrange(parts[0], kept[0], [...result]);

  const [ka, kb] = kept;
  const batch = ka.filter((l) => kb.includes(l) && result.includes(l));
  const inner = ka.filter((l) => kb.includes(l) && !result.includes(l));
  const rows = ka.filter((l) => !kb.includes(l));
  const columns = kb.filter((l) => !ka.includes(l));
  const sizes = (letters: readonly string[]) => letters.map((l) => size.get(l)!);
  const a = reshape(arrange(parts[0], ka, [...batch, ...rows, ...inner]), [
    ...sizes(batch),
    sizeOf(sizes(rows)),
    sizeOf(sizes(inner)),
  ]);
  const b = reshape(arrange(parts[1], kb, [...batch, ...inner, ...columns]), [
    ...sizes(batch),
    sizeOf(sizes(inner)),
    sizeOf(sizes(columns)),
  ]);
  const y = reshape(matmul(a, b), sizes([...batch, ...rows, ...columns]));
  return arrange(y, [...batch, ...rows, ...columns], [...result]);
}
