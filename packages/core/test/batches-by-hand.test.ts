// Which rows a step sees, what becomes of each part of the data, and means over groups that a batch may lack: on a few rows, by hand.
import { array, cast, constant, evaluate, NdArray, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { groupMeans, observedOf } from "../src/problem/group-means.js";
import { type BatchOptions, batches, type Sized } from "../src/solver/minibatch.js";

const none: Sized = { groups: [], sizes: {}, sidesOf: () => 1 };
const column = (length: number, from = 0) => array(Float64Array.from({ length }, (_, i) => from + i));
const nested = ({ data, shape: [steps, size] }: NdArray): number[][] =>
  Array.from({ length: steps }, (_, i) => Array.from(data.subarray(i * size, (i + 1) * size)));
const sorted = (rows: readonly number[]) => [...rows].sort((a, b) => a - b);
const list = (tensor: Tensor): number[] => Array.from(evaluate(tensor).data);
const numbers = (values: readonly number[]) => cast(array(Float64Array.from(values)), "float64");

describe("the rows of steps", () => {
  const rowsOf = (from: number, steps: number, options: BatchOptions = { size: 3 }) =>
    nested(batches(column(10), options, none).rows(from, steps).of10);

  test("cover every example once per epoch, in that epoch's order; a remainder is dropped", () => {
    const epochs = [0, 3, 6].map((from) => rowsOf(from, 3).flat());
    for (const rows of epochs) {
      expect(rows).toHaveLength(9);
      expect(new Set(rows).size).toBe(9);
      for (const row of rows) expect(row >= 0 && row < 10).toBe(true);
    }
    expect(new Set(epochs.map((rows) => rows.join())).size).toBe(3);
    expect(sorted(rowsOf(0, 2, { size: 5 }).flat())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(new Set(rowsOf(0, 1, { size: 9 }).flat()).size).toBe(9);
  });

  test("depend on the seed and the number of the step alone", () => {
    const all = rowsOf(0, 12);
    for (const [from, steps] of [
      [0, 5],
      [5, 4],
      [2, 1],
      [11, 1],
    ])
      expect(rowsOf(from, steps)).toEqual(all.slice(from, from + steps));
    // Asked of one and the same, forth and back.
    const again = batches(column(10), { size: 3 }, none);
    for (const from of [9, 0, 4, 3])
      expect(nested(again.rows(from, 2).of10)).toEqual(all.slice(from, from + 2));
    expect(rowsOf(0, 12, { size: 3, seed: 0 })).toEqual(all);
    expect(rowsOf(0, 12, { size: 3, seed: 1 })).not.toEqual(all);
  });

  test("are of each length of the data that has more than a batch", () => {
    const data = { x: column(10), y: column(10), z: column(7), small: column(3), one: 2 };
    const { rows } = batches(data, { size: 3 }, none);
    expect(Object.keys(rows(0, 1)).sort()).toEqual(["of10", "of7"]);
    expect(nested(rows(0, 2).of10)).toEqual(rowsOf(0, 2));
    expect(rows(0, 2).of7.shape).toEqual([2, 3]);
    expect(sorted(nested(rows(0, 2).of7).flat()).every((row) => row < 7)).toBe(true);
  });

  test.each([0, -1, 2.5, Number.NaN])("are not %d", (size) => {
    expect(() => batches(column(10), { size }, none)).toThrow(
      `batch.size must be a whole number from 1, got ${size}.`,
    );
  });
});

describe("the data of a step", () => {
  const rows = {
    of10: constant(array(Int32Array.of(4, 0, 9))),
    of7: constant(array(Int32Array.of(6, 2, 1))),
  };
  const all = {
    x: column(10, 100),
    z: column(7, 200),
    small: column(3, 300),
    weights: { train: column(10, 400), list: [column(10, 500), column(10, 600)] },
    weightsToo: column(10, 700),
  };
  const traced = (data: unknown): unknown =>
    data instanceof NdArray
      ? constant(data)
      : Array.isArray(data)
        ? data.map(traced)
        : Object.fromEntries(Object.entries(data as object).map(([name, part]) => [name, traced(part)]));
  const chosen = (whole?: readonly string[]) =>
    batches(all, { size: 3, whole }, none).choose(
      traced(all) as Record<"x" | "z" | "small" | "weightsToo", Tensor> & {
        weights: { train: Tensor; list: Tensor[] };
      },
      rows,
    );

  test("are its rows of what is longer than a batch, and all of what is not", () => {
    const { x, z, small, weights } = chosen();
    expect(list(x)).toEqual([104, 100, 109]);
    expect(list(z)).toEqual([206, 202, 201]);
    expect(list(small)).toEqual([300, 301, 302]);
    expect(weights.list.map(list)).toEqual([
      [504, 500, 509],
      [604, 600, 609],
    ]);
  });

  test("are all of what is asked for whole, by its path, and of nothing else whose name begins so", () => {
    const sizes = (whole: readonly string[]) => {
      const { x, weights, weightsToo } = chosen(whole);
      return [x, weights.train, ...weights.list, weightsToo].map(({ size }) => size);
    };
    expect(sizes(["weights"])).toEqual([3, 10, 10, 10, 3]);
    expect(sizes(["weights.train"])).toEqual([3, 10, 3, 3, 3]);
    expect(sizes(["weights.list"])).toEqual([3, 3, 10, 10, 3]);
    expect(sizes(["weights.list[1]", "x"])).toEqual([10, 3, 3, 10, 3]);
    expect(batches({ x: column(10) }, { size: 3, whole: ["x"] }, none).rows(0, 1)).toEqual({});
  });

  test("are named as one writes them where data is a list", () => {
    const { choose } = batches([column(10), column(10)], { size: 3, whole: ["[0]"] }, none);
    const pair = choose([constant(column(10)), constant(column(10))], rows);
    expect(pair.map(({ size }) => size)).toEqual([10, 3]);
    const records = batches([{ x: column(10), y: column(10) }], { size: 3, whole: ["[0].y"] }, none);
    const [{ x, y }] = records.choose([{ x: constant(column(10)), y: constant(column(10)) }], rows);
    expect([x.size, y.size]).toEqual([3, 10]);
  });

  test("are refused where there is no such part, even if a part's name begins so", () => {
    expect(() => chosen(["weights", "weight"])).toThrow(
      'batch.whole: the data has no "weight"; it has small, weights.list[0], weights.list[1], weights.train, weightsToo, x, z.',
    );
  });
});

describe("a requirement on every example", () => {
  const rows = { of10: constant(array(Int32Array.of(4, 0, 9, 2))) };
  const elements = (names: readonly string[], sides = 1) =>
    batches(
      column(10),
      { size: 4 },
      {
        groups: [{ names }, { names: ["mean"] }],
        sizes: { each: 10 * sides, mean: 1, other: 5 },
        sidesOf: (name) => (name === "each" ? sides : 1),
      },
    ).elements(rows);
  const vector = numbers([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);

  test("has the elements of the step's rows, which stand for all", () => {
    const [each, mean] = elements(["each"]);
    expect(mean).toBeUndefined();
    expect(each!.share).toBe(2.5);
    expect(list(each!.take(vector))).toEqual([40, 0, 90, 20]);
    expect(list(each!.put(vector, numbers([-4, -1, -9, -2])))).toEqual([
      -1, 10, -2, 30, -4, 50, 60, 70, 80, -9,
    ]);
  });

  test("has those of both its sides", () => {
    const [each] = elements(["each"], 2);
    const both = numbers([...list(vector), ...list(vector).map((x) => x + 1)]);
    expect(each!.share).toBe(2.5);
    expect(list(each!.take(both))).toEqual([40, 0, 90, 20, 41, 1, 91, 21]);
    const put = list(each!.put(both, numbers([-1, -2, -3, -4, -5, -6, -7, -8])));
    expect(put.slice(0, 10)).toEqual([-2, 10, -4, 30, -1, 50, 60, 70, 80, -3]);
    expect(put.slice(10)).toEqual([-6, 11, -8, 31, -5, 51, 61, 71, 81, -7]);
  });

  test("needs a cost of its own; requirements of one number or another length do not", () => {
    expect(() => elements(["mean", "each"])).toThrow(
      "In minibatches a requirement on every example needs a cost of its own; mean, each share one.",
    );
    expect(elements(["mean", "other"])).toEqual([undefined, undefined]);
  });
});

describe("means over groups", () => {
  const members = (rows: readonly (readonly number[])[]) => constant(array(rows as number[][]));

  test("are of their members by weight, and a group without any was not observed", () => {
    const { value, observed } = groupMeans(
      numbers([1, 2, 4, 8]),
      members([
        [1, 0, 1, 0],
        [0, 3, 0, 1],
        [0, 0, 0, 0],
      ]).transpose(),
    );
    expect(list(value)).toEqual([2.5, 3.5, 0]);
    expect(list(observed!)).toEqual([1, 1, 0]);
    expect([value.dtype, observed!.dtype]).toEqual(["float64", "float64"]);
  });

  test.each([
    [[4, 2], [4, 2], "[4,2] and [4,2]"],
    [[4], [4, 2, 3], "[4] and [4,2,3]"],
    [[4], [3], "[4] and [3]"],
    [[4], [2, 4], "[4] and [2,4]"],
    [[3], [4, 3], "[3] and [4,3]"],
  ])("are refused for shapes %o and %o", (values, groups, got) => {
    const ones = (shape: readonly number[]) =>
      constant(new NdArray(new Float32Array(shape.reduce((a, b) => a * b)).fill(1), shape));
    expect(() => groupMeans(ones(values), ones(groups))).toThrow(
      `groupMeans: values [n] and members [n, groups] are needed, got ${got}.`,
    );
  });
});

describe("what a loss gave", () => {
  const matrix = constant(
    array([
      [1, 2],
      [3, 4],
    ]),
  );

  test("is a vector, with what was observed where that is said", () => {
    expect(list(observedOf("a", matrix, "float32").value)).toEqual([1, 2, 3, 4]);
    expect(observedOf("a", matrix, "float32").value.shape).toEqual([4]);
    expect(Object.keys(observedOf("a", matrix, "float32"))).toEqual(["value"]);
    const seen = observedOf("a", { value: matrix, observed: matrix.gt(2) }, "float32");
    expect(list(seen.observed!)).toEqual([0, 0, 1, 1]);
    expect([seen.observed!.shape, seen.observed!.dtype]).toEqual([[4], "float32"]);
    const stepped = observedOf("a", { value: matrix, resolution: matrix.mul(0.25) }, "float32");
    expect(list(stepped.resolution!)).toEqual([0.25, 0.5, 0.75, 1]);
    expect(stepped.resolution!.shape).toEqual([4]);
  });

  test("is of the objective's dtype, unless it is only counted", () => {
    expect(() => observedOf("recall", matrix, "float64")).toThrow(
      "recall: its loss must be a tensor of float64 like the objective, got float32.",
    );
    const counted = observedOf("recall", matrix.gt(2), "float64", { counted: true });
    expect(list(counted.value)).toEqual([0, 0, 1, 1]);
    expect(counted.value.dtype).toBe("float64");
  });

  test.each([
    [3, "number"],
    [null, "null"],
    [undefined, "undefined"],
    [{ value: 3 }, "object"],
  ])("is refused where it is %o", (given, got) => {
    for (const counted of [false, true])
      expect(() => observedOf("recall", given as never, "float32", { counted })).toThrow(
        `recall: its loss must be a tensor of float32 like the objective, got ${got}.`,
      );
  });
});
