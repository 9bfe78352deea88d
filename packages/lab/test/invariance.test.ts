// The invariance experiments at small size, on the built-in dataset.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Dataset, strokes, torchStream } from "@pliant/data";
import { compile, NdArray, random, readAll } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { invariance } from "@pliant/lab";
import { stackParams } from "@pliant/learn";
import { afterAll, describe, expect, test } from "vitest";

const {
  folderOf,
  modelOf,
  published,
  recipe,
  rowOf,
  runInvariance,
  seedNumbers,
  training,
  variants,
  withInvariance,
} = invariance;

const backend = await onnx();
afterAll(() => backend.close());
const folder = () => mkdtempSync(join(tmpdir(), "pliant-lab-"));

const request = {
  dataset: "strokes",
  variant: "rotated-180",
  method: "resilient",
  model: "mlp",
  preset: "official",
} as const;

describe("variants", () => {
  /** One bright square, so that where it went can be measured. */
  const square = (n: number): Dataset => {
    const pixels = new Uint8Array(n * 784);
    for (let i = 0; i < n; i++)
      for (let y = 12; y < 16; y++) for (let x = 12; x < 16; x++) pixels[i * 784 + y * 28 + x] = 250;
    const set = { pixels, shape: [n, 1, 28, 28] as const, labels: new Uint8Array(n), classes: ["square"] };
    return { name: "square", train: set, test: set };
  };
  const centre = (pixels: Uint8Array): [number, number] => {
    let [mass, x, y] = [0, 0, 0];
    for (const [i, v] of pixels.entries()) {
      mass += v;
      x += v * (i % 28);
      y += v * Math.floor(i / 28);
    }
    return [x / mass, y / mass];
  };

  test("the original loses no more than a grey level, and pixels of both sets are transformed", () => {
    const set = strokes({ train: 50, test: 20, seed: 1 });
    const same = withInvariance(set, "original");
    const loss = set.train.pixels.map((v, i) => Math.abs(v - same.train.pixels[i]));
    expect(loss.every((d) => d <= 1)).toBe(true);
    const rotated = withInvariance(set, "rotated-90");
    expect(rotated.train.pixels).not.toEqual(set.train.pixels);
    expect(rotated.test.pixels).not.toEqual(set.test.pixels);
    expect(rotated.train.labels).toEqual(set.train.labels);
  });

  test("translated images move by the torch stream's numbers, of seed 1 in training and 0 in test", () => {
    const n = 40;
    const { train, test: held } = withInvariance(square(n), "translated");
    for (const [set, seed] of [
      [train, 1],
      [held, 0],
    ] as const) {
      const stream = torchStream(seed);
      const [dx, dy] = [stream.uniform(n, -1, 1), stream.uniform(n, -1, 1)];
      for (let i = 0; i < n; i++) {
        const [x, y] = centre(set.pixels.subarray(i * 784, (i + 1) * 784));
        // What is seen moves against the coordinates, by up to 13.5·8/14 pixels.
        expect(x).toBeCloseTo(13.5 - (dx[i] * 13.5 * 8) / 14, 0);
        expect(y).toBeCloseTo(13.5 - (dy[i] * 13.5 * 8) / 14, 0);
      }
    }
  });

  test("scaled images shrink and grow by up to 2", () => {
    const areas = Array.from({ length: 30 }, (_, i) => {
      const { pixels } = withInvariance(square(30), "scaled").train;
      return pixels.subarray(i * 784, (i + 1) * 784).reduce((a, b) => a + b / 250, 0);
    });
    const factors = torchStream(1).uniform(30, -1, 1);
    for (const [i, area] of areas.entries()) expect(area / 16).toBeCloseTo(4 ** -factors[i], 0);
  });
});

describe("recipes", () => {
  test("the official preset is the published code's, the corrected one the method as described", () => {
    expect(recipe(request)).toMatchObject({
      epochs: 1000,
      batch: 1000,
      rate: 0.005,
      decay: 1e-4,
      clip: 1,
      level: 0.1,
      alpha: 0.5,
      dualRate: 5e-4,
      relaxationRate: 1,
      samples: 2,
      chain: "batch",
      mixedCorners: true,
      shift: 0.5,
    });
    expect(recipe({ ...request, preset: "corrected" })).toMatchObject({
      chain: "sample",
      mixedCorners: false,
    });
    expect(recipe({ ...request, method: "unconstrained" }).clip).toBeUndefined();
    expect(recipe({ ...request, method: "unconstrained", preset: "corrected" }).clip).toBe(1);
    expect(recipe({ ...request, dataset: "mnist", variant: "original" }).alpha).toBe(1);
  });

  test("every cell of the paper's tables is at hand", () => {
    expect(published("mnist", "resilient", "translated")).toEqual({ mean: 95.21, std: 0.15 });
    for (const dataset of ["mnist", "fashion-mnist"] as const)
      for (const variant of variants) expect(published(dataset, "constrained", variant)).toBeDefined();
  });
});

