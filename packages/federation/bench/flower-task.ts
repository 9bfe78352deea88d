// Ten sites on MNIST: site c has every tenth image from the c-th on.
import { loadDataset } from "@pliant/data";
import { leaves, NdArray } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { checkSpec, type FederationSpec } from "@pliant/federation";

export const sites = 10;
/** Of each site. */
export const samples = 2000;

export const specOf = (rounds: number, kind: "secure" | "plain"): FederationSpec =>
  checkSpec({
    name: "mnist",
    data: {
      features: Array.from({ length: 784 }, (_, i) => `pixel${i}`),
      label: "digit",
      classes: Array.from({ length: 10 }, (_, i) => String(i)),
    },
    model: { hidden: [128] },
    sites: { number: sites },
    training: { rounds, communicationRounds: 1, rate: 0.1, epochs: 1, batch: 32 },
    sums: { kind, bound: 16 },
  });

type Images = Awaited<ReturnType<typeof loadDataset>>["train"];

function poolAt({ pixels, labels }: Images, rows: readonly number[]): Pool {
  const x = new Float32Array(rows.length * 784);
  for (const [i, row] of rows.entries())
    for (let k = 0; k < 784; k++) x[784 * i + k] = pixels[784 * row + k] / 255;
  return {
    x: new NdArray(x, [rows.length, 784]),
    y: new NdArray(
      Int32Array.from(rows, (row) => labels[row]),
      [rows.length],
    ),
  };
}

export const poolOfSite = async (site: number): Promise<Pool> =>
  poolAt(
    (await loadDataset("mnist")).train,
    Array.from({ length: samples }, (_, i) => sites * i + site),
  );

/** On the test set, of a model with one hidden layer. */
export async function accuracyOf(params: unknown): Promise<number> {
  const { test } = await loadDataset("mnist");
  const { x, y } = poolAt(
    test,
    Array.from({ length: test.labels.length }, (_, i) => i),
  );
  const arrays = leaves(params).map(({ leaf }) => leaf as NdArray);
  const find = (...shape: number[]) => arrays.find((one) => String(one.shape) === String(shape))!.data;
  const [w1, b1, w2, b2] = [find(784, 128), find(128), find(128, 10), find(10)];
  let right = 0;
  for (let row = 0; row < y.size; row++) {
    const hidden = Float64Array.from(b1);
    for (let i = 0; i < 784; i++) {
      const value = x.data[784 * row + i];
      if (value !== 0) for (let j = 0; j < 128; j++) hidden[j] += value * w1[128 * i + j];
    }
    const scores = Float64Array.from(b2);
    for (let j = 0; j < 128; j++)
      for (let k = 0; k < 10; k++) scores[k] += Math.tanh(hidden[j]) * w2[10 * j + k];
    if (scores.indexOf(Math.max(...scores)) === y.data[row]) right++;
  }
  return right / y.size;
}
