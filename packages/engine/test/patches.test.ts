// Narrow convolutions in a loop as products over patches made before it: the numbers of the convolution, and none of it left.
import {
  leaves,
  loop,
  NdArray,
  random,
  readAll,
  type Shape,
  type Stored,
  type Tensor,
  valueAndGrad,
} from "@pliant/engine";
import { xla } from "@pliant/engine/xla";
import { afterAll, describe, expect, test } from "vitest";
import type { StepProgram } from "../src/backend.js";
import { executableFor, trace } from "../src/compile.js";
import { topological } from "../src/graph.js";
import type { ConvOptions } from "../src/ops/index.js";
import { isUnfold } from "../src/ops/unfold.js";
import { rebuild } from "../src/passes.js";
import { reference } from "../src/reference/index.js";
import { input } from "../src/tensor.js";
import { toStableHloLoop } from "../src/xla/emit.js";
import { onlyInProducts } from "../src/xla/narrow.js";
import { anchorOp } from "../src/xla/order.js";
import { hoistWithPatches } from "../src/xla/patches.js";

interface Setting {
  name: string;
  image: Shape;
  kernel: Shape;
  options?: ConvOptions;
  pool?: number | [number, number];
  /** Rows of the pool that batches are gathered from; without it the batch is the data. */
  rows?: number;
  /** Whether each step has other images. */
  changing?: true;
}

const settings: Setting[] = [
  { name: "one model, pooled", image: [4, 3, 12, 12], kernel: [8, 3, 5, 5], pool: 2 },
  { name: "a stack, pooled", image: [3, 4, 3, 12, 12], kernel: [3, 8, 3, 5, 5], pool: 2 },
  {
    name: "one channel, padding",
    image: [4, 1, 8, 8],
    kernel: [4, 1, 5, 5],
    options: { padding: 2 },
    pool: 2,
  },
  {
    name: "stride",
    image: [2, 2, 12, 16],
    kernel: [4, 2, 3, 3],
    options: { stride: [2, 3], padding: [1, 2] },
    pool: [2, 3],
  },
  { name: "groups", image: [2, 4, 9, 9], kernel: [6, 2, 2, 2], options: { groups: 2 }, pool: 2 },
  { name: "windows of 3", image: [2, 2, 11, 11], kernel: [4, 2, 3, 3], pool: 3 },
  { name: "a pooling that leaves a rest", image: [2, 2, 9, 9], kernel: [4, 2, 3, 3], pool: 2 },
  { name: "no pooling", image: [2, 2, 7, 7], kernel: [4, 2, 3, 3] },
  { name: "rows gathered", image: [4, 3, 10, 10], kernel: [8, 3, 3, 3], pool: 2, rows: 11 },
  { name: "rows gathered for a stack", image: [3, 4, 3, 10, 10], kernel: [3, 8, 3, 3, 3], pool: 2, rows: 11 },
];

/** Left as convolutions, or without phases. */
const others: Setting[] = [
  { name: "dilation", image: [2, 2, 12, 12], kernel: [4, 2, 3, 3], options: { dilation: 2 }, pool: 2 },
  { name: "windows of 4", image: [2, 2, 14, 14], kernel: [4, 2, 3, 3], pool: 4 },
  { name: "many channels", image: [2, 9, 8, 8], kernel: [4, 9, 3, 3], pool: 2 },
];

/** Images that are others at every step: their patches are read in it. */
const changing: Setting[] = settings
  .filter(({ rows }) => !rows)
  .map((setting) => ({ ...setting, name: `${setting.name}, other images at every step`, changing: true }));

type State = { w: Tensor; b: Tensor };
type Batch = { images: Tensor; weights: Tensor };

const key = random.key(7);
const steps = 3;

/** A loss that weighs every element of the result differently. */
function stepOf({ kernel, options, pool, rows, changing }: Setting) {
  const lead = kernel.slice(0, -4);
  const channels = [...lead, ...lead.map(() => 1), kernel[lead.length], 1, 1];
  return (state: State, { images, weights }: Batch, at: Tensor) => {
    const x = rows ? images.gather(at) : changing ? images.mul(at.cast("float32")) : images;
    const { value, gradient } = valueAndGrad(({ w, b }: State) => {
      const y = x.conv2d(w, options).add(b.reshape(channels)).leakyRelu(0.5);
      const z = pool ? y.maxPool({ window: pool }) : y;
      return z.mul(weights.slice(z.shape.map((d) => [0, d]))).sum();
    })(state);
    return { state, record: { loss: value, gradient } };
  };
}

