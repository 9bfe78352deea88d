// Random programs on a back end and on the reference, in single and in double precision, values and gradients.
// PLIANT_SEED chooses other programs.
import { type NdArray, reference } from "@pliant/engine";
import fc from "fast-check";
import { expect } from "vitest";
import { judge } from "../fuzz/judge.js";
import { type RandomProgram, randomPrograms, show, type TracedProgram, traced } from "../programs.js";
import { largestOf } from "./builder.js";

export const seed = Number(process.env.PLIANT_SEED ?? 1);

export type Execute = (program: TracedProgram) => Promise<readonly NdArray[]>;

const onReference: Execute = async ({ program, inputs }) => {
  const executable = await reference().compile(program);
  return (await executable.run(inputs)) as NdArray[];
};

/** Checks something of so many programs; a failure is reported with a program that is as small as could be found. */
export async function forAll(numRuns: number, check: (made: RandomProgram) => Promise<void>): Promise<void> {
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
export async function compareAll(name: string, wanted: number, execute: Execute): Promise<void> {
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
