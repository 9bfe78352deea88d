// Uniform random numbers drawn where the program runs, from keys that come in as data: the numbers `random.uniform` gives
// on the host for the same keys, to the bit. A training loop then needs two words a step instead of all its numbers.
import { axesGo } from "../batch.js";
import type { Shape } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import type { OnnxGraph } from "../onnx/emission/graph.js";
import { elementTypes } from "../onnx/emission/proto.js";
import { threefry2x32 } from "../random.js";
import { checkShape, range, sizeOf } from "../shape.js";
import { apply, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import type { HloFunction, HloValue } from "../xla/hlo.js";
import { reshape } from "./movement.js";
import { slice } from "./slicing.js";

/** The 32-bit operations Threefry is made of, on the words of one back end. */
interface Words<W> {
  word(value: number): W;
  add(a: W, b: W): W;
  xor(a: W, b: W): W;
  rotate(a: W, by: number): W;
  /** The first 24 bits as a number in [0, 1). */
  fraction(a: W): W;
}

/** Threefry-2x32 with 20 rounds, as in random.ts, on whole arrays of counters [c0, 0]. */
function threefry<W>(
  { word, add, xor, rotate }: Words<W>,
  [first, second]: readonly [W, W],
  counter: W,
): [W, W] {
  const schedule = [first, second, xor(xor(word(0x1bd11bda), first), second)];
  let x = add(counter, first);
  // The counter's second word is 0: an addition to it would be one to nothing.
  let y = second;
  for (let group = 1; group <= 5; group++) {
    for (const by of group % 2 === 1 ? [13, 15, 26, 6] : [17, 29, 16, 24]) {
      x = add(x, y);
      y = xor(rotate(y, by), x);
    }
    x = add(x, schedule[group % 3]);
    y = add(add(y, schedule[(group + 1) % 3]), word(group));
  }
  return [x, y];
}

/** Sums are of int32, shifts of uint32: ONNX Runtime has no others. */
const onnxWords = (graph: OnnxGraph): Words<string> => {
  const type = elementTypes.uint32;
  const unsigned = (a: string): string => graph.op("Cast", [a], { to: type });
  const shift = (value: string, by: number, direction: "LEFT" | "RIGHT"): string =>
    graph.op("BitShift", [value, graph.initializer({ dims: [], type, data: Int32Array.of(by) })], {
      direction,
    });
  return {
    word: (value) => graph.scalar(value, "int32"),
    add: (a, b) => graph.op("Add", [a, b]),
    xor: (a, b) => graph.op("BitwiseXor", [a, b]),
    rotate: (a, by) => {
      const bits = unsigned(a);
      const both = graph.op("BitwiseOr", [shift(bits, by, "LEFT"), shift(bits, 32 - by, "RIGHT")]);
      return graph.cast(both, "int32");
    },
    fraction: (a) => {
      const top = graph.cast(shift(unsigned(a), 8, "RIGHT"), "float32");
      return graph.op("Mul", [top, graph.scalar(2 ** -24, "float32")]);
    },
  };
};

const hloWords = (hlo: HloFunction, shape: Shape): Words<HloValue> => {
  const word = (value: number): HloValue => hlo.broadcast(hlo.scalar(value, "i32"), shape);
  const both = (op: string, a: HloValue, b: HloValue): HloValue => hlo.emit(`stablehlo.${op}`, [a, b], shape);
  return {
    word,
    add: (a, b) => both("add", a, b),
    xor: (a, b) => both("xor", a, b),
    rotate: (a, by) =>
      both("or", both("shift_left", a, word(by)), both("shift_right_logical", a, word(32 - by))),
    fraction: (a) => {
      const top = hlo.convert(both("shift_right_logical", a, word(8)), "f32");
      return hlo.emit("stablehlo.multiply", [top, hlo.broadcast(hlo.scalar(2 ** -24, "f32"), shape)], shape);
    },
  };
};

/** 0, 1, 2, … */
const counters = (pairs: number): NdArray => new NdArray(Int32Array.from(range(pairs)), [pairs]);

/** From keys [..., 2] to 24-bit fractions [..., pairs, 2]: each counter gives two words. */
const fractionsOp: Op<{ pairs: number }> = {
  name: "fractions",
  stacked: ({ attrs }) => attrs,
  batch: axesGo((_, axis, { inputs: [keys] }) => (axis < keys.rank - 1 ? axis : undefined)),
  infer: ([keys], { pairs }) => {
    if (keys.dtype !== "int32" || keys.shape.at(-1) !== 2)
      throw new ShapeError(
        "uniformFrom",
        `needs keys as int32 [..., 2] (random.packed), got ${showAval(keys)}`,
      );
    return { shape: [...keys.shape.slice(0, -1), pairs, 2], dtype: "float32" };
  },
  reference: ({ attrs: { pairs } }) => {
    const words = new Uint32Array(2);
    return (out, keys) => {
      for (let k = 0, at = 0; k < keys.length; k += 2)
        for (let i = 0; i < pairs; i++, at += 2) {
          threefry2x32([keys[k], keys[k + 1]], i, 0, words, 0);
          out[at] = (words[0] >>> 8) / 0x1000000;
          out[at + 1] = (words[1] >>> 8) / 0x1000000;
        }
    };
  },
  onnx: (graph, [keys], { attrs: { pairs }, shape }) => {
    const last = shape.length - 2;
    const half = (i: number): string =>
      graph.op("Slice", [keys, graph.ints([i]), graph.ints([i + 1]), graph.ints([last])]);
    const words = onnxWords(graph);
    const columns = threefry(words, [half(0), half(1)], graph.constant(counters(pairs))).map((w) =>
      graph.op("Unsqueeze", [words.fraction(w), graph.ints([last + 1])]),
    );
    return graph.op("Concat", columns, { axis: last + 1 });
  },
  xla: (hlo, [keys], { attrs: { pairs }, shape }) => {
    const lead = shape.slice(0, -2);
    const flat = [...lead, pairs];
    const half = (i: number): HloValue => hlo.broadcast(hlo.slice(keys, lead.length, i, i + 1), flat);
    const counter = hlo.broadcast(hlo.constant(counters(pairs)), flat);
    const words = hloWords(hlo, flat);
    const columns = threefry(words, [half(0), half(1)], counter).map((w) =>
      hlo.emit("stablehlo.reshape", [words.fraction(w)], [...flat, 1]),
    );
    return hlo.emit("stablehlo.concatenate", columns, shape, {
      attrs: { dimension: `${shape.length - 1} : i64` },
    });
  },
};

/**
 * Uniform numbers in [0, 1) of a shape for each key: keys [..., 2] (`random.packed`) give [..., ...shape]. Scale them
 * where they are used.
 */
export function uniformFrom(keys: Operand, shape: Shape): Tensor {
  const from = lift(keys, "int32");
  const n = sizeOf(checkShape("uniformFrom", shape));
  const pairs = Math.ceil(n / 2);
  const lead = from.shape.slice(0, -1);
  const drawn = apply(fractionsOp, [from], { pairs });
  const flat = reshape(drawn, [...lead, 2 * pairs]);
  const cut = n % 2 === 0 ? flat : slice(flat, [...lead.map(() => []), [0, n]]);
  return reshape(cut, [...lead, ...shape]);
}
