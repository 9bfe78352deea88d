// The StableHLO of every operation, compiled and run by Python JAX on the CPU, against the reference.
import { compile, leaves, loop, NdArray, readAll, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { toStableHlo, toStableHloLoop } from "../src/xla/emit.js";
import { disagreement } from "./agreement.js";
import { derivatives } from "./derivatives.js";
import { difference } from "./edges/units.js";
import { openJax } from "./jax.js";
import { inputsAs, operations } from "./operations.js";

const jax = (await openJax())!;

describe.skipIf(!jax)("StableHLO run by JAX agrees with the reference", () => {
  describe.each(["float32", "float64"] as const)("%s", (dtype) => {
    test.each(operations)("$name", async (operation) => {
      const inputs = inputsAs(operation.inputs, dtype);
      const fn = derivatives(operation);
      const { program } = trace(fn, inputs);
      const got = await jax.run({
        module: toStableHlo(program, "float32"),
        inputs,
        outputs: program.outputs,
      });
      expect(disagreement(fn, inputs, got)).toBeUndefined();
    });
  });

  test("bfloat16 differs from float32 by no more than its rounding", async () => {
    const logits = (x: Tensor, w: Tensor, v: Tensor) =>
      x.conv2d(w).leakyRelu().maxPool({ window: 2 }).flatten(1).matmul(v);
    const fn = (x: Tensor, w: Tensor, v: Tensor) => {
      const y = logits(x, w, v);
      return [y, y.logSoftmax()];
    };
    const inputs = inputsAs(
      [
        ...operations.find((o) => o.name === "conv2d, a wide kernel")!.inputs,
        new NdArray(
          Float64Array.from({ length: 160 }, (_, i) => Math.sin(i)),
          [32, 5],
        ),
      ],
      "float32",
    ) as [NdArray, NdArray, NdArray];
    const { program } = trace(fn, inputs);
    const module = toStableHlo(program, "bf16");
    expect(module).toContain("bf16");
    const [got, logarithms] = await jax.run({ module, inputs, outputs: program.outputs });
    const of = async (x: typeof inputs) => (await compile(logits)(...x)).read();
    const magnitudes = inputs.map(
      ({ data, shape }) => new NdArray(data.map(Math.abs) as Float32Array, shape),
    );
    // bfloat16 has 16 digits less, in activations too.
    const units = 2 ** 16;
    const scale = (await of(magnitudes as typeof inputs)).data;
    expect(difference(await of(inputs), got, { units, scale })).toBeUndefined();
    // A logit, the largest of its row and their difference are rounded.
    const wanted = await (await compile((y: Tensor) => y.logSoftmax())(got)).read();
    const largest = 2 * Math.max(...got.data.map(Math.abs));
    expect(difference(wanted, logarithms, { units, scale: wanted.data.map(() => largest) })).toBeUndefined();
  });

  test("a loop of steps as one while", async () => {
    const step = (state: { w: Tensor; n: Tensor }, data: Tensor, slice: { at: Tensor }) => {
      const w = state.w.mul(0.5).add(data.gather(slice.at));
      return { state: { w, n: state.n.add(1) }, record: { total: w.sum(), w } };
    };
    const state = { w: new NdArray(Float32Array.of(1, 2), [2]), n: new NdArray(Int32Array.of(0), []) };
    const data = new NdArray(Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2]);
    const at = new NdArray(Int32Array.of(2, 0, 1, 1), [4]);
    const wanted = await loop(step)(state, data, { at });
    const { program } = trace(
      (s: { n: Tensor; w: Tensor }, d: Tensor, x: { at: Tensor }) => {
        const { state: after, record } = step(s, d, x);
        return [after, record];
      },
      [state, data, { at: new NdArray(Int32Array.of(0), []) }],
    );
    const module = toStableHloLoop({ ...program, states: 2, constants: 1 }, 4, "float32");
    const outputs = [
      ...program.outputs.slice(0, 2),
      ...program.outputs.slice(2).map((o) => ({ ...o, shape: [4, ...o.shape] })),
    ];
    const got = await jax.run({
      module,
      inputs: [state.n, state.w, data, at],
      outputs: outputs as typeof program.outputs,
    });
    const all = leaves(await readAll([wanted.state, wanted.record])).map(({ leaf }) => leaf as NdArray);
    // Halves and whole numbers: nothing is rounded.
    expect(got.map((x) => x.toNested())).toEqual(all.map((x) => x.toNested()));
  });
});