/** What the pooling behind the first setting's convolution gives, of images as they are or others at every step. */
const seenBy =
  (changing: boolean) =>
  (state: State, { images }: Batch, at: Tensor) => ({
    state,
    record: (changing ? images.mul(at.cast("float32")) : images).conv2d(state.w).maxPool({ window: 2 }),
  });

/** Small whole numbers, so that no sum is rounded, in whatever order, and equal maxima are many. */
const whole = (seed: number, shape: Shape): NdArray =>
  new NdArray(Float32Array.from(random.randint(random.foldIn(key, seed), shape, -2, 3).data), shape);

function inputsOf({ image, kernel, rows }: Setting) {
  const lead = kernel.slice(0, -4);
  const filters = kernel[lead.length];
  const state = { w: whole(1, kernel), b: whole(2, [...lead, filters]) };
  const images = whole(3, rows ? [rows, ...image.slice(-3)] : image);
  const weights = whole(4, [...image.slice(0, -3), filters, ...image.slice(-2)]);
  const at = rows
    ? random.randint(random.foldIn(key, 5), [steps, ...image.slice(0, -3)], 0, rows)
    : new NdArray(Int32Array.of(1, -1, 2), [steps]);
  return [state, { images, weights }, at] as const;
}

/** The step as a program of the arrays w, b, images, weights and at. */
function programOf(setting: Setting): StepProgram {
  const [state, data, at] = inputsOf(setting);
  const slice = input("at", { shape: at.shape.slice(1), dtype: at.dtype });
  const { program } = trace(
    (s: never, d: never, i: never) => {
      const { state: next, record } = stepOf(setting)(s, d, i);
      return [next, record];
    },
    [state, data, slice],
  );
  return { ...program, states: 2, constants: 2 };
}

const plenty = 2 ** 30;
const isOfPatches = (node: Tensor): boolean => topological([node]).some(isUnfold);

test.each(settings)("no narrow convolution is left in the loop: $name", (setting) => {
  const { before, step } = hoistWithPatches(programOf(setting), plenty);
  expect(toStableHloLoop(step, steps)).not.toContain("stablehlo.convolution");
  expect(before.outputs.filter(isOfPatches)).toHaveLength(1);
});

test.each(changing)("nor where images change: $name", (setting) => {
  const { before, step } = hoistWithPatches(programOf(setting), plenty);
  expect(toStableHloLoop(step, steps)).not.toContain("stablehlo.convolution");
  expect(before.outputs.filter(isOfPatches)).toHaveLength(0);
});

test("in bf16, patches have the memory layout of products unless another operation reads them too", () => {
  const { before, step } = hoistWithPatches(programOf(settings[1]), plenty);
  const { inputs, outputs, states } = step;
  const at = 2 + before.outputs.findIndex(isOfPatches);
  expect([...onlyInProducts(step, 2)]).toEqual([at]);
  const both = { ...step, outputs: [...outputs, inputs[states + at].add(1)] };
  expect([...onlyInProducts(both, 2)]).toEqual([]);
  expect(toStableHloLoop(step, steps, "bf16", new Set([at]))).toContain(
    `%arg${states + at}: tensor<3x4x4x4x112xbf16>`,
  );
});

test.each([settings[0], changing[0]])(
  "a convolution stays one where its patches would not fit: $name",
  (setting) => {
    const { before, step } = hoistWithPatches(programOf(setting), 1000);
    expect(toStableHloLoop(step, steps)).toContain("stablehlo.convolution");
    expect(before.outputs.some(isOfPatches)).toBe(false);
  },
);

test("pooling is a maximum over the phases, and nothing of the size of the convolution is moved", () => {
  const { step } = hoistWithPatches(programOf(settings[1]), plenty);
  const text = toStableHloLoop(step, steps);
  // 3 models, 4 images, 4 × 4 places of 2 × 2 phases, 8 filters.
  const size = 3 * 4 * 64 * 8;
  const moved = [...text.matchAll(/"stablehlo.transpose".*-> tensor<([\dx]+)x/g)].map(([, shape]) =>
    shape.split("x").reduce((n, d) => n * Number(d), 1),
  );
  expect(moved.length).toBeGreaterThan(0);
  expect(moved).not.toContain(size);
  expect(text).toMatch(/tensor<3x4x4x4x2x2x8xf32>/);
});

