// Random programs of every operation, dtype and shape, with NaN, infinities, both zeros and empty arrays among their inputs, and
// their gradients: no back end gives anything else than the reference beyond what the README promises.
// `npm run fuzz -w @pliant/engine -- --programs 100000` runs more of them.
import { type Backend, reference } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { xla } from "@pliant/engine/xla";
import { expect, test } from "vitest";
import { isFloat } from "../src/dtype.js";
import * as operations from "../src/ops/index.js";
import { fuzz, seedsFrom, type Tally } from "./fuzz/run.js";
import { steps } from "./fuzz/steps.js";

const seed = Number(process.env.PLIANT_SEED ?? 1);
const count = Number(process.env.PLIANT_FUZZ ?? 600);

const show = ({ programs, refused, elements, promised, disagreements }: Tally): string =>
  `${programs} programs, ${refused} refused, ${elements} elements, ${((100 * promised) / elements).toFixed(1)}% of them promised, ${disagreements.length} disagreements`;

const check = (name: string, tally: Tally): void => {
  console.log(`${name}, seed ${seed}: ${show(tally)}`);
  expect(tally.disagreements.slice(0, 3)).toEqual([]);
  // The nudges leave most elements determined; else nothing would be compared.
  expect(tally.promised).toBeGreaterThan(0.6 * tally.elements);
};

test("every operation is among the steps", () => {
  expect(Object.keys(steps).sort()).toEqual(Object.keys(operations).sort());
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

// Programs the back ends once seemed to disagree on, by what is not promised in them.
test.each([
  ["a sum that overflows after a decision about one that does", -914235813],
  ["what a padding's 0 times infinity decides, which may count or not", -1519272124],
  ["what is divided by a result that may be 0", 121254577],
  ["what is made of a result near the smallest normal number, off by a part of that,", 1013911161],
  ["which pixels a coordinate on a pixel's edge reads, infinite ones among them,", 1013912479],
])("%s is not promised", async (_, seed) => {
  const backend = await onnx({ threads: 1 });
  expect((await fuzz(backend, [seed])).disagreements).toEqual([]);
  await backend.close();
});

const progress = (name: string) => (tally: Tally) => {
  if (count > 2000 && tally.programs % 2000 < 20) console.log(`${name}: ${show(tally)}`);
};

test(`${count} programs on onnx`, { timeout: 36_000_000 }, async () => {
  const backend = await onnx({ threads: 1 });
  check("onnx", await fuzz(backend, seedsFrom(seed, count), progress("onnx")));
  await backend.close();
});

const onXla = await xla({ precision: "float32", preallocate: false }).catch(() => undefined);
const onCpu = onXla?.client.platform === "cpu";
const few = Math.ceil(count / 10);

test.skipIf(!onCpu)(`${few} programs on XLA's CPU`, { timeout: 36_000_000 }, async () => {
  check("xla", await fuzz(onXla!, seedsFrom(seed, few), progress("xla")));
  await onXla!.close();
});
