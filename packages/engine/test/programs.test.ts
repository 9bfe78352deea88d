// Random programs, values and gradients, on every back end: none may differ by more than rounding.
// PLIANT_SEED, PLIANT_PROGRAMS and PLIANT_PROGRAMS_JAX choose other programs and more of them.
import { grad, NdArray, random, reference, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import * as operations from "../src/ops/index.js";
import { toStableHlo } from "../src/xla/emit.js";
import { disagreement } from "./agreement.js";
import { judge } from "./fuzz/judge.js";
import { hasJax, Jax } from "./jax.js";
import { isReal, largestOf } from "./programs/builder.js";
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
const count = Number(process.env.PLIANT_PROGRAMS ?? 120);
const countForJax = Number(process.env.PLIANT_PROGRAMS_JAX ?? 30);

type Execute = (program: TracedProgram) => Promise<readonly NdArray[]>;

const onReference: Execute = async ({ program, inputs }) => {
  const executable = await reference().compile(program);
  return (await executable.run(inputs)) as NdArray[];
};

/** Checks something of so many programs; a failure is reported with a program that is as small as could be found. */
async function forAll(numRuns: number, check: (made: RandomProgram) => Promise<void>): Promise<void> {
  const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(
    fc.asyncProperty(randomPrograms, check),
    { seed, numRuns },
  );
  if (!failed) return;
  const program = counterexample ? show(counterexample[0]) : "";
  throw new Error(
    `${errorInstance}\nPLIANT_SEED=${seed}, fast-check path ${counterexamplePath}, program:\n${program}`,
  );
}

/** Runs programs on another back end and the reference. */
async function compareAll(name: string, wanted: number, execute: Execute): Promise<void> {
  const tally = { operations: 0, withGradient: 0, avoided: 0, elements: 0, promised: 0 };
  const agree = async (made: RandomProgram): Promise<void> => {
    const single = traced(made, "float32");
    const [exact, got] = [await onReference(traced(made, "float64")), await execute(single)];
    const close = (results: readonly NdArray[], what: string): void => {
      const data = results.map((x) => x.data);
      const { elements, promised, found } = judge(single.program, single.inputs, data, { seed });
      if (found) throw new Error(`${single.paths[found.output]}: ${what} differ: ${found.what}`);
      tally.elements += elements;
      tally.promised += promised;
    };
    close(exact, "the reference in float32 and in float64");
    close(got, `${name} and the reference`);
    tally.operations += made.operations.length;
    tally.avoided += made.avoided;
    const gradients = exact.filter((_, i) => single.paths[i].startsWith("gradient"));
    if (gradients.some(({ data }) => largestOf(data) > 0)) tally.withGradient++;
  };

  await forAll(wanted, agree);
  console.log(
    `${name}, seed ${seed}: ${wanted} programs agree (${tally.operations} operations, ${tally.withGradient} programs ` +
      `with a gradient that is not 0), ${((100 * tally.promised) / tally.elements).toFixed(2)}% of ${tally.elements} ` +
      `elements promised; ${tally.avoided} steps replaced for being too near a decision.`,
  );
  expect(tally.promised).toBeGreaterThan(0.95 * tally.elements);
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
    const ends = endsOf(made).map((i) => made.nodes[i].value);
    for (const list of [results, [...ends, ...results.slice(ends.length)]]) {
      const data = list.map((x) => x.data);
      expect(judge(program, inputs, data, { seed }).found).toBeUndefined();
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
  const programs = 200;
  await forAll(programs, agree);
  console.log(`${programs} programs agree with their steps, ${differentiated} with finite differences.`);
  expect(differentiated).toBeGreaterThan(0.35 * programs);
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
  expect(disagreement(grad(pool), inputs, got)).toBeUndefined();
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
