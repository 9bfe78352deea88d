import { InputError } from "@pliant/core";
import { compile, grad, leaves, mapTree, NdArray, random, readAll, type Tensor } from "@pliant/engine";
import {
  type Affine,
  conv2d,
  convnet,
  crossEntropy,
  type Draws,
  dense,
  keyed,
  lenet,
  type Model,
  mlp,
  type Params,
  stackParams,
  unstackParams,
} from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, distance, doubles, numbers } from "./backends.js";

const key = random.key(7);

const count = (params: unknown): number =>
  leaves(params).reduce((n, { leaf }) => n + (leaf as NdArray).size, 0);

/** Draws 0, 1, 2, … and keeps what it was asked for. */
function recording(): Draws & { asked: { shape: readonly number[]; low: number; high: number }[] } {
  const asked: { shape: readonly number[]; low: number; high: number }[] = [];
  let next = 0;
  return {
    asked,
    uniform: (shape, low, high) => {
      asked.push({ shape, low, high });
      const size = shape.reduce((n, d) => n * d, 1);
      return new NdArray(
        Float32Array.from({ length: size }, () => next++),
        shape,
      );
    },
  };
}

describe("the paper's models have its parameter counts", () => {
  test.each<[string, Model<Params>, number]>([
    ["mlp 784-1000-10", mlp({ inputs: 784, hidden: [1000], outputs: 10 }), 795_010],
    ["mlp 784-128-128-10", mlp({ inputs: 784, hidden: [128, 128], outputs: 10 }), 118_282],
    ["lenet", lenet(), 60_170],
    ["convnet 3×32×32", convnet({ channels: 3, size: 32 }), 797_962],
    ["convnet 1×28×28", convnet({ channels: 1, size: 28 }), 573_578],
  ])("%s", (_, model, parameters) => {
    expect(count(model.init(keyed(key)))).toBe(parameters);
  });
});

describe("initial parameters", () => {
  test("are drawn layer by layer, weight then bias, within ±1/√fan-in", () => {
    const draws = recording();
    lenet().init(draws);
    expect(draws.asked.map(({ shape }) => shape)).toEqual([
      [6, 1, 5, 5],
      [6],
      [16, 6, 3, 3],
      [16],
      [120, 16, 5, 5],
      [120],
      [84, 120],
      [84],
      [10, 84],
      [10],
    ]);
    const bounds = [25, 54, 400, 120, 84].flatMap((fan) => [1 / Math.sqrt(fan), 1 / Math.sqrt(fan)]);
    expect(draws.asked.map(({ high }) => high)).toEqual(bounds);
    expect(draws.asked.map(({ low }) => low)).toEqual(bounds.map((b) => -b));
  });

  test("are drawn in [out, in] order by a dense layer, and stored as [in, out]", () => {
    const { weight, bias } = dense({ inputs: 3, outputs: 2 }).init(recording());
    expect(weight.toNested()).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
    expect(bias.toNested()).toEqual([6, 7]);
  });

  test("are drawn in storage order by a convolution", () => {
    const { weight } = conv2d({ channels: 2, filters: 3, kernel: 2 }).init(recording());
    expect([...weight.data]).toEqual(Array.from({ length: 24 }, (_, i) => i));
  });

  test.each([
    ["glorot", Math.sqrt(6 / (50 + 30))],
    ["he", Math.sqrt(6 / 50)],
  ] as const)("by %s reach to their bound and start with zero biases", (initialiser, bound) => {
    const { weight, bias } = dense({ inputs: 50, outputs: 30, initialiser }).init(keyed(key));
    const reach = Math.max(...Array.from(weight.data, Math.abs));
    expect(reach).toBeLessThan(bound);
    expect(reach).toBeGreaterThan(0.98 * bound);
    expect(bias.data.every((v) => v === 0)).toBe(true);
  });

  test("depend only on the key, and differ between layers", () => {
    const model = mlp({ inputs: 4, hidden: [4], outputs: 4 });
    const [a, b] = [model.init(keyed(key)), model.init(keyed(key))];
    expect(a).toEqual(b);
    expect(distance(a[0].weight, a[1].weight)).toBeGreaterThan(0.1);
  });
});

describe("mistakes are reported in one sentence", () => {
  test("an unknown activation or initialiser", () => {
    const wrong = "leakyrelu" as "leakyRelu";
    expect(() => mlp({ inputs: 2, hidden: [2], outputs: 2, activation: wrong })).toThrow(
      '"leakyrelu" is not an activation; did you mean "leakyRelu"?',
    );
    const layer = dense({ inputs: 2, outputs: 2, initialiser: "xavier" as "he" });
    expect(() => layer.init(keyed(key))).toThrow('"xavier" is not an initialiser');
  });

  test("images of the wrong size", async () => {
    const model = mlp({ inputs: 784, hidden: [2], outputs: 2 });
    await expect(compile(model.apply)(model.init(keyed(key)), numbers(1, [2, 1, 27, 28]))).rejects.toThrow(
      "needs rows of 784 or images of as many pixels, got [2,1,27,28]",
    );
    expect(() => convnet({ channels: 1, size: 15 })).toThrow(InputError);
  });

  test("stacking incompatible models", () => {
    const narrow = mlp({ inputs: 2, hidden: [3], outputs: 2 }).init(keyed(key));
    const wide = mlp({ inputs: 2, hidden: [4], outputs: 2 }).init(keyed(key));
    expect(() => stackParams([narrow, wide])).toThrow("entry 1 differs from the first at [0].bias");
    expect(() => stackParams([])).toThrow(InputError);
  });
});

