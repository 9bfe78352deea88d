// The xla back end against the reference, on whatever device the plugin drives. Skips where no plugin is found.
import { compile, leaves, loop, NdArray, readAll, type Tensor } from "@pliant/engine";
import { findPlugins, xla } from "@pliant/engine/xla";
import { afterAll, describe, expect, test } from "vitest";
import { distance, isCompared } from "./agreement.js";
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
      const wanted = leaves(await readAll(await compile(derivatives(operation))(...inputs)));
      const got = leaves(await readAll(await compile(derivatives(operation), { backend })(...inputs)));
      for (const [i, { leaf, path }] of wanted.entries()) {
        if (!isCompared(path)) continue;
        expect(distance(leaf as NdArray, got[i].leaf as NdArray), path).toBeLessThan(
          dtype === "float32" ? 3e-5 : 1e-12,
        );
      }
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
      return readAll([once.record, twice.state, twice.record]);
    };
    const wanted = await run(loop(step));
    const got = await run(loop(step, { backend }));
    for (const [i, array] of wanted.entries()) expect(distance(array, got[i])).toBeLessThan(1e-6);
  });

  test("holds no more on the device after 20,000 steps than after the first", async () => {
    const step = compile((w: Tensor, x: Tensor) => w.sub(x.matmul(w).tanh().mul(0.01)), { backend });
    let w = await step(
      new NdArray(new Float32Array(64 * 64).fill(0.1), [64, 64]),
      new NdArray(new Float32Array(64 * 64), [64, 64]),
    );
    const x = backend!.put(new NdArray(new Float32Array(64 * 64).fill(0.01), [64, 64]));
    const most = 2 ** 30 + 2 ** 24;
    for (let i = 0; i < 20_000; i++) {
      w = await step(w, x);
      expect(backend!.client.live.bytes).toBeLessThan(most);
    }
    expect(Number.isFinite((await w.read()).data[0])).toBe(true);
  });
});

test("a missing plugin is named in a sentence with what to do", async () => {
  await expect(xla({ plugin: "/nowhere/plugin.so" })).rejects.toThrow(/\/nowhere\/plugin\.so/);
  expect(findPlugins({ PATH: "", HOME: "/nowhere" }).plugins).toBeInstanceOf(Array);
});
