import { createHash } from "node:crypto";
import { adam, cosine, InputError } from "@pliant/core";
import {
  array,
  compile,
  loop,
  NdArray,
  type Replace,
  random,
  type Stored,
  type Tensor,
  valueAndGrad,
  zipTrees,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type ImageSet, loadDataset, strokes } from "../src/index.js";

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
const sizes = { train: 200, test: 50 };

describe("the images", () => {
  test("are the same for a seed, here and on every machine, and others for another", async () => {
    const first = strokes(sizes);
    expect(same(strokes(sizes).train.pixels, first.train.pixels)).toBe(true);
    expect(createHash("sha256").update(first.train.pixels).digest("hex")).toBe(
      "7a57a720089afcaa587c952517122e4182247723e405f40b0ccf4dd7bb79fb92",
    );
    expect(same(strokes({ ...sizes, seed: 1 }).train.pixels, first.train.pixels)).toBe(false);
    expect(same(first.test.pixels, first.train.pixels.subarray(0, first.test.pixels.length))).toBe(false);
    const loaded = await loadDataset("strokes", { seed: 1 });
    expect(loaded.train.shape).toEqual([10_000, 1, 28, 28]);
    expect(same(loaded.test.pixels, strokes({ train: 0, seed: 1 }).test.pixels)).toBe(true);
  });

  test("of a smaller set are a prefix of a larger one", () => {
    const large = strokes({ train: 60, test: 0, seed: 5 }).train;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), (train) => {
        const { pixels, labels } = strokes({ train, test: 0, seed: 5 }).train;
        expect(same(pixels, large.pixels.subarray(0, train * 784))).toBe(true);
        expect(same(labels, large.labels.subarray(0, train))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  test("hold every digit equally often, in an order without a pattern", () => {
    const { labels, classes } = strokes(sizes).train;
    const counts = classes.map((_, digit) => labels.filter((label) => label === digit).length);
    expect(counts).toEqual(Array(10).fill(20));
    expect(labels.slice(0, 10)).not.toEqual(labels.slice(10, 20));
  });

  test("show ink on paper, mostly away from the edge", () => {
    const { pixels } = strokes(sizes).train;
    for (let i = 0; i < sizes.train; i++) {
      const image = pixels.subarray(i * 784, (i + 1) * 784);
      const ink = (keep: (row: number, column: number) => boolean) =>
        image.filter((grey, at) => grey > 128 && keep(Math.floor(at / 28), at % 28)).length;
      const inside = ink((row, column) => Math.min(row, column, 27 - row, 27 - column) >= 2);
      expect(inside).toBeGreaterThan(20);
      expect(inside).toBeGreaterThan(0.8 * ink(() => true));
    }
  });

  test.each([[{ train: -1 }], [{ test: 1.5 }], [{ seed: Number.NaN }]])("%j is refused", (options) => {
    expect(() => strokes(options)).toThrow(InputError);
    expect(() => strokes(options)).toThrow(/is a whole number of at least 0/);
  });
});

describe("trained on 10,000 of them", () => {
  const { train, test: held } = strokes({ seed: 3 });
  const native = onnx();
  afterAll(async () => (await native).close());

  /** The accuracy on the test set of layers with tanh between them, by Adam. */
  async function accuracy(widths: readonly number[], { epochs = 0, rate = 0 }): Promise<number> {
    const backend = await native;
    const batch = 100;
    const steps = (epochs * train.labels.length) / batch;
    const optimizer = adam(cosine(rate, steps));
    const params = widths.slice(1).map((width, i) => {
      const bound = 1 / Math.sqrt(widths[i]);
      const w = random.uniform(random.key(i), [widths[i], width], { low: -bound, high: bound });
      return { w, b: array(Array(width).fill(0)) };
    });
    type Layers = { w: Tensor; b: Tensor }[];
    const logits = (layers: Layers, x: Tensor): Tensor =>
      layers.reduce((y, { w, b }, i) => (i === 0 ? y : y.tanh()).matmul(w).add(b), x);
    const loss = (layers: Layers, x: Tensor, y: Tensor) =>
      logits(layers, x).logSoftmax().pick(y).mean().neg();
    const run = loop(
      (state: { layers: Layers; moments: never }, data: { x: Tensor; y: Tensor }, rows: Tensor) => {
        const { value, gradient } = valueAndGrad(loss)(
          state.layers,
          data.x.gather(rows),
          data.y.gather(rows),
        );
        const { updates, state: moments } = optimizer.update(gradient, state.moments, state.layers);
        const layers = zipTrees((p: Tensor, u: Tensor) => p.add(u), state.layers, updates) as Layers;
        return { state: { layers, moments: moments as never }, record: value };
      },
      { backend },
    );
    const order = Array.from({ length: epochs }, (_, epoch) => [
      ...random.permutation(random.foldIn(random.key(9), epoch), train.labels.length).data,
    ]).flat();
    const rows = new NdArray(Int32Array.from(order), [steps, batch]);
    const { state } = await run(
      { layers: params, moments: optimizer.init(params) as never },
      tensors(train),
      rows,
    );
    const guess = compile((layers: Layers, x: Tensor) => logits(layers, x).argmax(), { backend });
    const { data } = await (await guess(state.layers as Replace<Layers, Stored>, tensors(held).x)).read();
    return held.labels.filter((label, i) => label === data[i]).length / held.labels.length;
  }

  const tensors = ({ pixels, labels }: ImageSet) => ({
    x: new NdArray(
      Float32Array.from(pixels, (grey) => grey / 255),
      [labels.length, 784],
    ),
    y: new NdArray(Int32Array.from(labels), [labels.length]),
  });

  test("a linear model stays under 90%, and hidden units are worth 5 points more", async () => {
    const linear = await accuracy([784, 10], { epochs: 12, rate: 4e-3 });
    expect(linear).toBeLessThan(0.9);
    expect(linear).toBeGreaterThan(0.75);
    expect(await accuracy([784, 128, 10], { epochs: 12, rate: 3e-3 })).toBeGreaterThan(linear + 0.05);
  });
});
