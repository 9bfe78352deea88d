// The xla back end against the reference, on whatever device the plugin drives. Skips where no plugin is found.
import { compile, loop, NdArray, random, readAll, type Tensor } from "@pliant/engine";
import { findPlugins, xla } from "@pliant/engine/xla";
import { afterAll, describe, expect, test } from "vitest";
import { disagreement } from "./agreement.js";
import { derivatives } from "./derivatives.js";
import { inputsAs, operations } from "./operations.js";

const backend = await xla({ precision: "float32", preallocate: false }).catch((reason: Error) => {
  console.log(`Skipped: the xla back end does not run here. ${reason.message}`);
  return undefined;
});

describe.skipIf(!backend)("the xla back end", () => {
  afterAll(() => backend!.close());

  describe.each(["float32", "float64"] as const)("agrees with the reference in %s", (dtype) => {
    test.each(operations)("$name", async (operation) => {
      const inputs = inputsAs(operation.inputs, dtype);
      const fn = derivatives(operation);
      const got = await readAll(await compile(fn, { backend })(...inputs));
      expect(disagreement(fn, inputs, got)).toBeUndefined();
    });
  });

  test("runs a loop as one program, and its results go in again", async () => {
    const step = (state: Tensor, data: Tensor, at: Tensor) => {
      const next = state.mul(0.5).add(data.gather(at));
      return { state: next, record: next.sum() };
    };
    const data = new NdArray(Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2]);
    const start = new NdArray(Float32Array.of(1, 2), [2]);
    const at = new NdArray(Int32Array.of(2, 0, 1, 1), [4]);
    const run = async (train: ReturnType<typeof loop<Tensor, Tensor, Tensor, Tensor>>) => {
      const once = await train(start, data, at);
      const twice = await train(once.state, data, at);
      return (await readAll([once.record, twice.state, twice.record])).map((x) => x.toNested());
    };
    // Halves and whole numbers: nothing is rounded.
    expect(await run(loop(step, { backend }))).toEqual(await run(loop(step)));
  });

  test("computes each function in its own precision", async () => {
    // 1 + 2⁻¹⁰ is no bfloat16: products there lose the small part.
    const f = (x: Tensor, w: Tensor) => x.matmul(w);
    const x = new NdArray(new Float32Array(9 * 9).fill(1 + 2 ** -10), [9, 9]);
    const ones = new NdArray(new Float32Array(9 * 9).fill(1), [9, 9]);
    const value = async (options: { precision?: "bf16" | "float32" }) =>
      (await (await compile(f, { backend, ...options })(x, ones)).read()).data[0];
    expect(await value({})).toBe(9 * (1 + 2 ** -10));
    expect(await value({ precision: "bf16" })).toBe(9);
    expect(await value({ precision: "float32" })).toBe(9 * (1 + 2 ** -10));

    const step = (s: Tensor, d: Tensor, _: Tensor) => ({ state: d.matmul(s), record: s.sum() });
    const looped = async (precision: "bf16" | "float32") => {
      const train = loop(step, { backend, precision });
      return (await (await train(ones, x, new NdArray(Int32Array.of(0), [1]))).state.read()).data[0];
    };
    expect([await looped("bf16"), await looped("float32")]).toEqual([9, 9 * (1 + 2 ** -10)]);
  });

  test("in bf16 every step's products read that step's parameters, moved or not", async () => {
    const step = ({ w, n }: { w: Tensor; n: Tensor }, x: Tensor, at: Tensor) => {
      const y = x.matmul(w).add(
        x.matmul(
          w
            .transpose()
            .pad([
              [0, 1],
              [0, 0],
            ])
            .gather(at)
            .reshape([3, 3]),
        ),
      );
      return { state: { w: w.sub(y.mul(0.01)).sub(w.tanh().mul(0.1)), n: n.add(1) }, record: y.sum() };
    };
    const draw = (seed: number) => random.uniform(random.key(seed), [3, 3], { low: -1, high: 1 });
    const [x, start] = [draw(1), { w: draw(2), n: new NdArray(Float32Array.of(0), []) }];
    const rows = new NdArray(Int32Array.of(0, 1, 2, 2, 1, 0, 1, 3, 0, 3, 2, 1), [4, 3]);
    const looped = await loop(step, { backend, precision: "bf16" })(start, x, rows);
    const one = compile(step, { backend, precision: "bf16" });
    let state: { w: NdArray; n: NdArray } = start;
    const records: number[] = [];
    for (let i = 0; i < 4; i++) {
      const next = await readAll(await one(state, x, new NdArray(rows.data.slice(3 * i, 3 * i + 3), [3])));
      state = next.state as typeof state;
      records.push((next.record as NdArray).item());
    }
    const got = await readAll(looped);
    // The same operations, which XLA may fuse and so round in another order.
    for (const [i, record] of Array.from((got.record as NdArray).data).entries())
      expect(record).toBeCloseTo(records[i], 4);
    for (const [i, w] of Array.from((got.state as typeof state).w.data).entries())
      expect(w).toBeCloseTo(state.w.data[i] as number, 4);
  });

  test("in bf16 extremes of few elements are the reference's, NaN and infinities among them", async () => {
    const numbers = [1, -2, Number.NaN, Infinity, -Infinity, 0.5, 4, -0.25, 3, 8, -16, 2];
    const x = new NdArray(Float32Array.from(numbers), [1, 1, 2, 6]);
    const f = (x: Tensor) => [
      x.max(3),
      x.min({ axis: [2, 3] }),
      x.maxPool({ window: 2 }),
      x.max({ axis: 2, keepDims: true }),
    ];
    const read = async (all: unknown) => (await readAll(all as NdArray[])).map((y) => y.toNested());
    expect(await read(await compile(f, { backend, precision: "bf16" })(x))).toEqual(
      await read(await compile(f)(x)),
    );
  });

  test("a loop that is given its state for good writes over it; otherwise the state stays", async () => {
    const step = (s: { w: Tensor; n: Tensor }, d: Tensor, _: Tensor) => ({
      state: { w: s.w.mul(2).add(d), n: s.n.add(1) },
      record: s.w.sum(),
    });
    const slices = new NdArray(new Int32Array(3), [3]);
    const d = backend!.put(new NdArray(Float32Array.of(1, 2), [2]));
    const given = () => ({
      w: backend!.put(new NdArray(Float32Array.of(1, 1), [2])),
      n: backend!.put(new NdArray(Float32Array.of(0), [])),
    });
    const numbers = async (state: unknown) => (await readAll(state as { w: NdArray })).w.toNested();
    const kept = given();
    const first = await loop(step, { backend })(kept, d, slices);
    expect([await numbers(first.state), await numbers(kept)]).toEqual([
      [15, 22],
      [1, 1],
    ]);
    const donated = given();
    const train = loop(step, { backend, donate: true });
    const second = await train(donated, d, slices);
    expect(await numbers(second.state)).toEqual([15, 22]);
    await expect(readAll(donated)).rejects.toThrow(/release/);
    expect(await numbers((await train(second.state, d, slices)).state)).toEqual([127, 190]);
    // An array that is state and data at once stays.
    const both = await loop(step, { backend, donate: true })({ ...given(), w: d }, d, slices);
    expect([await numbers(both.state), (await d.read()).toNested()]).toEqual([
      [15, 30],
      [1, 2],
    ]);
  });

  test("values derived from a loop's data are recomputed for other data", async () => {
    const step = (s: Tensor, d: Tensor, i: Tensor) => {
      const next = s.add(d.gather(i).exp().sum());
      return { state: next, record: next };
    };
    const train = loop(step, { backend });
    const slices = new NdArray(Int32Array.of(0, 1), [2]);
    const zero = new NdArray(Float32Array.of(0), []);
    const held = [0, 1].map((v) => backend!.put(new NdArray(Float32Array.of(v, v), [2])));
    const host = new NdArray(Float32Array.of(0, 0), [2]);
    const total = async (data: Parameters<typeof train>[1]) =>
      (await (await train(zero, data, slices)).state.read()).item();
    expect(await total(held[0])).toBe(2);
    expect(await total(held[1])).toBeCloseTo(2 * Math.E, 5);
    expect(await total(held[0])).toBe(2);
    expect(await total(host)).toBe(2);
    host.data.fill(1);
    expect(await total(host)).toBeCloseTo(2 * Math.E, 5);
  });

  test("holds a gigabyte at most of what is dropped on the way, however many the steps", async () => {
    const size = 2 ** 22;
    const step = compile((w: Tensor) => w.add(1), { backend });
    let w = await step(new NdArray(new Float32Array(size), [size]));
    const most = 2 ** 30 + 8 * size;
    const steps = Math.ceil((1.25 * most) / (4 * size));
    for (let i = 0; i < steps; i++) {
      w = await step(w);
      expect(backend!.client.live.bytes).toBeLessThan(most);
    }
    expect((await w.read()).data[0]).toBe(1 + steps);
  });
});

test("a missing plugin is named in a sentence with what to do", async () => {
  await expect(xla({ plugin: "/nowhere/plugin.so" })).rejects.toThrow(/\/nowhere\/plugin\.so/);
  expect(findPlugins({ PATH: "", HOME: "/nowhere" }).plugins).toBeInstanceOf(Array);
});
