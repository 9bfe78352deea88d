// Functions of rows that a model can be made of, with the shapes of their inputs: named axes are dynamic, and those not
// called "batch" may be mixed.
import * as p from "@pliant/engine";
import { array, type ExportInput, type Tensor } from "@pliant/engine";
import { inputsAs, real } from "./operations.js";

export type Shapes = Record<string, ExportInput>;
export type Model = (inputs: Record<string, Tensor>) => Record<string, Tensor>;

const [projection, table, kernel] = inputsAs([real([6, 6]), real([7, 4]), real([3, 1, 3, 3])], "float32");

export const models: Record<string, [Shapes, Model]> = {
  "soft-max over features": [
    { x: { shape: ["batch", 5] } },
    ({ x }) => ({ y: x.softmax(), z: x.logSumExp({ axis: 1 }) }),
  ],
  "normalised features": [
    { x: { shape: ["batch", 5] } },
    ({ x }) => {
      const centred = x.sub(x.mean({ axis: 1, keepDims: true }));
      return { y: centred.div(centred.mul(centred).mean({ axis: 1, keepDims: true }).add(1e-5).sqrt()) };
    },
  ],
  "attention within a row": [
    { x: { shape: ["batch", 4, 6] } },
    ({ x }) => ({
      y: x
        .matmul(x.transpose([0, 2, 1]))
        .mul(0.4)
        .softmax()
        .matmul(x),
    }),
  ],
  "attention over tokens": [
    { x: { shape: ["batch", "tokens", 6] } },
    ({ x }) => {
      const heads = x.matmul(projection).reshape([x.shape[0], x.shape[1], 2, 3]).transpose([0, 2, 1, 3]);
      const mixed = heads
        .matmul(heads.transpose([0, 1, 3, 2]))
        .softmax()
        .matmul(heads);
      return { y: mixed.transpose([0, 2, 1, 3]).reshape(x.shape).mean({ axis: 1 }) };
    },
  ],
  "queries and keys": [
    { q: { shape: ["queries", 3] }, k: { shape: ["keys", 3] } },
    ({ q, k }) => ({ y: q.matmul(k.transpose()).softmax().matmul(k) }),
  ],
  "features side by side": [
    { a: { shape: ["batch", 2] }, b: { shape: ["batch", 3] } },
    ({ a, b }) => ({ y: p.concat([a, b.mul(2), p.broadcastTo(array([1, 2]), [a.shape[0], 2])], 1) }),
  ],
  "one number a row, spread": [
    { x: { shape: ["batch", 4] }, scale: { shape: ["batch"] } },
    ({ x, scale }) => ({ y: scale.expandDims(1).broadcastTo(x.shape), z: x.mul(scale.expandDims(1)) }),
  ],
  "one number for all, spread": [
    { x: { shape: ["batch", 4] }, t: { shape: [] } },
    ({ x, t }) => ({ y: x.mul(t), z: t.broadcastTo(x.shape) }),
  ],
  embedding: [
    { token: { shape: ["batch", 3], dtype: "int32" } },
    ({ token }) => ({ y: p.gather(table, token).flatten(1) }),
  ],
  "the labels' entries": [
    { x: { shape: ["batch", 3] }, label: { shape: ["batch"], dtype: "int32" } },
    ({ x, label }) => ({ y: x.pick(label), z: x.logSoftmax().pick(label).neg() }),
  ],
  "the labels' entries, one class": [
    { x: { shape: ["batch", 1] }, label: { shape: ["batch"], dtype: "int32" } },
    ({ x, label }) => ({ y: x.pick(label) }),
  ],
  "entries of tokens": [
    { x: { shape: ["batch", "tokens", 3] }, label: { shape: ["batch", "tokens"], dtype: "int32" } },
    ({ x, label }) => ({ y: x.pick(label).sum({ axis: 1 }) }),
  ],
  "one-hot and the best class": [
    { x: { shape: ["batch", 3] }, label: { shape: ["batch"], dtype: "int32" } },
    ({ x, label }) => ({ y: label.oneHot(3).mul(x), best: x.argmax(), right: x.argmax().eq(label) }),
  ],
  "images sampled at points": [
    { x: { shape: ["batch", 2, 4, 5] }, grid: { shape: ["batch", 3, 3, 2] } },
    ({ x, grid }) => ({ y: x.gridSample(grid.mul(0.5)) }),
  ],
  "a state that starts from zeros": [
    { x: { shape: ["batch", 3, 4] } },
    ({ x }) => {
      let state: Tensor = p.add(p.full([x.shape[0], 4], 0.5), 0);
      for (let t = 0; t < 3; t++) {
        const now = x.slice([[], [t, t + 1]]).reshape([x.shape[0], 4]);
        state = state.mul(0.5).add(now).tanh();
      }
      return { y: state };
    },
  ],
  "pooling by a convolution": [
    { x: { shape: ["batch", 2, 7, 7] } },
    ({ x }) => ({ y: x.avgPool({ window: 3, stride: 2, padding: 1 }), z: x.avgPool({ window: 7 }) }),
  ],
  "images of any size": [
    { x: { shape: ["batch", 1, "height", "width"] } },
    ({ x }) => ({
      y: x
        .conv2d(kernel, { padding: "same" })
        .relu()
        .maxPool({ window: 2 })
        .max({ axis: [2, 3] }),
    }),
  ],
  "rows that are cut, turned and added up": [
    { x: { shape: ["rows", 3] } },
    ({ x }) => ({
      most: x.slice([[1, -1]]),
      turned: x.flip(0),
      twice: p.concat([x, x.mul(2)], 0),
      longer: x.pad([
        [1, 2],
        [0, 0],
      ]),
      mean: x.mean({ axis: 0 }),
      gram: x.transpose().matmul(x),
      running: x.cumsum(0),
    }),
  ],
  "an input as it is": [{ x: { shape: ["batch", 2] } }, ({ x }) => ({ same: x, again: x, double: x.add(x) })],
  "names like those inside": [
    { v0: { shape: ["batch", 2] } },
    ({ v0 }) => ({ v1: v0.exp(), v2: v0.exp().neg() }),
  ],
};
