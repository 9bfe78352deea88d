// The ratio loss: class weights by its formula, worked out here by hand for a linear model.
import { constant, evaluate, NdArray, reference } from "@pliant/engine";
import { batchLoss } from "@pliant/federated";
import { expect, test } from "vitest";
import { classWeightsOf } from "../src/class-weights.js";
import { storePool } from "../src/evaluation.js";
import { heterogeneous, logistic } from "./problems.js";

const [inputs, classes] = [4, 3];
const { train } = heterogeneous({ sizes: [30], inputs, classes, seed: 8 });

/** G_p = mean of x (softmax − one-hot) over the first samples of class p, at weights W and no bias. */
function pulls(weight: Float64Array, perClass: number): number[][][] {
  return Array.from({ length: classes }, (_, p) => {
    const rows = Array.from(train.y.data.keys())
      .filter((i) => train.y.data[i] === p)
      .slice(0, perClass);
    const total = Array.from({ length: inputs }, () => Array<number>(classes).fill(0));
    for (const row of rows) {
      const x = Array.from({ length: inputs }, (_, i) => train.x.data[row * inputs + i]);
      const logits = Array.from({ length: classes }, (_, k) =>
        x.reduce((sum, v, i) => sum + v * weight[i * classes + k], 0),
      );
      const all = logits.reduce((sum, z) => sum + Math.exp(z), 0);
      for (let i = 0; i < inputs; i++)
        for (let k = 0; k < classes; k++)
          total[i][k] += (x[i] * (Math.exp(logits[k]) / all - Number(k === p))) / rows.length;
    }
    return total;
  });
}

test("the weights follow from how each class pulls on its own outputs, beside the others", async () => {
  const weight = Float64Array.from({ length: inputs * classes }, (_, i) => Math.sin(i + 1) / 3);
  const params = {
    weight: new NdArray(weight, [inputs, classes]),
    bias: new NdArray(new Float64Array(classes), [classes]),
  };
  const backend = reference();
  const weighting = { perClass: 5, strength: 0.1 };
  const find = classWeightsOf(
    logistic(inputs, classes),
    train,
    storePool(train, backend),
    weighting,
    backend,
  );
  const found = await (await find(params)).read();
  const g = pulls(weight, 5);
  for (let p = 0; p < classes; p++) {
    let mean = 0;
    for (let i = 0; i < inputs; i++) {
      const others = g.reduce((sum, matrix) => sum + matrix[i][p], 0) - g[p][i][p];
      mean += ((classes - 1) * g[p][i][p]) / others / inputs;
    }
    expect(found.data[p]).toBeCloseTo(1 + 0.1 * Math.abs(mean), 9);
  }
});

test("a client's loss is the mean weighted by class", () => {
  const column = (values: number[]) => constant(new NdArray(Float64Array.from(values), [values.length]));
  const loss = batchLoss(column([1, 2, 4, 100]), {
    y: constant(new NdArray(Int32Array.of(0, 1, 1, 0), [4])),
    // The last place holds no sample.
    weights: column([1 / 3, 1 / 3, 1 / 3, 0]),
    classes: column([1, 3]),
  });
  expect(evaluate(loss).item()).toBeCloseTo((1 + 3 * 2 + 3 * 4) / 7, 12);
});
