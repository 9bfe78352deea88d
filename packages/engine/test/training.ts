// A small convolutional classifier and Adam, written with the engine alone: what a training step looks like.
import { type DType, full, NdArray, random, type Tensor, valueAndGrad, zipTrees } from "@pliant/engine";

export interface Params<T> {
  conv: T;
  dense: { w: T; b: T };
}

/** All a run needs to go on: parameters, Adam's two moments and the number of steps taken. */
export interface State<T> {
  params: Params<T>;
  mean: Params<T>;
  square: Params<T>;
  steps: T;
}

const classes = 3;
const size = 6;
const rows = 40;
const batch = 8;

const init = (key: random.Key): Params<NdArray> => {
  const [a, b] = random.split(key);
  return {
    conv: random.normal(a, [4, 1, 3, 3], { std: 0.3 }),
    dense: { w: random.normal(b, [4 * 3 * 3, classes], { std: 0.2 }), b: full([classes], 0) },
  };
};

export function start(seed: number): State<NdArray> {
  const params = init(random.key(seed));
  const zeros = (x: NdArray) => full(x.shape, 0);
  const none = (): Params<NdArray> => ({
    conv: zeros(params.conv),
    dense: { w: zeros(params.dense.w), b: zeros(params.dense.b) },
  });
  return { params, mean: none(), square: none(), steps: full([], 0) };
}

/** Images whose class is where their bright half lies, and noise. */
export function examples(seed: number): { images: NdArray; labels: NdArray } {
  const [a, b] = random.split(random.key(seed));
  const labels = random.randint(a, [rows], 0, classes);
  const images = random.normal(b, [rows, 1, size, size]);
  images.data.forEach((v, i) => {
    const column = i % size;
    images.data[i] = v + (Math.floor(column / 2) === labels.data[Math.floor(i / (size * size))] ? 1 : 0);
  });
  return { images, labels };
}

/** The rows of each step's batch; those of step n depend on the seed and n alone. */
export function batches(seed: number, from: number, to: number): { rows: NdArray } {
  const data = new Int32Array((to - from) * batch);
  for (let n = from; n < to; n++) {
    const key = random.foldIn(random.key(seed), n);
    data.set(random.randint(key, [batch], 0, rows).data, (n - from) * batch);
  }
  return { rows: new NdArray(data, [to - from, batch]) };
}

const lossOf = ({ conv, dense }: Params<Tensor>, images: Tensor, labels: Tensor): Tensor => {
  const seen = images.conv2d(conv, { padding: "same" }).leakyRelu().maxPool({ window: 2 });
  return seen.flatten(1).matmul(dense.w).add(dense.b).logSoftmax().pick(labels).mean().neg();
};

/** One step of Adam: m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², θ ← θ − η m̂/(√v̂ + ε). */
export function step(
  { params, mean, square, steps }: State<Tensor>,
  data: { images: Tensor; labels: Tensor },
  slice: { rows: Tensor },
) {
  const [rate, b1, b2, epsilon] = [0.01, 0.9, 0.999, 1e-8];
  const { value, gradient } = valueAndGrad(lossOf)(
    params,
    data.images.gather(slice.rows),
    data.labels.gather(slice.rows),
  );
  const t = steps.add(1);
  const decayed = (b: number) => (m: Tensor, g: Tensor) => m.mul(b).add(g.mul(1 - b));
  const m = zipTrees(decayed(b1), mean, gradient);
  const v = zipTrees((s, g) => decayed(b2)(s, g.mul(g)), square, gradient);
  const unbiased = (x: Tensor, b: number) => x.div(t.mul(Math.log(b)).exp().neg().add(1));
  const next = zipTrees(
    (p, x, s) => p.sub(unbiased(x, b1).mul(rate).div(unbiased(s, b2).sqrt().add(epsilon))),
    params,
    m,
    v,
  );
  return {
    state: { params: next, mean: m, square: v, steps: t },
    record: { loss: value, conv: next.conv },
  };
}

/** A leaf of a tree of arrays as plain text, and back. */
export const encode = ({ data, shape, dtype }: NdArray): unknown => ({
  shape,
  dtype,
  bytes: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64"),
});

export function decode(leaf: unknown): NdArray {
  const { shape, dtype, bytes } = leaf as { shape: number[]; dtype: DType; bytes: string };
  const kinds = { float32: Float32Array, float64: Float64Array, int32: Int32Array, bool: Uint8Array };
  return new NdArray(new kinds[dtype](Uint8Array.from(Buffer.from(bytes, "base64")).buffer), shape, dtype);
}
