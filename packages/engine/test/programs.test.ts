// Random programs, values and gradients, on every back end: none may differ by more than rounding.
// PLIANT_SEED, PLIANT_PROGRAMS and PLIANT_PROGRAMS_JAX choose other programs and more of them.
import { type Data, grad, NdArray, random, reference, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import * as operations from "../src/ops/index.js";
import { toStableHlo } from "../src/xla/emit.js";
import { hasJax, Jax } from "./jax.js";
import { isReal, largestOf } from "./programs/builder.js";
import { farthest, roundingOf } from "./programs/rounding.js";
import {
  endsOf,
  type RandomProgram,
  randomPrograms,
  show,
  steps,
  type TracedProgram,
  traced,
} from "./programs.js";

const seed = Number(process.env.PLIANT_SEED ?? 1);
const count = Number(process.env.PLIANT_PROGRAMS ?? 2000);
const countForJax = Number(process.env.PLIANT_PROGRAMS_JAX ?? 200);

/** A program in which rounding alone may move a result by more than this, relative to it, says nothing: it is left out. */
const worstConditioned = 1e-3;

type Execute = (program: TracedProgram) => Promise<readonly NdArray[]>;

const onReference: Execute = async ({ program, inputs }) => {
  const executable = await reference().compile(program);
  return (await executable.run(inputs)) as NdArray[];
};

/** Checks something of so many programs; a failure is reported with a program that is as small as could be found. */
async function forAll(numRuns: number, check: (made: RandomProgram) => Promise<void>): Promise<void> {
  const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(
    fc.asyncProperty(randomPrograms, check),
    { seed, numRuns, maxSkipsPerRun: 1 },
  );
  if (!failed) return;
  const program = counterexample ? show(counterexample[0]) : "";
  throw new Error(
    `${errorInstance}\nPLIANT_SEED=${seed}, fast-check path ${counterexamplePath}, program:\n${program}`,
  );
}

/** Runs programs on another back end and the reference, until `wanted` of them were compared. */
async function compareAll(name: string, wanted: number, execute: Execute): Promise<void> {
  const tally = { compared: 0, operations: 0, withGradient: 0, illConditioned: 0, avoided: 0, farthest: 0 };
  const agree = async (made: RandomProgram): Promise<void> => {
    const [single, double] = [traced(made, "float32"), traced(made, "float64")];
    const { exact, tolerance } = roundingOf(double.program, double.inputs);
    const usable = exact.every((y, i) => tolerance[i] <= worstConditioned * Math.max(1, largestOf(y)));
    if (!usable) tally.illConditioned++;
    fc.pre(usable);

    const expected = await onReference(single);
    const got = await execute(single);
    for (const [i, path] of single.paths.entries()) {
      const close = (a: Data, b: Data, what: string) => {
        const gap = farthest(a, b);
        if (gap > 0) tally.farthest = Math.max(tally.farthest, gap / tolerance[i]);
        if (!(gap <= tolerance[i]))
          throw new Error(`${path}: ${what} differ by ${gap}, where rounding explains ${tolerance[i]}`);
      };
      close(expected[i].data, exact[i], "the reference in float32 and in float64");
      close(got[i].data, expected[i].data, `${name} and the reference`);
    }
    tally.compared++;
    tally.operations += made.operations.length;
    tally.avoided += made.avoided;
    const gradients = expected.filter((_, i) => single.paths[i].startsWith("gradient"));
    if (gradients.some(({ data }) => largestOf(data) > 0)) tally.withGradient++;
  };

  await forAll(wanted, agree);
  console.log(
    `${name}, seed ${seed}: ${tally.compared} programs agree (${tally.operations} operations, ` +
      `${tally.withGradient} programs with a gradient that is not 0); ${tally.illConditioned} left out as ` +
      `ill-conditioned; ${tally.avoided} steps replaced for being too near a decision. The largest difference is ` +
      `${tally.farthest.toFixed(2)} of what rounding explains.`,
  );
  expect(tally.compared).toBe(wanted);
  expect(tally.illConditioned).toBeLessThanOrEqual(Math.ceil(wanted / 100));
  expect(tally.withGradient).toBeGreaterThanOrEqual(Math.floor(0.85 * wanted));
}

if (!hasJax) console.log("Skipped: python3 has no jax here (pip install jax), so no StableHLO is run.");

test("random programs are of 5 to 30 operations, and every operation there is occurs", () => {
  const named = Object.entries(operations).flatMap(([name, f]) => (typeof f === "function" ? [name] : []));
  expect([...new Set(steps.map(({ name }) => name))].sort()).toEqual(named.sort());
  const programs = fc.sample(randomPrograms, { seed, numRuns: 400 });
  for (const { length } of programs.map((p) => p.operations)) {
    expect(length).toBeGreaterThanOrEqual(5);
    expect(length).toBeLessThanOrEqual(30);
  }
  expect([...new Set(programs.flatMap((p) => p.operations))].sort()).toEqual(named.sort());
});

test("random programs give what their steps give one by one, and gradients that finite differences give", async () => {
  let differentiated = 0;
  const agree = async (made: RandomProgram): Promise<void> => {
    const { program, inputs, paths } = traced(made, "float64");
    const executable = await reference().compile(program);
    const run = async (given: readonly NdArray[]) => (await executable.run(given)) as NdArray[];
    const results = await run(inputs);
    for (const [k, i] of endsOf(made).entries()) {
      const { data } = made.nodes[i].value;
      expect(farthest(results[k].data, data)).toBeLessThanOrEqual(1e-10 * Math.max(1, largestOf(data)));
    }

    if (made.tied || made.operations.includes("stopGradient")) return;
    const h = 1e-6;
    const direction = inputs.map(({ data }) => Float64Array.from(data, (_, i) => Math.cos(1 + i)));
    const loss = async (sign: number) => {
      const moved = inputs.map((x, k) =>
        isReal(x)
          ? new NdArray(
              Float64Array.from(x.data, (v, i) => v + sign * h * direction[k][i]),
              x.shape,
            )
          : x,
      );
      return (await run(moved)).at(-1)!.item();
    };
    const gradients = results.filter((_, i) => paths[i].startsWith("gradient"));
    const along = direction.filter((_, k) => isReal(inputs[k]));
    const terms = gradients.flatMap(({ data }, k) => [...data].map((g, i) => g * along[k][i]));
    const scale = terms.reduce((sum, t) => sum + Math.abs(t), 1);
    const slope = terms.reduce((sum, t) => sum + t, 0);
    expect(Math.abs(slope - ((await loss(1)) - (await loss(-1))) / (2 * h))).toBeLessThan(1e-5 * scale);
    differentiated++;
  };
  await forAll(1000, agree);
  console.log(`float64: 1000 programs agree with their steps, ${differentiated} with finite differences.`);
  expect(differentiated).toBeGreaterThan(350);
});

test.skipIf(!hasJax)("the gradient of a pooling that once ended XLA's process agrees", async () => {
  const pool = (x: Tensor) =>
    x
      .avgPool({ window: [2, 3], stride: [2, 3], padding: 1 })
      .pow(2)
      .sum();
  const inputs = [random.normal(random.key(1), [2, 1, 4, 4])];
  const { program } = trace(grad(pool), inputs);
  const jax = new Jax();
  const [got] = await jax.run({ module: toStableHlo(program, "float32"), inputs, outputs: program.outputs });
  jax.close();
  const [expected] = await onReference({ program, inputs, paths: [] });
  expect(farthest(got.data, expected.data)).toBeLessThan(1e-6);
});

describe("random programs agree with the reference, values and gradients", () => {
  test(`${count} of them on onnx`, { timeout: 600_000 }, async () => {
    const backend = await onnx({ threads: 1 });
    await compareAll("onnx", count, async ({ program, inputs }) => {
      const executable = await backend.compile(program);
      const results = (await executable.run(inputs)) as NdArray[];
      executable.release();
      return results;
    });
  });

  test.skipIf(!hasJax)(`${countForJax} of them as StableHLO on XLA`, { timeout: 3_600_000 }, async () => {
    const jax = new Jax();
    await compareAll("XLA", countForJax, ({ program, inputs }) =>
      jax.run({ module: toStableHlo(program, "float32"), inputs, outputs: program.outputs }),
    );
    jax.close();
  });
});
