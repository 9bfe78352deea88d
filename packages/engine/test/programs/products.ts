// Steps that bring together elements from many places: products, convolutions, pooling, gathering and sampling.
import type { NdArray, Shape, Tensor } from "@pliant/engine";
import * as p from "@pliant/engine";
import { type Builder, isReal, type RandomStep, ranked } from "./builder.js";
import { fromIntegers, windowLead } from "./decisions.js";

type Pair = [number, number];

/** An image [N, C, H, W]: one there is, or a new one. */
const image = (b: Builder): number => {
  const fits = (v: NdArray) => isReal(v) && ranked(4, 4)(v) && v.shape[2] > 1 && v.shape[3] > 1;
  const found = b.chance(2) ? b.existing(fits) : undefined;
  return found ?? b.newReal([1 + b.pick(2), 1 + b.pick(4), 3 + b.pick(3), 3 + b.pick(3)]);
};

/** A stack of images [S, N, C, H, W], for convolutions with a set of kernels each. */
const imageStack = (b: Builder): number =>
  b.real(ranked(5), [1 + b.pick(3), 1 + b.pick(2), 1 + b.pick(4), 3 + b.pick(2), 2 + b.pick(3)]);

function addConvolution(b: Builder, i: number): boolean {
  const [c, h, w] = b.shape(i).slice(-3);
  const groups = b.among([1, 2, 3, 4].filter((g) => c % g === 0));
  const kernel = [h, w].map((d) => 1 + b.pick(Math.min(d, 3)));
  const wide = (a: number) => 2 * (kernel[a] - 1) < [h, w][a] && b.chance(3);
  const options: p.ConvOptions = {
    groups,
    dilation: [wide(0) ? 2 : 1, wide(1) ? 2 : 1],
    stride: b.among<number | Pair>([1, 1, 2, [2, 1], [1, 3]]),
    padding: b.among<NonNullable<p.ConvOptions["padding"]>>([
      0,
      "valid",
      1,
      "same",
      [1, 0],
      [
        [0, 1],
        [2, 0],
      ],
    ]),
  };
  const filters = [...b.shape(i).slice(0, -4), groups * (1 + b.pick(2)), c / groups, ...kernel];
  b.step("conv2d", [i, b.like(filters, "float64")], ([x, k]) => x.conv2d(k, options));
  return true;
}

const pooling = (name: "maxPool" | "avgPool"): RandomStep => ({
  name,
  add(b) {
    const i = b.real(ranked(2), [2, 4, 4]);
    const window = b
      .shape(i)
      .slice(-2)
      .map((d) => 1 + b.pick(Math.min(d, 3))) as Pair;
    const stride = b.among<Pair>([window, window, [1, 1], [2, 1], [2, 2]]);
    const padding = b.chance(3) ? ([window[0] >> 1, window[1] >> 1] as Pair) : 0;
    const options = { window, stride, padding };
    if (name === "maxPool" && !b.clear([i], () => windowLead(b.value(i), options))) return false;
    b.step(name, [i], ([x]) => x[name](options), { exact: name === "maxPool" });
    return true;
  },
});

/** Places on an axis of size n, some of them outside it. */
const places = (b: Builder, n: number): number => {
  const few = (v: NdArray) => v.dtype === "int32" && v.size <= 6 && v.shape.length <= 2;
  const found = b.chance(3) ? b.existing(few) : undefined;
  const shape = b.someShape(b.pick(3)).map((d) => Math.min(d, 3));
  return found ?? b.newWhole(shape, -1, n + 1);
};