describe("a convolution of a stack", () => {
  const layer = (kernel: number, padding?: number) =>
    conv2d({ channels: 2, filters: 3, kernel, ...(padding !== undefined && { padding }) });

  test.each([
    ["images that several models read", layer(3, 1), 2],
    ["a kernel as large as its images", layer(4), 4],
    ["a kernel as large as images that several models read", layer(4), 2],
  ])("gives what each model gives by itself: %s", async (_, { init, apply }, images) => {
    const models = Array.from({ length: 4 }, (__, i) => init(keyed(random.foldIn(key, i))));
    const x = numbers(5, [images, 5, 2, 4, 4]);
    const each = models.map((model, i) =>
      compile(apply)(
        model,
        new NdArray(x.data.slice((i % images) * 160, ((i % images) + 1) * 160), [5, 2, 4, 4]),
      ),
    );
    const wanted = (await Promise.all((await Promise.all(each)).map((r) => r.read()))).flatMap(({ data }) => [
      ...data,
    ]);
    const { data, shape } = await (await compile(apply)(stackParams(models), x)).read();
    expect(shape.slice(0, 3)).toEqual([4, 5, 3]);
    expect(Math.max(...wanted.map((value, i) => Math.abs(value - data[i])))).toBeLessThan(1e-6);
  });
});

test("unstackParams undoes stackParams", () => {
  const model = mlp({ inputs: 3, hidden: [4], outputs: 2 });
  const list = [1, 2, 3].map((seed) => model.init(keyed(random.key(seed))));
  const stacked = stackParams(list);
  expect(stacked[0].weight.shape).toEqual([3, 3, 4]);
  expect(unstackParams(stacked)).toEqual(list);
});

test("mlp treats images like flattened rows", async () => {
  const model = mlp({ inputs: 12, hidden: [5], outputs: 3 });
  const params = model.init(keyed(key));
  const run = compile(model.apply);
  const images = numbers(2, [4, 3, 2, 2]);
  const fromImages = await (await run(params, images)).read();
  const fromRows = await (await run(params, new NdArray(images.data, [4, 12]))).read();
  expect(fromImages.shape).toEqual([4, 3]);
  expect(fromImages).toEqual(fromRows);
});

const models: { model: Model<Params>; image: number[] }[] = [
  { model: mlp({ inputs: 18, hidden: [7, 5], outputs: 4, activation: "leakyRelu" }), image: [2, 3, 3] },
  { model: lenet({ outputs: 4 }), image: [1, 28, 28] },
  { model: convnet({ channels: 2, size: 18, outputs: 4, filters: 3, hidden: [6] }), image: [2, 18, 18] },
];

/** Logits, and the gradients of the sum of the models' mean losses. */
const study = (model: Model<Params>) => (params: Affine<Tensor>[], x: Tensor, y: Tensor) => ({
  logits: model.apply(params, x),
  gradient: grad((p: Affine<Tensor>[]) => crossEntropy(model.apply(p, x), y).mean({ axis: -1 }).sum())(
    params,
  ),
});

describe.each(backends)("on $name", ({ name, backend }) => {
  describe.each(models)("$model.name", ({ model, image }) => {
    const dtypes = name === "reference" ? (["float32", "float64"] as const) : (["float32"] as const);
    test.each(dtypes)(
      "stacked gives the outputs and gradients of the single models, in %s",
      async (dtype) => {
        const own = <T>(tree: T): T => (dtype === "float64" ? (mapTree(tree, doubles) as T) : tree);
        const run = compile(study(model), { backend: await backend() });
        const seeds = [1, 2, 3];
        const params = seeds.map((seed) => own(model.init(keyed(random.key(seed)))) as Affine<NdArray>[]);
        const images = seeds.map((seed) => own(numbers(seed, [5, ...image])));
        const labels = seeds.map((seed) => random.randint(random.key(seed), [5], 0, 4));
        const together = await readAll(
          await run(stackParams(params), stackParams(images), stackParams(labels)),
        );
        const apart = unstackParams(together);
        for (const i of seeds.keys()) {
          const single = await readAll(await run(params[i], images[i], labels[i]));
          const pairs = leaves(single).map(({ leaf }, k) => [leaf, leaves(apart[i])[k].leaf] as NdArray[]);
          for (const [a, b] of pairs) expect(distance(a, b)).toBeLessThan(dtype === "float64" ? 1e-13 : 2e-6);
        }
      },
    );

    test("several models on shared inputs agree with each on its own copy", async () => {
      const run = compile(study(model), { backend: await backend() });
      const params = [1, 2, 3, 4, 5, 6].map(
        (seed) => model.init(keyed(random.key(seed))) as Affine<NdArray>[],
      );
      const images = [1, 2].map((seed) => numbers(seed, [5, ...image]));
      const labels = [1, 2].map((seed) => random.randint(random.key(seed), [5], 0, 4));
      const each = [0, 1, 0, 1, 0, 1];
      const every = stackParams(each.map((i) => labels[i]));
      const shared = await readAll(await run(stackParams(params), stackParams(images), every));
      const own = await readAll(
        await run(stackParams(params), stackParams(each.map((i) => images[i])), every),
      );
      const pairs = leaves(shared).map(({ leaf }, k) => [leaf, leaves(own)[k].leaf] as NdArray[]);
      for (const [a, b] of pairs) expect(distance(a, b)).toBeLessThan(2e-6);
    });

    test("takes any number of sample axes", async () => {
      const run = compile(model.apply, { backend: await backend() });
      const params = model.init(keyed(key)) as Affine<NdArray>[];
      const images = numbers(3, [6, ...image]);
      const flat = await (await run(params, images)).read();
      const nested = await (await run(params, new NdArray(images.data, [2, 3, ...image]))).read();
      expect(nested.shape).toEqual([2, 3, 4]);
      expect(distance(new NdArray(nested.data, [6, 4]), flat)).toBeLessThan(1e-6);
    });
  });
});
