// Trees of arrays as one vector and back, and the operations on vectors.
import { NdArray } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  add,
  dot,
  larger,
  norm,
  plus,
  randomNumbers,
  ravel,
  square,
  unravel,
  vector,
} from "../src/certificate/vectors.js";

const shape = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 });
const finite = (is32: boolean) => (is32 ? fc.float({ noNaN: true }) : fc.double({ noNaN: true }));
const arrayOf = (is32: boolean) =>
  shape.chain((dims) => {
    const size = dims.reduce((a, b) => a * b, 1);
    return fc
      .array(finite(is32), { minLength: size, maxLength: size })
      .map((data) => new NdArray(is32 ? Float32Array.from(data) : Float64Array.from(data), dims));
  });
const tree = (is32: boolean) =>
  fc.record({
    a: arrayOf(is32),
    deep: fc.record({ b: arrayOf(is32), list: fc.array(arrayOf(is32), { maxLength: 3 }) }),
  });

describe("a tree of arrays", () => {
  test.each([true, false])("comes back to the bit, with its shapes and its dtype (float32: %s)", (is32) => {
    fc.assert(
      fc.property(tree(is32), (given) => {
        const back = unravel(given, ravel(given));
        expect(back).toEqual(given);
        expect([back.a.dtype, back.deep.b.dtype]).toEqual(new Array(2).fill(is32 ? "float32" : "float64"));
      }),
    );
  });

  test("lies in one vector leaf by leaf, and the numbers of another vector take its form", () => {
    const given = { a: new NdArray(Float64Array.of(1, 2), [2]), b: [new NdArray(Float64Array.of(3), [])] };
    expect([...ravel(given)]).toEqual([1, 2, 3]);
    const other = unravel(given, Float64Array.of(4, 5, 6));
    expect([[...other.a.data], other.b[0].item()]).toEqual([[4, 5], 6]);
  });

  test("shares no memory with the vector that it is made from", () => {
    const flat = Float64Array.of(1, 2);
    const made = unravel(new NdArray(new Float64Array(2), [2]), flat);
    flat[0] = 9;
    expect([...made.data]).toEqual([1, 2]);
  });
});

describe("vectors", () => {
  const [a, b, w] = [Float64Array.of(1, 2, -2), Float64Array.of(3, -1, 0.5), Float64Array.of(1, 10, 100)];

  test("have products, lengths and sums by hand", () => {
    expect([dot(a, b), norm(a), square(a, w)]).toEqual([0, 3, 441]);
    expect([...plus(a, b), ...plus(a, b, 2)]).toEqual([4, 1, -1.5, 7, 0, -1]);
    expect([...vector(3, (i) => i * i)]).toEqual([0, 1, 4]);
    const sum = Float64Array.from(a);
    add(sum, b, -2);
    expect([...sum]).toEqual([-5, 4, -3]);
  });

  test("have NaN as their largest number", () => {
    // Wherever it stands.
    expect([1, Number.NaN, 3].reduce(larger, 0)).toBeNaN();
    expect([1, 3, Number.NaN].reduce(larger, 0)).toBeNaN();
    expect([1, 3, 2].reduce(larger, 0)).toBe(3);
  });
});

describe("random numbers", () => {
  test("are the same for the same seed, others for another, signs and normal", () => {
    const drawn = (seed: number, of: "sign" | "normal") => {
      const numbers = randomNumbers(seed);
      return Array.from({ length: 20_000 }, () => numbers[of]());
    };
    expect(drawn(1, "normal")).toEqual(drawn(1, "normal"));
    expect(drawn(1, "normal")).not.toEqual(drawn(2, "normal"));
    const mean = (list: readonly number[]): number => list.reduce((x, y) => x + y, 0) / list.length;
    const signs = drawn(3, "sign");
    expect(new Set(signs)).toEqual(new Set([1, -1]));
    expect(Math.abs(mean(signs))).toBeLessThan(0.03);
    const normal = drawn(3, "normal");
    expect(Math.abs(mean(normal))).toBeLessThan(0.03);
    expect(mean(normal.map((x) => x * x))).toBeCloseTo(1, 1);
  });
});