export const productSteps: readonly RandomStep[] = [
  {
    name: "matmul",
    add(b) {
      const i = b.number(ranked(1, 4), [3, 4]);
      const { dtype, shape } = b.value(i);
      const k = shape[shape.length - 1];
      const rows = shape[shape.length - 2] ?? k;
      const n = 1 + b.pick(4);
      const batch = shape.slice(0, -2).map((d) => (b.chance(3) ? 1 : d));
      const partners: [Shape, (x: Tensor, y: Tensor) => Tensor][] = [
        [[k], (x, y) => x.matmul(y)],
        [[k, n], (x, y) => x.matmul(y)],
        [[...batch, k, n], (x, y) => x.matmul(y)],
        [[n, k], (x, y) => x.matmul(y.transpose())],
        [[rows], (x, y) => y.matmul(x)],
        [[n, rows], (x, y) => y.matmul(x)],
        [[rows, n], (x, y) => y.transpose().matmul(x)],
      ];
      const [other, f] = b.among(partners);
      b.step("matmul", [i, b.like(other, dtype)], ([x, y]) => f(x, y));
      return true;
    },
  },
  {
    name: "einsum",
    add(b) {
      const i = b.real(ranked(1, 3), [2, 3]);
      const own = [..."abc"].slice(0, b.shape(i).length);
      const size = new Map(own.map((letter, a) => [letter, b.shape(i)[a]]));
      if (b.chance(4)) {
        const result = own.filter(() => b.chance(2)).reverse();
        b.step("einsum", [i], ([x]) => p.einsum(`${own.join("")}->${result.join("")}`, x));
        return true;
      }
      size.set("n", 1 + b.pick(3));
      const shuffled = (letters: readonly string[]): string[] =>
        letters
          .map((letter) => ({ letter, place: b.pick(1000) }))
          .sort((x, y) => x.place - y.place)
          .map(({ letter }) => letter);
      const other = shuffled([...own.filter(() => b.chance(2)), "n"]);
      const result = shuffled([...size.keys()].filter(() => !b.chance(3)));
      const j = b.like(
        other.map((letter) => size.get(letter)!),
        "float64",
      );
      const spec = `${own.join("")},${other.join("")}->${result.join("")}`;
      b.step("einsum", [i, j], ([x, y]) => p.einsum(spec, x, y));
      return true;
    },
  },
  { name: "conv2d", add: (b) => addConvolution(b, image(b)) },
  { name: "conv2d", add: (b) => addConvolution(b, imageStack(b)) },
  {
    name: "unfold",
    add(b) {
      const i = b.number(ranked(3, 4), [2, 4, 4]);
      const size = b.shape(i).slice(-2);
      const window = size.map((d) => 1 + b.pick(Math.min(d, 3))) as Pair;
      const stride = b.among<Pair>([window, [1, 1], [2, 1], [2, 2]]);
      const padding = b.chance(3) ? ([window[0] >> 1, window[1] >> 1] as Pair) : 0;
      b.step("unfold", [i], ([x]) => x.unfold({ window, stride, padding }), { exact: true });
      return true;
    },
  },
  pooling("maxPool"),
  pooling("avgPool"),
  {
    name: "gather",
    add(b) {
      const i = b.any(ranked(1, 4), [4, 3]);
      const axis = b.axis(i);
      const at = places(b, b.shape(i).at(axis)!);
      b.step("gather", [i, at], ([x, index]) => x.gather(index, axis), { exact: true });
      return true;
    },
  },
  {
    name: "scatterAdd",
    add(b) {
      const i = b.number(ranked(1, 4), [4, 3]);
      const { shape, dtype } = b.value(i);
      const axis = b.pick(shape.length);
      const at = places(b, shape[axis]);
      const updates = b.like([...shape.slice(0, axis), ...b.shape(at), ...shape.slice(axis + 1)], dtype);
      b.step("scatterAdd", [i, at, updates], ([x, index, u]) => x.scatterAdd(index, u, axis));
      return true;
    },
  },
  {
    name: "pick",
    add(b) {
      const i = b.any(ranked(1, 4), [4, 3]);
      const shape = b.shape(i);
      const at = b.newWhole(shape.slice(0, -1), -1, shape[shape.length - 1] + 1);
      b.step("pick", [i, at], ([x, index]) => x.pick(index), { exact: true });
      return true;
    },
  },
  {
    name: "oneHot",
    add(b) {
      const i = b.whole((v) => v.size <= 20 && v.shape.length < 4, [3]);
      const n = 2 + b.pick(4);
      b.step("oneHot", [i], ([x], real) => x.oneHot(n, real), { exact: true });
      return true;
    },
  },
  {
    name: "uniformFrom",
    add(b) {
      const keys = b.newWhole(b.chance(2) ? [2] : [1 + b.pick(3), 2], -1000, 1000);
      const shape = b.chance(2) ? [1 + b.pick(5)] : [1 + b.pick(3), 1 + b.pick(3)];
      b.step("uniformFrom", [keys], ([k], real) => p.uniformFrom(k, shape).cast(real), { exact: true });
      return true;
    },
  },
  {
    name: "gridSample",
    add(b) {
      const i = image(b);
      const [n, , h, w] = b.shape(i);
      const alignCorners = b.chance(2);
      const plain = b.newReal([n, 1 + b.pick(3), 1 + b.pick(3), 2], -1.3, 1.3);
      const grid = b.chance(2) ? plain : b.step("sin", [plain], ([g]) => g.sin());
      const pixels = (g: Tensor): Tensor => {
        const size = p.array(Float64Array.of(w, h)); // the grid holds (x, y)
        return alignCorners ? g.add(1).mul(p.sub(size, 1).div(2)) : g.add(1).mul(p.div(size, 2)).sub(0.5);
      };
      if (!b.clear([grid], () => fromIntegers(b.value(grid), pixels))) return false;
      b.step("gridSample", [i, grid], ([x, g]) => x.gridSample(g, { alignCorners }));
      return true;
    },
  },
];
