// Keys and streams: the same numbers for ever, laws that all draws obey, and mistakes.
import { compile, type NdArray, reference, type Tensor, uniformFrom } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bernoulli,
  bits,
  categorical,
  foldIn,
  type Key,
  key,
  normal,
  normalQuantile,
  packed,
  permutation,
  randint,
  split,
  threefry2x32,
  uniform,
} from "../src/random.js";
import { correlation, kolmogorovSmirnov } from "./sampled.js";

const numbers = (array: NdArray): number[] => Array.from(array.data);
const anyKey = fc.maxSafeNat().map(key);

describe("the stream never changes", () => {
  test.each([
    [
      [0, 0],
      [0, 0],
      [0x6b200159, 0x99ba4efe],
    ],
    [
      [0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x1cb996fc, 0xbb002be7],
    ],
    [
      [0x243f6a88, 0x85a308d3],
      [0x13198a2e, 0x03707344],
      [0xc4923a9c, 0x483df7a0],
    ],
  ])("Threefry-2x32-20 of counter %j under key %j is Random123's known answer", (counter, k, answer) => {
    const out = new Uint32Array(2);
    threefry2x32(k as unknown as Key, counter[0], counter[1], out, 0);
    expect(Array.from(out)).toEqual(answer);
  });

  // Checked against an independent program (Python integers, mpmath for the normal quantiles).
  const k = key(2024 * 2 ** 32 + 7);

  test("keys", () => {
    expect(k).toEqual([2024, 7]);
    expect(split(k, 3)).toEqual([
      [620978590, 1762178097],
      [2444485638, 3217857041],
      [1483662939, 2322350955],
    ]);
    expect(foldIn(k, 0)).toEqual([141963811, 3366029195]);
    expect(foldIn(k, 1)).toEqual([1302977787, 3715072542]);
    expect(foldIn(k, Number.MAX_SAFE_INTEGER)).toEqual([4284379393, 1339672452]);
  });

  test("bits and uniform numbers", () => {
    expect(Array.from(bits(k, 5))).toEqual([692935116, 830801453, 1759330970, 208188617, 3840175003]);
    expect(numbers(uniform(k, [4]))).toEqual([
      0.1613364815711975, 0.19343602657318115, 0.4096261262893677, 0.04847264289855957,
    ]);
    expect(numbers(uniform(k, [4], { low: -2, high: 3 }))).toEqual([
      -1.1933176517486572, -1.0328198671340942, 0.04813063144683838, -1.7576367855072021,
    ]);
    expect(numbers(uniform(k, [4], { dtype: "float64" }))).toEqual([
      0.16133652911368657, 0.40962616215657266, 0.894110417707333, 0.4729870867924053,
    ]);
  });

  test("normal numbers", () => {
    expect(numbers(normal(k, [4]))).toEqual([
      -0.9889797568321228, -0.8653037548065186, -0.22850672900676727, -1.659846305847168,
    ]);
    expect(numbers(normal(k, [4], { dtype: "float64" }))).toEqual([
      -0.9889797319079847, -0.22850673053887205, 1.2486881285280582, -0.0677631559810805,
    ]);
  });

  test("every bit of 20,000 float64 normal numbers", () => {
    const { data } = normal(k, [20_000], { dtype: "float64" });
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let hash = 0x811c9dc5;
    for (let at = 0; at < view.byteLength; at += 4) {
      hash = Math.imul(hash ^ view.getInt32(at, true), 0x01000193);
    }
    expect(hash >>> 0).toBe(2203263049);
  });

  test("choices", () => {
    expect(numbers(bernoulli(k, [8], 0.5))).toEqual([1, 1, 0, 1, 1, 1, 0, 0]);
    expect(numbers(randint(k, [8], -10, 10))).toEqual([-7, -2, 7, -1, -8, -9, 5, 7]);
    expect(numbers(categorical(k, [1, 0, 3, 4], [8]))).toEqual([2, 2, 3, 2, 2, 0, 3, 3]);
    expect(numbers(permutation(k, 8))).toEqual([3, 4, 2, 1, 6, 0, 5, 7]);
  });
});

