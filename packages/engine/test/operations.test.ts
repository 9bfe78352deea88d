// Every operation on the reference back end, in float64, against finite differences: first and second derivatives.
import { compile, NdArray, readAll } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { derivedCases } from "./calls/cases.js";
import { calls, isPrimitive } from "./calls/index.js";
import { derivatives, realInputs } from "./derivatives.js";
import { operations } from "./operations.js";

const step = 1e-5;

describe("gradients agree with finite differences", () => {
  test.each([...operations, ...derivedCases].filter((o) => !o.frozen))("$name", async (operation) => {
    const run = compile(derivatives(operation));
    const at = async (inputs: readonly NdArray[]) => readAll(await run(...inputs));
    const { first, second } = await at(operation.inputs);
    if (!first || !second) return;
    for (const [k, i] of realInputs(operation).entries()) {
      const x = operation.inputs[i];
      // A handful of directions checks every element: each direction touches all of them.
      for (let d = 0; d < 3; d++) {
        const direction = Float64Array.from(x.data, (_, e) => Math.cos(1 + d + e * (d + 1)));
        const moved = (sign: number) =>
          operation.inputs.map((v, j) =>
            j === i
              ? new NdArray(
                  Float64Array.from(v.data, (e, n) => e + sign * step * direction[n]),
                  v.shape,
                )
              : v,
          );
        const [up, down] = [await at(moved(1)), await at(moved(-1))];
        const along = (g: NdArray) => Array.from(g.data).reduce((sum, e, n) => sum + e * direction[n], 0);
        const close = (got: number, wanted: number) =>
          expect(Math.abs(got - wanted)).toBeLessThan(2e-6 * (1 + Math.abs(wanted)));
        close(along(first[k]), (up.loss!.item() - down.loss!.item()) / (2 * step));
        close(along(second[k]), (up.slope!.item() - down.slope!.item()) / (2 * step));
      }
    }
  });
});

test("every operation made of others is among the cases", () => {
  const names = Object.keys(calls).filter((name) => !isPrimitive(name));
  const covered = new Set(derivedCases.map(({ name }) => name.split(",")[0]));
  expect(names.filter((name) => !covered.has(name))).toEqual([]);
});