describe("a second layer, which also needs the gradient of its images", () => {
  interface Second {
    name: string;
    stack: number[];
    kernel: number;
    padding: number;
    /** Whether the gradient of its images is a product too. */
    products: boolean;
  }
  const seconds: Second[] = [
    { name: "one model", stack: [], kernel: 5, padding: 0, products: true },
    { name: "a stack", stack: [3], kernel: 5, padding: 0, products: true },
    { name: "padding", stack: [2], kernel: 3, padding: 1, products: true },
    { name: "windows that share part of a cell", stack: [2], kernel: 4, padding: 0, products: false },
  ];

  /** 16 × 16 pixels, six filters and a pooling; then four filters over the six and a pooling that leaves no rest. */
  function programAndInputs({ stack, kernel, padding }: Second): [StepProgram, NdArray[]] {
    const shapes = [
      [...stack, 6, 1, 5, 5],
      [...stack, 4, 6, kernel, kernel],
      [...stack, 2, 1, 16, 16],
    ];
    const arrays = shapes.map((shape, i) => whole(11 + i, shape));
    const at = new NdArray(Int32Array.of(1), []);
    const { program } = trace(
      ((first: Tensor, second: Tensor, images: Tensor, i: Tensor) => {
        const { value, gradient } = valueAndGrad(({ w, v }: { w: Tensor; v: Tensor }) => {
          const y = images
            .conv2d(w, { padding: kernel === 4 ? 1 : 2 })
            .leakyRelu(0.5)
            .maxPool({ window: 2 });
          return y.conv2d(v, { padding }).leakyRelu(0.5).maxPool({ window: 2 }).sum();
        })({ w: first, v: second });
        return [first, second, value.add(i.cast("float32")), gradient];
      }) as never,
      [...arrays, input("at", at)],
    );
    return [{ ...program, states: 2, constants: 1 }, [...arrays, at]];
  }

  test.each(seconds)("the numbers are the convolution's, in the reference: $name", async (second) => {
    const [step, inputs] = programAndInputs(second);
    const run = async (program: Parameters<typeof executableFor>[0], given: Stored[]) =>
      Promise.all(
        (await (await executableFor(program, reference())).executable.run(given)).map((r) => r.read()),
      );
    const { before, reads, step: rest } = hoistWithPatches(step, plenty);
    const kept = await run(
      before,
      reads.map(() => inputs[2]),
    );
    // The mark that the back end orders axes by is a reshape.
    const unmarked = rebuild(rest, (node) =>
      (node.op as object) === anchorOp ? node.inputs[0].reshape([...node.shape]) : node,
    );
    const got = await run(unmarked, [...inputs.slice(0, 3), ...kept, inputs[3]]);
    const wanted = await run(step, inputs);
    expect(got.map(({ data }) => [...data])).toEqual(wanted.map(({ data }) => [...data]));
    expect(new Set(wanted[3].data).size).toBeGreaterThan(9);
    expect(toStableHloLoop(rest, steps).includes("stablehlo.convolution")).toBe(!second.products);
  });
});

const backend = await xla({ precision: "float32", preallocate: false }).catch((reason: Error) => {
  console.log(`Skipped: the xla back end does not run here. ${reason.message}`);
  return undefined;
});

describe.skipIf(!backend)("on XLA", () => {
  afterAll(() => backend!.close());

  test.each([
    [Infinity, false],
    [NaN, false],
    [Infinity, true],
    [NaN, true],
  ])(
    "%s in an image reaches the windows that see it, and no others (other images at every step: %s)",
    async (odd, changing) => {
      const [state, { images, weights }, at] = inputsOf(settings[0]);
      images.data[0] = odd;
      const { record } = await loop(seenBy(changing), { backend })(state, { images, weights }, at);
      const { data } = await record.read();
      // The first pixel of the first image is in the first window of each of its 8 filters.
      const finite = Array.from(data.subarray(0, data.length / steps), Number.isFinite);
      expect(finite).toEqual(finite.map((_, i) => i >= 8 * 16 || i % 16 !== 0));
    },
  );

  test.each([...settings, ...changing, ...others])(
    "the numbers are the convolution's: $name",
    async (setting) => {
      const inputs = inputsOf(setting);
      const wanted = await readAll(await loop(stepOf(setting))(...inputs));
      const got = await readAll(await loop(stepOf(setting), { backend })(...inputs));
      for (const [i, { leaf, path }] of leaves(wanted.record).entries()) {
        const { data, shape } = leaves(got.record)[i].leaf as NdArray;
        expect({ shape, data: [...data] }, path).toEqual({
          shape: (leaf as NdArray).shape,
          data: [...(leaf as NdArray).data],
        });
      }
    },
  );
});