describe("keys", () => {
  test("are plain data and keep every bit of the seed", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (seed) => {
        const k = key(seed);
        expect(JSON.parse(JSON.stringify(k))).toEqual(k);
        expect(k[0] * 2 ** 32 + k[1]).toBe(seed);
      }),
    );
  });

  test("split into fewer keys is the beginning of split into more", () => {
    fc.assert(
      fc.property(anyKey, fc.nat(20), fc.nat(20), (k, n, more) => {
        expect(split(k, n)).toEqual(split(k, n + more).slice(0, n));
      }),
    );
    expect(split(key(1))).toHaveLength(2);
  });

  test("split and folded keys never meet, nor meet the words drawn", () => {
    const k = key(3);
    const folded = Array.from({ length: 5000 }, (_, i) => foldIn(k, i));
    const large = Array.from({ length: 5000 }, (_, i) => foldIn(k, (i + 1) * 2 ** 32));
    const words = bits(k, 10_000);
    const drawn = Array.from({ length: 5000 }, (_, i) => [words[2 * i], words[2 * i + 1]]);
    const all = [...split(k, 5000), ...folded, ...large, ...drawn, k];
    expect(new Set(all.map(String)).size).toBe(all.length);
  });

  test("of two generations never coincide", () => {
    const all = split(key(4), 100).flatMap((k, i) => [k, ...split(k, 50), foldIn(k, i), foldIn(k, 0)]);
    // foldIn(k, i) and foldIn(k, 0) are the same key for i = 0.
    expect(new Set(all.map(String)).size).toBe(all.length - 1);
  });

  test("near each other give uncorrelated streams", () => {
    const parent = key(5);
    const draws = [
      parent,
      key(6),
      key(5 + 2 ** 32),
      ...split(parent, 3),
      foldIn(parent, 0),
      foldIn(parent, 1),
    ].map((k) => uniform(k, [10_000]).data);
    const found: number[] = [];
    for (let i = 0; i < draws.length; i++) {
      for (let j = 0; j < i; j++) found.push(Math.abs(correlation(draws[i], draws[j])));
    }
    expect(Math.max(...found)).toBeLessThan(3.7);
  });

  test("from consecutive seeds give uniform first draws", () => {
    const firstOf = (keys: Key[]) => keys.map((k) => uniform(k, []).item());
    const number = Array.from({ length: 5000 }, (_, i) => i);
    expect(kolmogorovSmirnov(firstOf(number.map(key)), (x) => x)).toBeLessThan(1.95);
    expect(kolmogorovSmirnov(firstOf(split(key(7), 5000)), (x) => x)).toBeLessThan(1.95);
    const folded = firstOf(number.map((i) => foldIn(key(7), i)));
    expect(kolmogorovSmirnov(folded, (x) => x)).toBeLessThan(1.95);
    expect(Math.abs(correlation(folded.slice(1), folded.slice(0, -1)))).toBeLessThan(3.7);
  });
});

describe("laws of all draws", () => {
  const draws: Record<string, (k: Key, shape: number[]) => NdArray> = {
    "float32 uniform": (k, shape) => uniform(k, shape),
    "float64 uniform": (k, shape) => uniform(k, shape, { low: -1, high: 5, dtype: "float64" }),
    "float32 normal": (k, shape) => normal(k, shape, { mean: 3, std: 2 }),
    "float64 normal": (k, shape) => normal(k, shape, { dtype: "float64" }),
    bernoulli: (k, shape) => bernoulli(k, shape, 0.3),
    randint: (k, shape) => randint(k, shape, -5, 100),
    categorical: (k, shape) => categorical(k, [1, 2, 3], shape),
  };

  test.each(Object.entries(draws))(
    "%s: the same key gives the same numbers, a shorter draw the first of them",
    (_, draw) => {
      fc.assert(
        fc.property(anyKey, fc.nat(40), fc.nat(40), (k, n, more) => {
          expect(numbers(draw(k, [n]))).toEqual(numbers(draw([...k], [n + more])).slice(0, n));
        }),
        { numRuns: 30 },
      );
    },
  );

  test.each(Object.entries(draws))("%s: the shape arranges the same numbers", (_, draw) => {
    const k = key(8);
    expect(draw(k, [2, 3]).shape).toEqual([2, 3]);
    expect(draw(k, [2, 3]).data).toEqual(draw(k, [6]).data);
    expect(draw(k, []).data).toHaveLength(1);
    expect(draw(k, [4, 0]).data).toHaveLength(0);
  });

  test("dtypes are those asked for", () => {
    const k = key(9);
    expect(Object.values(draws).map((draw) => draw(k, [1]).dtype)).toEqual(
      ["float32", "float64", "float32", "float64", "bool", "int32", "int32"], // in the order above
    );
    expect(permutation(k, 3).dtype).toBe("int32");
  });
});

