// Costs in a compiled step: ONNX Runtime in float32 gives what plain numbers give in float64.
import { array, compile, readAll, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import {
  type Cost,
  customCost,
  free,
  hard,
  huber,
  linear,
  maximum,
  onNumbers,
  power,
  proxConjugate,
  quadratic,
} from "../src/index.js";

const native = await onnx();
afterAll(() => native.close());

const size = 300;
const u = Array.from({ length: size }, (_, i) =>
  i % 7 === 0 ? 0 : i % 5 === 0 ? 1 : 3 * ((i * Math.SQRT2) % 1),
);
const v = u.map((x, i) => (i % 3 === 0 ? -x : x));

const costs = [
  quadratic(0.7),
  linear(u.map((x) => x + 0.1)),
  power(4, 0.5),
  power(1.5, 2),
  maximum(2),
  maximum(1e4),
  huber(0.5, 1),
  hard,
  free,
  customCost({ name: "exp", value: (x) => x.exp().sub(x).sub(1).sum() }),
];

const all = (cost: Cost) => (x: Tensor, y: Tensor) => ({
  value: cost.value(x),
  gradient: cost.gradient(x),
  conjugateGradient: cost.conjugateGradient(x),
  conjugate: cost.conjugate(x),
  admissible: cost.conjugate(cost.projectDual(x)),
  prox: cost.prox(y, 0.3),
  projectDual: cost.projectDual(y),
  proxConjugate: proxConjugate(cost, y, 0.3).price,
});

describe.each(costs)("$name", (cost) => {
  test.each([
    { dtype: "float32", length: size, tolerance: 1e-4 },
    { dtype: "float32", length: 50, tolerance: 1e-4 },
    { dtype: "float64", length: size, tolerance: 1e-11 },
  ] as const)("$dtype, $length requirements", async ({ dtype, length, tolerance }) => {
    if (cost.name.startsWith("linear") && length !== size) return;
    const [x, y] = [u, v].map((list) => array(list.slice(0, length), { dtype }));
    const step = compile(all(cost), { backend: native });
    const got = await readAll(await step(x, y));
    // The numbers the device saw, in float64.
    const seen = [x, y].map(({ data }) => array(Float64Array.from(data)));
    const want = await readAll(await compile(all(cost))(seen[0], seen[1]));
    for (const key of Object.keys(want) as (keyof typeof want)[]) {
      for (const [i, expected] of want[key].data.entries()) {
        const actual = got[key].data[i];
        if (actual === expected) continue;
        const message = `${key}[${i}]: ${actual}, not ${expected}`;
        expect(Math.abs(actual - expected), message).toBeLessThan(
          tolerance * Math.max(1, Math.abs(expected)),
        );
      }
    }
    expect(got.admissible.item()).toBeLessThan(Infinity);
  });
});

test("plain numbers are the reference back end in float64", () => {
  expect(onNumbers(quadratic(2)).gradient([1, 3])).toEqual([4, 12]);
  expect(onNumbers(maximum(1)).prox([3, 3, 1], 1)).toEqual([2.5, 2.5, 1]);
});
