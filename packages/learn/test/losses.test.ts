import { array, compile, grad, NdArray, readAll, type Tensor } from "@pliant/engine";
import { binaryCrossEntropy, crossEntropy, hinge, squaredError, weightedMean } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, numbers } from "./backends.js";

const values = async (f: (...xs: Tensor[]) => Tensor, ...xs: NdArray[]): Promise<number[]> => [
  ...(await (await compile(f)(...xs)).read()).data,
];
const close = (actual: number[], expected: number[]): void =>
  actual.forEach((v, i) => {
    expect(v).toBeCloseTo(expected[i], 5);
  });

describe("losses have one value per sample", () => {
  test("crossEntropy is the negative log of the softmax at the label", async () => {
    const logits = numbers(1, [2, 3, 4], { low: -3, high: 3 });
    const labels = array(Int32Array.of(0, 1, 2, 3, 0, 1), { shape: [2, 3] });
    const rows = Array.from({ length: 6 }, (_, i) => [...logits.data.slice(4 * i, 4 * i + 4)]);
    const expected = rows.map(
      (row, i) => Math.log(row.reduce((s, v) => s + Math.exp(v), 0)) - row[labels.data[i]],
    );
    close(await values(crossEntropy, logits, labels), expected);
  });

  test("crossEntropy takes labels that several rows of logits share", async () => {
    const logits = numbers(2, [3, 2, 4]);
    const shared = await values(crossEntropy, logits, array(Int32Array.of(3, 1)));
    const repeated = array(Int32Array.of(3, 1, 3, 1, 3, 1), { shape: [3, 2] });
    close(shared, await values(crossEntropy, logits, repeated));
    expect(shared).toHaveLength(6);
  });

  test("crossEntropy and binaryCrossEntropy stay finite at extreme logits", async () => {
    close(await values(crossEntropy, array([[1000, -1000]]), array(Int32Array.of(1))), [2000]);
    close(await values(binaryCrossEntropy, array([1000, -1000]), array([0, 0])), [1000, 0]);
  });

  test("binaryCrossEntropy takes targets of any dtype", async () => {
    const z = [-2, 0.5, 3];
    const p = z.map((v) => 1 / (1 + Math.exp(-v)));
    const expected = [-Math.log(1 - p[0]), -Math.log(p[1]), -Math.log(p[2])];
    for (const y of [array([0, 1, 1]), array(Int32Array.of(0, 1, 1)), array([false, true, true])])
      close(await values(binaryCrossEntropy, array(z), y), expected);
  });

  test("mismatched shapes are refused instead of broadcast to a table", async () => {
    const column = array([[1], [2], [3]]);
    for (const loss of [binaryCrossEntropy, squaredError, hinge])
      await expect(values(loss, column, array([1, 0, 1]))).rejects.toThrow(
        /: predictions \[3,1\] and targets \[3\] are not one for one; reshape one of them\.$/,
      );
    // A stack of models on the same targets.
    close(
      await values(
        squaredError,
        array([
          [1, 2],
          [3, 4],
        ]),
        array([1, 1]),
      ),
      [0, 1, 4, 9],
    );
  });

  test("squaredError and hinge", async () => {
    close(await values(squaredError, array([1, 2]), array([3, 1])), [4, 1]);
    close(await values(hinge, array([2, 0.5, -1]), array([1, 1, 1])), [0, 0.5, 2]);
    close(await values(hinge, array([2, -0.5]), array(Int32Array.of(-1, -1))), [3, 0.5]);
  });
});

describe("weightedMean", () => {
  test("is the mean of a group when the weights mark it, row by row", async () => {
    const v = array([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const w = array([
      [1, 0, 1],
      [0, 2, 1],
    ]);
    close(await values(weightedMean, v, w), [2, 16 / 3]);
  });

  test("is 0 without gradient for an absent group", async () => {
    const f = (v: Tensor) => weightedMean(v, v.mul(0)).sum();
    const { value, slope } = await readAll(
      await compile((v: Tensor) => ({ value: f(v), slope: grad(f)(v) }))(array([1, 2])),
    );
    expect(value.item()).toBe(0);
    expect([...slope.data]).toEqual([0, 0]);
  });
});

test.each(backends)(
  "on $name every loss and its gradient agree with the reference in float64",
  async (on) => {
    const study = (z: Tensor, labels: Tensor) => {
      const all = (logits: Tensor) => {
        const y = labels.cast(z.dtype);
        const scores = logits.sum({ axis: -1 });
        return crossEntropy(logits, labels)
          .add(binaryCrossEntropy(scores, labels.ge(1)))
          .add(squaredError(scores, y))
          .add(hinge(scores, y.sub(1)));
      };
      return { value: all(z), slope: grad((l: Tensor) => weightedMean(all(l), labels.cast(z.dtype)))(z) };
    };
    const z = numbers(3, [8, 3], { low: -2, high: 2, dtype: "float64" });
    const labels = array(Int32Array.of(0, 1, 2, 0, 2, 1, 1, 0));
    const exact = await readAll(await compile(study)(z, labels));
    const single = new NdArray(Float32Array.from(z.data), z.shape);
    const found = await readAll(await compile(study, { backend: await on.backend() })(single, labels));
    close([...found.value.data], [...exact.value.data]);
    close([...found.slope.data], [...exact.slope.data]);
  },
);
