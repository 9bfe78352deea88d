// Every operation in at least one setting, with inputs on which it is smooth: the cases all back ends are tested on.
import * as p from "@pliant/engine";
import { type DType, NdArray, type Operand, random, type Shape, type Tensor } from "@pliant/engine";

export interface Case {
  name: string;
  inputs: readonly NdArray[];
  fn: (...inputs: Tensor[]) => Tensor;
  /** ONNX Runtime lacks it in float64. */
  float32Only?: boolean;
  /** Finite differences say nothing of its gradient: it is stopped, or has kinks everywhere. */
  frozen?: boolean;
}

let seed = 0;

/** Real numbers spread over [low, high], far enough apart from each other that finite differences cross no tie. */
export function real(shape: Shape, low = -2, high = 2): NdArray {
  const k = random.key(++seed);
  const n = shape.reduce((a, b) => a * b, 1);
  const order = random.permutation(k, n).data;
  const jitter = random.uniform(random.foldIn(k, 1), [n], { dtype: "float64" }).data;
  const data = Float64Array.from(
    order,
    (rank, i) => low + ((rank + 0.25 + 0.5 * jitter[i]) / n) * (high - low),
  );
  return new NdArray(data, shape);
}

export const whole = (shape: Shape, low: number, high: number): NdArray =>
  random.randint(random.key(++seed), shape, low, high);
const truth = (shape: Shape): NdArray => random.bernoulli(random.key(++seed), shape, 0.5);

const one = (name: string, f: (x: Operand) => Tensor, low = -2, high = 2, float32Only = false): Case => ({
  name,
  inputs: [real([3, 4], low, high)],
  fn: f,
  float32Only,
});

