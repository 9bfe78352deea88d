// Two back ends of one processor: which runs what, and that data goes to each once.
import {
  array,
  type Backend,
  compile,
  full,
  grad,
  loop,
  NdArray,
  random,
  readAll,
  reference,
  scan,
  type Tensor,
} from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { onnx } from "@pliant/engine/onnx";
import { findPlugins } from "@pliant/engine/xla";
import { expect, test } from "vitest";
import { loopOfCalls } from "../src/calls.js";
import { executableFor } from "../src/compile.js";
import { cpu } from "../src/cpu.js";
import { unitOf } from "./edges/units.js";

/** Both in plain TypeScript; the second says what it was asked. */
function pair() {
  const asked: string[] = [];
  const inner = reference();
  const xla: Backend = {
    ...inner,
    put: (value) => {
      asked.push(`put [${value.shape}]`);
      return value;
    },
    compileLoop: async (program, steps, options) => {
      asked.push(`loop of ${steps} in ${options?.precision}`);
      return (await loopOfCalls(program, inner, (some) => executableFor(some, inner))).executable;
    },
  };
  return { asked, backend: cpu(reference(), xla) };
}

type Body = (w: Tensor, x: Tensor) => Tensor;
const trained = (of: Body, backend: Backend) =>
  loop((w: Tensor, x: Tensor, _: Tensor) => ({ state: w.sub(grad((v: Tensor) => of(v, x))(w)), record: w }), {
    backend,
  });
const ticks = new NdArray(new Int32Array(3), [3]);

const image = (x: Tensor): Tensor => x.reshape([1, 1, 2, 2]);
const onOnnx: Record<string, Body> = {
  "a convolution": (w, x) => image(x).conv2d(image(w)).sum(),
  "the gradient of one": (w, x) =>
    image(w)
      .conv2d(image(x).slice([[], [], [0, 1], [0, 1]]))
      .sum(),
  sorting: (w, x) =>
    w
      .mul(x)
      .sort()
      .slice([[0, 2]])
      .sum(),
  "a convolution in a scan": (w, x) =>
    scan(
      (s: Tensor, slice: Tensor) => ({ state: s.add(image(w).conv2d(image(slice)).sum()), record: s }),
      array(0),
      x.expandDims(0),
    ).state,
};

test.each(Object.entries(onOnnx))("a loop with %s runs on ONNX Runtime", async (_, of) => {
  const { asked, backend } = pair();
  const w = array([1, 2, 3, 4]);
  const { state } = await trained(of, backend)(w, array([1, 2, 3, 4]), ticks);
  expect(asked).toEqual([]);
  const wanted = await trained(of, reference())(w, array([1, 2, 3, 4]), ticks);
  expect(await state.read()).toEqual(await wanted.state.read());
});

test("other loops run on XLA, always in float32; programs without a loop do not", async () => {
  const { asked, backend } = pair();
  const step = (w: Tensor, x: Tensor, _: Tensor) => ({ state: w.add(x), record: w });
  await loop(step, { backend, precision: "bf16" })(full([2], 0), array([1, 2]), ticks);
  await compile((x: Tensor) => x.add(1), { backend })(array([1, 2]));
  expect(asked).toEqual(["loop of 3 in float32"]);
});

test("data that is put is copied to XLA when a loop there reads it, and once", async () => {
  const { asked, backend } = pair();
  const [x, seldom] = [backend.put(array([1, 2, 3])), backend.put(array([5, 6]))];
  expect((await (await compile((v: Tensor) => v.add(1), { backend })(seldom)).read()).toNested()).toEqual([
    6, 7,
  ]);
  const train = loop((w: Tensor, v: Tensor, _: Tensor) => ({ state: w.add(v), record: w }), { backend });
  let state = (await train(full([3], 0), x, ticks)).state;
  state = (await train(state, x, ticks)).state;
  expect((await state.read()).toNested()).toEqual([6, 12, 18]);
  expect(asked.filter((what) => what.startsWith("put"))).toEqual(["put [3]"]);
});

test("a state that may be used up stays on the host", async () => {
  const { asked, backend } = pair();
  const state = backend.put(array([1]));
  const train = loop((w: Tensor, v: Tensor, _: Tensor) => ({ state: w.add(v), record: w }), {
    backend,
    donate: true,
  });
  await train(state, backend.put(array([2])), ticks);
  await train(state, backend.put(array([2])), ticks);
  expect(asked.filter((what) => what.startsWith("put"))).toHaveLength(2);
  expect((await state.read()).toNested()).toEqual([1]);
});

const plugin = findPlugins().plugins[0]?.path ?? "";
test.skipIf(!plugin.includes("cpu"))(
  '"auto" with a plugin for processors trains as ONNX Runtime does',
  async () => {
    const x = random.normal(random.key(1), [64, 5]);
    const start = random.normal(random.key(2), [5, 3]);
    const of: Body = (w, x) => x.matmul(w).tanh().pow(2).mean();
    const [both, one] = [await open("auto"), await onnx()];
    expect(both.name).toBe("onnx and xla");
    const [a, b] = await Promise.all(
      [both, one].map(async (backend) => readAll(await trained(of, backend)(start, backend.put(x), ticks))),
    );
    for (const [i, v] of b.state.data.entries())
      expect(Math.abs(a.state.data[i] - v)).toBeLessThanOrEqual(64 * unitOf(v, "float32"));
    expect((await open("auto", { threads: 1 })).name).toBe("onnx");
    await both.close();
    await one.close();
  },
);
