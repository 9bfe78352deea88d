// Random programs of every operation, dtype and shape, with NaN, infinities, both zeros and empty arrays among their inputs, and
// their gradients: no back end gives anything else than the reference beyond what the README promises.
// On XLA: fuzz-xla.test.ts. `npm run fuzz -w @pliant/engine -- --programs 100000` runs more of them.
import { array, type Backend, reference, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { isFloat } from "../src/dtype.js";
import { acceptance, calls } from "./calls/index.js";
import { primitiveCalls } from "./calls/primitives.js";
import { check, count, progress, seed } from "./fuzz/asked.js";
import { judge } from "./fuzz/judge.js";
import { fuzz, seedsFrom } from "./fuzz/run.js";

test("every operation is called, with operands it takes: one that needs more than tensors has a line in test/calls", () => {
  const shares = Object.keys(calls).map((name) => [name, acceptance(name)] as const);
  expect(shares.filter(([, share]) => share < 0.15).map(([name]) => name)).toEqual([]);
});

test("a result that is off by more is seen", async () => {
  const right = reference();
  // Off by a thousandth: a program of nothing but whole numbers or special ones is not.
  const wrong: Backend = {
    ...right,
    compile: async (program) => {
      const executable = await right.compile(program);
      return {
        ...executable,
        run: async (inputs) => {
          const results = await Promise.all((await executable.run(inputs)).map((s) => s.read()));
          for (const { data, dtype } of results) if (isFloat(dtype)) data.set(data.map((v) => v * 1.001));
          return results;
        },
      };
    },
  };
  expect((await fuzz(right, seedsFrom(seed, 50))).disagreements).toEqual([]);
  expect((await fuzz(wrong, seedsFrom(seed, 50))).disagreements.length).toBeGreaterThan(30);
});

test("a logarithm of 0 is promised on the scale of 1, as the README says, and no closer", () => {
  const { program } = trace((x: Tensor) => x.logSoftmax(), [array([0, -100])]);
  const found = (first: number) => judge(program, [array([0, -100])], [Float32Array.of(first, -100)]).found;
  expect(found(0)).toBeUndefined();
  expect(found(2 ** -24)).toBeUndefined();
  expect(found(1e-3)).toBeDefined();
});

/** The operations there were when these programs were found: of others, a seed grows another program. */
const { round: _, rem: __, ...first } = primitiveCalls;
// Programs the back ends once seemed to disagree on, by what is not promised in them.
test.each([
  ["a sum that overflows after a decision about one that does", -914235813],
  ["what a padding's 0 times infinity decides, which may count or not", -1519272124],
  ["what is divided by a result that may be 0", 121254577],
  ["what is made of a result near the smallest normal number, off by a part of that,", 1013911161],
  ["which pixels a coordinate on a pixel's edge reads, infinite ones among them,", 1013912479],
])("%s is not promised", async (_, seed) => {
  const backend = await onnx({ threads: 1 });
  expect((await fuzz(backend, [seed], undefined, { calls: first })).disagreements).toEqual([]);
  await backend.close();
});

test(`${count} programs on onnx`, { timeout: 36_000_000 }, async () => {
  const backend = await onnx({ threads: 1 });
  check("onnx", await fuzz(backend, seedsFrom(seed, count), progress("onnx")));
  await backend.close();
});