describe("mistakes are answered with a sentence", () => {
  const k = key(0);
  test.each<[string, () => unknown, string]>([
    [
      "a negative seed",
      () => key(-1),
      "key: the seed must be a whole number from 0 to 9007199254740991, got -1",
    ],
    ["a seed above 2^53", () => key(2 ** 53), "key: the seed must be a whole number"],
    ["a fractional seed", () => key(0.5), "key: the seed must be a whole number"],
    [
      "a key that is none",
      () => bits([1, 2 ** 32], 1),
      "a random key is a pair of 32-bit whole numbers, got [1,4294967296]",
    ],
    [
      "a seed in place of a key",
      () => uniform(7 as unknown as Key, [1]),
      "a random key is a pair of 32-bit whole numbers, got 7",
    ],
    ["a negative number of keys", () => split(k, -1), "split: the number of keys must be a whole number"],
    ["a negative step", () => foldIn(k, -1), "foldIn: the number must be a whole number"],
    ["a fractional number of words", () => bits(k, 1.5), "bits: the number of words must be a whole number"],
    [
      "a negative size",
      () => uniform(k, [2, -1]),
      "uniform: a shape needs whole numbers of at least 0, got [2, -1]",
    ],
    [
      "too large a size",
      () => normal(k, [2 ** 20, 2 ** 20]),
      "normal: the number of elements must be a whole number",
    ],
    [
      "low above high",
      () => uniform(k, [1], { low: 1, high: 0 }),
      "uniform: low must be below high and both in float32",
    ],
    [
      "bounds equal in float32",
      () => uniform(k, [1], { low: 1, high: 1 + 1e-9 }),
      "uniform: low must be below high",
    ],
    [
      "bounds beyond float32",
      () => uniform(k, [1], { high: 1e39 }),
      "uniform: low must be below high and both in float32",
    ],
    ["a bound that is NaN", () => uniform(k, [1], { low: Number.NaN }), "got NaN and 1"],
    ["a negative std", () => normal(k, [1], { std: -1 }), "normal: needs std >= 0"],
    ["a mean that is NaN", () => normal(k, [1], { mean: Number.NaN }), "got mean NaN and std 1"],
    ["a std beyond float32", () => normal(k, [1], { std: 1e38 }), "mean ± 9 std in float32"],
    [
      "integers asked of uniform",
      () => uniform(k, [1], { dtype: "int32" as "float32" }),
      "uniform: dtype must be float32 or float64",
    ],
    ["p above 1", () => bernoulli(k, [1], 1.1), "bernoulli: p must lie between 0 and 1, got 1.1"],
    ["p that is NaN", () => bernoulli(k, [1], Number.NaN), "bernoulli: p must lie between 0 and 1, got NaN"],
    [
      "an empty range",
      () => randint(k, [1], 3, 3),
      "randint: needs whole -2^31 <= low < high <= 2^31, got 3 and 3",
    ],
    ["a fractional bound", () => randint(k, [1], 0, 2.5), "got 0 and 2.5"],
    ["a bound beyond int32", () => randint(k, [1], 0, 2 ** 31 + 1), "got 0 and 2147483649"],
    [
      "no weights",
      () => categorical(k, [], [1]),
      "categorical: the weights must have a finite sum above 0, got 0",
    ],
    [
      "weights all zero",
      () => categorical(k, [0, 0], [1]),
      "categorical: the weights must have a finite sum above 0, got 0",
    ],
    ["a negative weight", () => categorical(k, [1, -1], [1]), "categorical: weight 1 must be >= 0, got -1"],
    [
      "a weight that is NaN",
      () => categorical(k, [Number.NaN], [1]),
      "categorical: weight 0 must be >= 0, got NaN",
    ],
    ["an infinite weight", () => categorical(k, [1, Infinity], [1]), "finite sum above 0, got Infinity"],
    [
      "a negative permutation",
      () => permutation(k, -1),
      "permutation: a shape needs whole numbers of at least 0, got [-1]",
    ],
    ["the quantile of 0", () => normalQuantile(0), "normalQuantile: p must lie between 0 and 1, got 0"],
  ])("%s", (_, mistake, sentence) => {
    expect(mistake).toThrow(sentence);
  });
});

describe("numbers drawn where the program runs", () => {
  const keys = [key(3), foldIn(key(3), 1), [0xffff_ffff, 0x8000_0000] as const];
  test.each([[5], [2, 3], [1], [64]].map((shape) => ({ shape })))(
    "are the host's for each key, shape $shape",
    async ({ shape }) => {
      for (const backend of [reference(), await onnx()]) {
        const draw = compile((k: Tensor) => uniformFrom(k, shape), { backend });
        const found = await (await draw(packed(keys))).read();
        expect(found.shape).toEqual([3, ...shape]);
        expect([...found.data]).toEqual(keys.flatMap((k) => [...uniform(k, shape).data]));
        await backend.close();
      }
    },
  );
});
