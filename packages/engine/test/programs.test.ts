// Random programs, values and gradients, on the reference and on ONNX Runtime: none may differ by more than rounding.
// PLIANT_SEED and PLIANT_PROGRAMS choose other programs and more of them.
import { NdArray, reference } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as operations from "../src/ops/index.js";
import { judge } from "./fuzz/judge.js";
import { isReal } from "./programs/builder.js";
import { compareAll, forAll, seed } from "./programs/compared.js";
import { endsOf, type RandomProgram, randomPrograms, steps, traced } from "./programs.js";

const count = Number(process.env.PLIANT_PROGRAMS ?? 120);

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

test(`${count} random programs agree with the reference on onnx`, { timeout: 600_000 }, async () => {
  const backend = await onnx({ threads: 1 });
  await compareAll("onnx", count, async ({ program, inputs }) => {
    const executable = await backend.compile(program);
    const results = (await executable.run(inputs)) as NdArray[];
    executable.release();
    return results;
  });
});