export const operations: Case[] = [
  one("neg", p.neg),
  one("exp", p.exp),
  one("log", p.log, 0.1, 3),
  one("log1p", p.log1p, -0.5, 3),
  { name: "log1p of small numbers", inputs: [real([8], 1e-9, 1e-6)], fn: (x) => p.log1p(x).mul(1e6) },
  one("sqrt", p.sqrt, 0.1, 3),
  one("abs", p.abs),
  one("sign", p.sign),
  one("floor", p.floor),
  one("ceil", p.ceil),
  one("round", p.round),
  one("sin", p.sin),
  one("cos", p.cos),
  one("erf", p.erf, -3, 3, true),
  one("tanh", p.tanh),
  one("sigmoid", p.sigmoid, -5, 5),
  one("softplus", p.softplus, -30, 30),
  one("relu", p.relu),
  one("leakyRelu", (x) => p.leakyRelu(x, 0.1)),
  one("clip", (x) => p.clip(x, -1, 0.7)),
  { ...one("stopGradient", (x) => p.mul(x, p.stopGradient(x))), frozen: true },
  { name: "cast to int32 and back", inputs: [real([3, 4])], fn: (x) => x.cast("int32").cast(x.dtype).add(x) },
  { name: "cast from bool", inputs: [real([3]), truth([2, 3])], fn: (x, c) => c.cast(x.dtype).mul(x) },
  { name: "add, broadcast both ways", inputs: [real([3, 1]), real([1, 4])], fn: p.add },
  { name: "add a number", inputs: [real([3])], fn: (x) => x.add(1.5) },
  { name: "sub", inputs: [real([2, 3, 4]), real([4])], fn: p.sub },
  { name: "mul", inputs: [real([2, 3]), real([])], fn: p.mul },
  { name: "div", inputs: [real([2, 3]), real([2, 3], 0.5, 2)], fn: p.div },
  { name: "rem", inputs: [real([2, 3], -5, 5), real([3], 0.6, 2)], fn: p.rem },
  { name: "rem of integers", inputs: [whole([9], -20, 20), whole([9], -3, 4)], fn: p.rem },
  { name: "pow", inputs: [real([2, 3], 0.5, 2), real([2, 3])], fn: p.pow },
  { name: "pow of a number", inputs: [real([2, 3])], fn: (x) => x.pow(3) },
  { name: "square and root", inputs: [real([2, 3], 0.2, 2)], fn: (x) => x.pow(2).add(x.pow(0.5)) },
  { name: "maximum", inputs: [real([2, 3]), real([3])], fn: p.maximum },
  { name: "minimum", inputs: [real([2, 3]), real([2, 1])], fn: p.minimum },
  {
    name: "integers",
    inputs: [whole([5], -20, 20), whole([5], 1, 6)],
    fn: (a, b) => a.mul(b).add(a.div(b)).sub(a.abs()).neg().maximum(-9),
  },
  {
    name: "comparisons",
    inputs: [whole([4, 5], 0, 3), whole([5], 0, 3)],
    fn: (a, b) => p.concat([a.eq(b), a.ne(b), a.lt(b), a.le(b), a.gt(b), a.ge(b)], 0),
  },
  {
    name: "logic",
    inputs: [truth([4, 5]), truth([5])],
    fn: (a, b) => p.stack([a.and(b), a.or(b), a.not(), p.where(a, b, a)]),
  },
  { name: "where", inputs: [truth([3, 1]), real([3, 4]), real([4])], fn: p.where },
  { name: "sum of everything", inputs: [real([2, 3])], fn: (x) => x.mul(x).sum() },
  { name: "sum over axes", inputs: [real([2, 3, 4])], fn: (x) => x.mul(x).sum({ axis: [0, -1] }) },
  {
    name: "mean keeping axes",
    inputs: [real([2, 3, 4])],
    fn: (x) => x.mul(x).mean({ axis: 1, keepDims: true }),
  },
  { name: "max", inputs: [real([3, 5])], fn: (x) => x.max({ axis: 1 }).mul(2) },
  { name: "min", inputs: [real([3, 5])], fn: (x) => x.mul(x).min({ axis: 0, keepDims: true }) },
  {
    name: "max of integers",
    inputs: [whole([3, 5], -9, 9)],
    fn: (x) => x.max({ axis: 0 }).add(x.min({ axis: 0 })),
  },
  { name: "prod", inputs: [real([3, 5])], fn: (x) => x.prod({ axis: 1 }) },
  { name: "prod of everything", inputs: [real([2, 3])], fn: (x) => x.prod() },
  { name: "argmax", inputs: [real([3, 5])], fn: (x) => x.argmax(1) },
  { name: "argmax of equal numbers", inputs: [whole([6, 4], 0, 2)], fn: (x) => x.argmax(0) },
  { name: "top1", inputs: [real([3, 5])], fn: (x) => x.top1(0).value.add(x.top1(0).index.cast(x.dtype)) },
  { name: "cumsum", inputs: [real([3, 5])], fn: (x) => x.mul(x).cumsum(1) },
  {
    name: "cumsum from the back",
    inputs: [real([3, 5, 2])],
    fn: (x) => x.mul(x).cumsum(1, { reverse: true }),
  },
  { name: "cummax", inputs: [real([3, 9])], fn: (x) => x.mul(x).cummax(1) },
  {
    name: "cummax from the back",
    inputs: [real([5, 2])],
    fn: (x) => x.mul(x).cummax(0, { reverse: true }),
  },
  { name: "argsort", inputs: [real([3, 5])], fn: (x) => x.argsort({ axis: 0 }) },
  {
    name: "argsort of equal numbers",
    inputs: [whole([6, 4], 0, 2)],
    fn: (x) => x.argsort({ descending: true }),
  },
  { name: "sort", inputs: [real([3, 5, 2])], fn: (x) => x.mul(x).sort({ axis: 1 }) },
  { name: "sort, descending", inputs: [real([3, 5])], fn: (x) => x.mul(x).sort({ descending: true }) },
  { name: "topK", inputs: [real([3, 7])], fn: (x) => x.mul(x).topK(3).values },
  {
    name: "topK, smallest",
    inputs: [real([4, 3])],
    fn: (x) => x.mul(x).topK(2, { axis: 0, smallest: true }).values,
  },
  {
    name: "takeAlong",
    inputs: [real([3, 5]), whole([3, 7], -1, 6)],
    fn: (x, i) => x.mul(x).takeAlong(i),
  },
  { name: "softmax", inputs: [real([3, 5])], fn: (x) => x.softmax(0) },
  { name: "logSoftmax", inputs: [real([3, 5])], fn: (x) => x.logSoftmax() },
  { name: "logSumExp", inputs: [real([3, 5])], fn: (x) => x.logSumExp({ axis: 1 }) },
  { name: "oneHot", inputs: [whole([2, 3], 0, 4), real([4])], fn: (i, x) => i.oneHot(4, x.dtype).mul(x) },
  { name: "reshape", inputs: [real([2, 6])], fn: (x) => x.mul(x).reshape([3, -1]) },
  { name: "transpose", inputs: [real([2, 3, 4])], fn: (x) => x.mul(x).transpose([2, 0, 1]) },
  { name: "broadcastTo", inputs: [real([3, 1])], fn: (x) => x.broadcastTo([2, 3, 4]).mul(x) },
  { name: "concat", inputs: [real([2, 3]), real([2, 1])], fn: (a, b) => p.concat([a, b, a.mul(a)], 1) },
  { name: "stack", inputs: [real([2, 3]), real([2, 3])], fn: (a, b) => p.stack([a, b.mul(a)], 1) },
  {
    name: "slice",
    inputs: [real([4, 6])],
    fn: (x) =>
      x.mul(x).slice([
        [1, -1],
        [0, 6, 2],
      ]),
  },
  {
    name: "slice with uneven steps",
    inputs: [real([7, 8])],
    fn: (x) =>
      x.mul(x).slice([
        [1, 7, 3],
        [2, 8, 4],
      ]),
  },
  {
    name: "pad",
    inputs: [real([2, 3])],
    fn: (x) =>
      x.mul(x).pad(
        [
          [1, 0],
          [2, 1],
        ],
        0.5,
      ),
  },
  { name: "flip", inputs: [real([2, 3, 2])], fn: (x) => x.mul(x).flip([0, 1]) },
  {
    name: "squeeze, expandDims, flatten",
    inputs: [real([2, 1, 3])],
    fn: (x) => x.squeeze(1).expandDims(0).mul(x).flatten(1),
  },
  { name: "matmul", inputs: [real([3, 4]), real([4, 5])], fn: p.matmul },
  { name: "matmul, matrix and vector", inputs: [real([3, 4]), real([4])], fn: p.matmul },
  { name: "matmul, vector and matrix", inputs: [real([4]), real([2, 4, 3])], fn: p.matmul },
  { name: "matmul, two vectors", inputs: [real([4]), real([4])], fn: p.matmul },
  { name: "matmul of batches", inputs: [real([2, 3, 4]), real([2, 4, 2])], fn: p.matmul },
  { name: "matmul, broadcast batches", inputs: [real([2, 1, 3, 4]), real([3, 4, 2])], fn: p.matmul },
  { name: "matmul, one matrix for a batch", inputs: [real([2, 3, 4]), real([4, 2])], fn: p.matmul },
  {
    name: "matmul of transposes",
    inputs: [real([4, 3]), real([5, 4])],
    fn: (a, b) => a.transpose().matmul(b.transpose()),
  },
  {
    name: "update of a dense layer",
    inputs: [real([4, 3]), real([5, 4]), real([5, 3])],
    fn: (w, x, g) => w.sub(x.transpose().matmul(g).mul(0.1)),
  },
  conv("conv2d, one channel and few filters", [8, 1, 6, 6], [3, 1, 3, 3], { padding: 1 }),
  { name: "matmul of integers", inputs: [whole([3, 4], -5, 5), whole([4, 2], -5, 5)], fn: p.matmul },
  {
    name: "einsum, stacked",
    inputs: [real([2, 3, 4]), real([2, 4, 5])],
    fn: (a, b) => p.einsum("snk,sko->nso", a, b),
  },
  {
    name: "einsum, two contracted",
    inputs: [real([2, 3, 4]), real([4, 3, 2])],
    fn: (a, b) => p.einsum("abc,cbd->da", a, b),
  },
  {
    name: "einsum with letters summed early",
    inputs: [real([2, 3, 2]), real([3, 4])],
    fn: (a, b) => p.einsum("abx,by->ya", a, b),
  },
  { name: "einsum of one", inputs: [real([2, 3, 4])], fn: (a) => p.einsum("abc->ca", a.mul(a)) },
  conv("conv2d", [2, 3, 6, 7], [4, 3, 3, 2]),
  conv("conv2d, stride and padding", [2, 2, 7, 8], [3, 2, 3, 3], { stride: 2, padding: 1 }),
  conv("conv2d, uneven stride", [1, 2, 8, 9], [3, 2, 3, 2], {
    stride: [3, 2],
    padding: [
      [1, 0],
      [2, 1],
    ],
  }),
  conv("conv2d, dilation", [2, 2, 8, 8], [2, 2, 3, 2], { dilation: [2, 3], padding: 1 }),
  conv("conv2d, dilation and stride", [1, 2, 9, 9], [2, 2, 2, 2], { dilation: 2, stride: 2, padding: 1 }),
  conv("conv2d, groups", [2, 4, 5, 5], [6, 2, 3, 3], { groups: 2, padding: "same" }),
  conv("conv2d, a group each", [2, 3, 5, 5], [3, 1, 2, 2], { groups: 3 }),
  conv("conv2d, stacked", [3, 2, 2, 5, 5], [3, 4, 2, 3, 3], { padding: 1 }),
  conv("conv2d, stacked groups", [2, 2, 4, 5, 5], [2, 4, 2, 2, 2], { groups: 2, stride: 2 }),
  conv("conv2d, a wide kernel", [3, 8, 9, 9], [8, 8, 5, 5]),
  { name: "unfold", inputs: [real([2, 2, 5, 4])], fn: (x) => x.mul(x).unfold({ window: [3, 2] }) },
  {
    name: "unfold, stride, padding and dilation",
    inputs: [real([1, 2, 7, 8])],
    fn: (x) =>
      x.mul(x).unfold({
        window: [2, 3],
        stride: [2, 3],
        dilation: [3, 2],
        padding: [
          [1, 2],
          [2, 0],
        ],
      }),
  },
  {
    name: "unfold, no batch",
    inputs: [real([2, 4, 4])],
    fn: (x) => x.mul(x).unfold({ window: 2, stride: 2 }),
  },
  { name: "maxPool", inputs: [real([2, 3, 4, 6])], fn: (x) => x.mul(x).maxPool({ window: 2 }) },
  {
    name: "maxPool, windows that overlap",
    inputs: [real([1, 2, 7, 7])],
    fn: (x) => x.mul(x).maxPool({ window: 3, stride: 2 }),
  },
  {
    name: "maxPool, padding",
    inputs: [real([1, 2, 5, 6])],
    fn: (x) => x.mul(x).maxPool({ window: [3, 2], stride: 2, padding: 1 }),
  },
  {
    name: "maxPool, rest of the image left out",
    inputs: [real([1, 2, 5, 7])],
    fn: (x) => x.mul(x).maxPool({ window: 2 }),
  },
  { name: "maxPool, stacked", inputs: [real([2, 1, 2, 4, 4])], fn: (x) => x.mul(x).maxPool({ window: 2 }) },
  {
    name: "maxPool of activations",
    inputs: [real([1, 2, 4, 4])],
    fn: (x) =>
      x
        .leakyRelu()
        .maxPool({ window: 2 })
        .add(x.tanh().maxPool({ window: 2 })),
  },
  net("a network of 16 and 32 channels", [18, 3, 8, 8], [16, 3, 3, 3], [32, 16, 2, 2]),
  net("a network with padding", [5, 16, 4, 6], [16, 16, 3, 3], [16, 16, 3, 3], [1, 1]),
  net(
    "a network with uneven padding and a single channel",
    [17, 1, 5, 5],
    [16, 1, 3, 3],
    [16, 16, 2, 2],
    [
      [1, 2],
      [2, 1],
    ],
  ),
  { name: "avgPool", inputs: [real([2, 3, 4, 6])], fn: (x) => x.mul(x).avgPool({ window: 2 }) },
  {
    name: "avgPool, windows that overlap",
    inputs: [real([1, 2, 5, 5])],
    fn: (x) => x.avgPool({ window: 3, stride: 2, padding: 1 }),
    float32Only: true,
  },
  { name: "gather", inputs: [real([5, 3]), whole([2, 4], 0, 5)], fn: (x, i) => x.mul(x).gather(i) },
  {
    name: "gather on a later axis",
    inputs: [real([2, 5, 3]), whole([4], 0, 5)],
    fn: (x, i) => x.mul(x).gather(i, 1),
  },
  {
    name: "gather outside the axis",
    inputs: [real([4]), whole([9], -3, 7)],
    fn: (x, i) => x.mul(x).gather(i),
  },
  {
    name: "scatterAdd",
    inputs: [real([5, 3]), whole([4], 0, 5), real([4, 3])],
    fn: (x, i, u) => x.scatterAdd(i, u.mul(u)),
  },
  {
    name: "scatterAdd on a later axis",
    inputs: [real([2, 5, 3]), whole([2, 2], -1, 6), real([2, 2, 2, 3])],
    fn: (x, i, u) => x.scatterAdd(i, u.mul(u), 1),
  },
  { name: "pick", inputs: [real([4, 3]), whole([4], 0, 3)], fn: (x, i) => x.mul(x).pick(i) },
  {
    name: "uniformFrom",
    inputs: [real([2, 5]), random.packed([random.key(1), random.foldIn(random.key(2), 7)])],
    fn: (x, keys) => p.uniformFrom(keys, [5]).cast(x.dtype).mul(x),
  },
  {
    name: "gridSample",
    inputs: [real([2, 2, 4, 5]), real([2, 3, 3, 2], -1.3, 1.3)],
    fn: (x, g) => x.gridSample(g),
  },
  {
    name: "gridSample, aligned corners",
    inputs: [real([1, 2, 4, 5]), real([1, 3, 3, 2], -1.3, 1.3)],
    fn: (x, g) => x.gridSample(g, { alignCorners: true }),
  },
];

function conv(name: string, x: Shape, w: Shape, options: p.ConvOptions = {}): Case {
  return { name, inputs: [real(x), real(w)], fn: (a, b) => p.conv2d(a, b, options), float32Only: true };
}

/** Two convolutions with biases, activations and poolings: large enough for layouts of blocked channels. */
function net(name: string, x: Shape, w: Shape, v: Shape, padding: p.ConvOptions["padding"] = 0): Case {
  const layer = (h: Tensor, kernel: Tensor, bias: Tensor) =>
    h
      .conv2d(kernel, { padding })
      .add(bias.reshape([-1, 1, 1]))
      .leakyRelu(0.1)
      .maxPool({ window: 2 });
  return {
    name,
    inputs: [real(x), real(w, -0.3, 0.3), real([w[0]]), real(v, -0.3, 0.3), real([v[0]])],
    fn: (a, w1, b1, w2, b2) => layer(layer(a, w1, b1), w2, b2),
    float32Only: true,
    frozen: true,
  };
}

/** The inputs with their real numbers in another precision. */
export const inputsAs = (inputs: readonly NdArray[], dtype: DType): NdArray[] =>
  inputs.map((x) => (x.dtype === "float64" ? p.array(x.data, { shape: x.shape, dtype }) : x));