test.each(invariance.methods)(
  "a stack of models takes the steps each would take alone: %s",
  async (method) => {
    const wanted = recipe({ ...request, method, epochs: 10, preset: "corrected" });
    const model = modelOf(wanted);
    const { train } = strokes({ train: 60, test: 10, seed: 2 });
    const data = {
      images: new NdArray(
        Float32Array.from(train.pixels, (p) => p / 255),
        train.shape,
      ),
      labels: new NdArray(Int32Array.from(train.labels), [60]),
    };
    const seeds = [3, 4].map((seed) => seedNumbers(seed, "corrected", model, 60));
    const { init, step } = training(wanted, 1);
    const run = compile(step as never, { backend }) as unknown as (...args: unknown[]) => Promise<object>;
    const rows = seeds.map((seed) => seed.nextOrder());
    const slice = (which: readonly number[]) => ({
      rows: new NdArray(Int32Array.from(which.flatMap((i) => [...rows[i]])), [which.length, 60]),
      keys: random.packed(which.map((i) => seeds[i].stepKey(0))),
    });
    const after = async (which: readonly number[]) => {
      const start = init(which.map((i) => seeds[i].params));
      const first = (await readAll(await run(start, data, slice(which)))) as { state: typeof start };
      return ((await readAll(await run(first.state, data, slice(which)))) as { state: typeof start }).state;
    };
    const together = await after([0, 1]);
    const alone = [await after([0]), await after([1])];
    // Each alone is a stack of one: side by side they are the stack of two, but for that axis.
    const joined = stackParams(alone.map(({ params }) => params.model));
    for (const [layer, { weight }] of together.params.model.entries()) {
      const gaps = Array.from(weight.data, (v, i) => Math.abs(v - joined[layer].weight.data[i]));
      expect(gaps.reduce((a, b) => Math.max(a, b), 0)).toBeLessThan(1e-5);
    }
    const prices = alone.flatMap((state) => state.prices.flatMap((p) => [...p.data]));
    expect(together.prices.flatMap((p) => [...p.data])).toEqual(prices.map((v) => expect.closeTo(v, 4)));
  },
);

describe("a run", () => {
  const small = recipe({ ...request, epochs: 6, subset: 200 });

  test("stopped in the middle goes on to the same result", async () => {
    const [whole, cut] = [folder(), folder()];
    const options = { backend, checkpointEvery: 0 };
    const [wanted] = await runInvariance([small], [1], { ...options, out: whole });
    let shown = 0;
    const stop = {
      show: () => {
        if (++shown === 3) throw new Error("pulled the plug");
      },
      end: () => {},
    };
    await expect(runInvariance([small], [1], { ...options, out: cut, progress: stop })).rejects.toThrow(
      "plug",
    );
    const [resumed] = await runInvariance([small], [1], { ...options, out: cut, resume: true });
    expect(resumed).toEqual(wanted);
    const metrics = (out: string) =>
      readFileSync(join(folderOf(out, small, [1]), "metrics.jsonl"), "utf8").replace(/"time":"[^"]*"/g, "");
    expect(metrics(cut)).toBe(metrics(whole));
    // Finished, it is taken as it is.
    const again = await runInvariance([small], [1], { ...options, out: cut, resume: true });
    expect(again[0]).toEqual(wanted);
  });

  test("is not gone on with under another recipe", async () => {
    const out = folder();
    await runInvariance([{ ...small, epochs: 1 }], [1], { backend, out });
    await expect(runInvariance([small], [1], { backend, out, resume: true })).rejects.toThrow(
      /was of another recipe; give another --out/,
    );
  });

  test("of more images than there are is refused", async () => {
    await expect(
      runInvariance([{ ...small, subset: 10_001 }], [1], { backend, out: folder() }),
    ).rejects.toThrow("--subset 10001 is more than the 10000 training images of strokes.");
  });

  test.each(["official", "corrected"] as const)(
    "ends at the equilibrium u = λ/α, preset %s",
    async (preset) => {
      const wanted = recipe({ ...request, preset, epochs: 60, subset: 150 });
      const [{ seeds }] = await runInvariance([wanted], [1], { backend, out: folder() });
      for (const { relaxation, price } of Object.values(seeds[0].requirements)) {
        expect(price).toBeGreaterThan(0.05);
        expect(Math.abs(wanted.alpha * relaxation - price)).toBeLessThan(0.05 * price);
      }
      const row = rowOf(wanted, seeds);
      expect(row).toMatchObject({
        dataset: "strokes",
        variant: "rotated-180",
        method: "resilient",
        seeds: [1],
      });
      expect(row.requirements.rotation?.level).toBe(0.1);
    },
  );
});
