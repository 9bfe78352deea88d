// What a model relies on, for all rows and within groups, from a "model" whose answers are known in closed form.
import type { Encoding } from "@pliant/data";
import { NdArray } from "@pliant/engine";
import { describe, expect, it } from "vitest";
import type { Examples } from "../src/data/examples.js";
import { explain, groupParts } from "../src/explain/importance.js";

const count = 1200;
/** A pseudo-random number between −1 and 1. */
const noise = (i: number): number => (Math.sin(i * 12.9898) * 43758.5453) % 1;
const inA = (i: number): boolean => i % 3 === 0;
/** Columns: one that group A is answered by, one for group B, one that is nothing but the group, one that nothing reads. */
const cells = Float32Array.from({ length: 4 * count }, (_, at) => {
  const [i, column] = [Math.floor(at / 4), at % 4];
  if (column === 2) return inA(i) ? 1 : -1;
  return noise(at + 1);
});
const encoding = {
  columns: ["for A", "for B", "group", "unused"].map((name) => ({ name, kind: "number", mean: 10, std: 2 })),
} as unknown as Encoding;
const examples = {
  x: new NdArray(cells, [count, 4]),
  y: new NdArray(new Float32Array(count), [count]),
  count,
  groups: {},
} as unknown as Examples;

/** Group A is answered by 1·(for A), group B by 3·(for B); both by the group's sign. The loss is squared against the true answer. */
const answer = (x: ArrayLike<number>, i: number): number =>
  (inA(i) ? x[4 * i] : 3 * x[4 * i + 1]) + 5 * x[4 * i + 2];
const truth = Float64Array.from({ length: count }, (_, i) => answer(cells, i));
const answering = async ({ x }: Examples) => {
  const own = Float64Array.from({ length: count }, (_, i) => answer(x.data as Float32Array, i));
  return { answer: own, loss: own.map((a, i) => (a - truth[i]) ** 2) };
};
const marks = (of: (i: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: count }, (_, i) => Number(of(i)));
const parts = [
  { column: "group", value: "A", marks: marks(inA) },
  { column: "group", value: "B", marks: marks((i) => !inA(i)) },
];
const found = await explain(examples, encoding, answering, parts, 0);
const [a, b] = found.parts;
const importance = (of: typeof a, feature: string) => of.importance.find((one) => one.feature === feature)!;
/** Mean of (z − z′)² over independent draws: twice the variance. */
const twice = (column: number, of: (i: number) => boolean): number => {
  const own = Array.from({ length: count }, (_, i) => i)
    .filter(of)
    .map((i) => cells[4 * i + column]);
  const mean = own.reduce((s, z) => s + z, 0) / own.length;
  return (2 * own.reduce((s, z) => s + (z - mean) ** 2, 0)) / own.length;
};

describe("importance within a group", () => {
  it("is that of the columns its own rows are answered by, most important first", () => {
    expect(a.rows).toBe(400);
    expect(b.rows).toBe(800);
    expect(a.importance[0].feature).toBe("for A");
    expect(b.importance[0].feature).toBe("for B");
    expect(importance(a, "for A").mean / twice(0, inA)).toBeCloseTo(1, 0);
    expect(importance(b, "for B").mean / (9 * twice(1, (i) => !inA(i)))).toBeCloseTo(1, 0);
    for (const [part, none] of [
      [a, "for B"],
      [b, "for A"],
      [a, "unused"],
      [b, "unused"],
    ] as const)
      expect(importance(part, none)).toMatchObject({ mean: 0, low: 0, high: 0 });
  });

  it("is 0 for a column that only tells groups apart, though it matters most for all rows", () => {
    expect(found.whole.importance[0].feature).toBe("group");
    expect(found.whole.importance[0].low).toBeGreaterThan(1);
    expect(importance(a, "group").mean).toBe(0);
    expect(importance(b, "group").mean).toBe(0);
  });

  it("has an interval around its mean that is wider for fewer rows", () => {
    const [all, one] = [importance(found.whole, "for A"), importance(a, "for A")];
    expect(one.low).toBeLessThan(one.mean);
    expect(one.high).toBeGreaterThan(one.mean);
    expect(one.high - one.low).toBeGreaterThan(all.high - all.low);
  });
});

describe("effects within a group", () => {
  const effect = (of: typeof a, feature: string) => of.effects.find((one) => one.feature === feature)!;

  it("are straight lines of the group's own slope, at the places of all rows", () => {
    for (const [part, feature, slope] of [
      [a, "for A", 1],
      [b, "for A", 0],
      [a, "for B", 0],
      [b, "for B", 3],
    ] as const) {
      const { x, y } = effect(part, feature);
      expect(x).toEqual(effect(found.whole, feature).x);
      for (let k = 1; k < x.length; k++)
        // The axis is in the column's own units: 2 to one of the encoded.
        expect(y[k] - y[0]).toBeCloseTo((slope * ((x[k] as number) - (x[0] as number))) / 2, 4);
    }
  });

  it("average to those of all rows, weighted by rows", () => {
    for (const { feature, y } of found.whole.effects)
      for (const [k, value] of y.entries())
        expect((a.rows * effect(a, feature).y[k] + b.rows * effect(b, feature).y[k]) / count).toBeCloseTo(
          value,
          4,
        );
  });
});

it("a group is explained on its own from 30 rows on", () => {
  const cells = [...new Array(30).fill("A"), ...new Array(29).fill("B"), null];
  const found = groupParts("region", cells, ["A", "B", "C"]);
  expect(found.map(({ column, value }) => [column, value])).toEqual([["region", "A"]]);
  expect(Array.from(found[0].marks)).toEqual(cells.map((cell) => Number(cell === "A")));
});
