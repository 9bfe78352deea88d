// The least slope at a kink worked out by hand: how errors of bounds are counted, and where it looks.
import { describe, expect, test } from "vitest";
import { leastSlope, type Measures, type Seen, shortestMean } from "../src/certificate/subgradient.js";
import type { Vector } from "../src/certificate/vectors.js";

const measures: Measures = { length: 1, along: 1, error: 1e-5, enough: 1e-3 };
type Function1 = (x: number) => readonly [value: number, slope: number];

/** A function of one number, with the points it was asked for. */
function watched(f: Function1, rounding = 0) {
  const asked: number[] = [];
  const at = async ([x]: Vector): Promise<Seen> => {
    asked.push(x);
    const [value, slope] = f(x);
    return { point: [x], value, slope: [slope], rounding };
  };
  return { asked, at };
}
/** Falls by so much a unit to its kink at `x`, and rises by 1. */
const kinkAt =
  (x: number, falls = 1): Function1 =>
  (y) =>
    y > x ? [y - x, 1] : [falls * (x - y), -falls];

const of = (f: Function1, theta: number, more: Partial<Measures> = {}, rounding = 0) =>
  leastSlope(watched(f, rounding).at, Float64Array.of(theta), { ...measures, ...more });

describe("a bound from the other side of a kink", () => {
  // At θ above it the other side's slope −1 bounds |x| by 2θ too little, and the mean of both, which is flat, by θ.
  test("is taken where it comes near enough, and not where the flat mean is too far below", async () => {
    const near = await of(kinkAt(0), 1e-5, { error: 1.1e-5 });
    expect(near.slope).toBeLessThan(1e-3);
    expect((await of(kinkAt(0), 1e-5, { error: 0.9e-5 })).slope).toBe(1);
  });

  test("is less near by what rounding may make of it, and of no use where that alone is too much", async () => {
    const above = { error: 1.5e-5 };
    expect((await of(kinkAt(0), 1e-6, above, 1.2e-5)).slope).toBeLessThan(1e-3);
    expect((await of(kinkAt(0), 1e-5, above, 1.2e-5)).slope).toBe(1);
    expect((await of(kinkAt(0), 1e-7, { error: 1.5e-5 }, 1.5e-5)).slope).toBeLessThan(1e-3);
    expect((await of(kinkAt(0), 1e-7, { error: 1.5e-5 }, 1.6e-5)).slope).toBe(1);
  });

  test("up to ten times the allowed error counts as part of a mean, beyond that it does not", async () => {
    // Of slopes 1 and −f a share of 1/(1 + f) is flat: the error of the bound is (1 + f)θ, that of the mean θ.
    expect((await of(kinkAt(0, 9), 1e-5, { error: 1.02e-5 })).slope).toBeLessThan(1e-3);
    expect((await of(kinkAt(0, 11), 1e-5, { error: 1.1e-5 })).slope).toBe(1);
  });
});

describe("what is measured", () => {
  const line: Function1 = (x) => [3 * x, 3];

  test("is the slope in lengths, and the change along the point in what it is beside", async () => {
    expect(await of(line, 5, { length: 2, along: 4 })).toMatchObject({ slope: 1.5, growth: 15 / 4 });
    expect((await of(line, -5, { length: 2, along: 4 })).growth).toBe(15 / 4);
  });

  test("a slope that is small is looked at further while the growth is not", async () => {
    const far = await of(kinkAt(1), 1 + 1e-6, { length: 2000 });
    expect(far.growth).toBeLessThan(1e-3);
  });
});

describe("where it looks", () => {
  test("first a hundredth of the point's length away, or of 1, down what is measured", async () => {
    const asked: Vector[] = [];
    const at = async (point: Vector): Promise<Seen> => {
      asked.push(point);
      return { point, value: point[0] + 2 * point[1], slope: [1, 2], rounding: 0 };
    };
    const first = async (theta: readonly number[]) => {
      asked.length = 0;
      await leastSlope(at, Float64Array.from(theta), { ...measures, length: 2, along: 4 });
      return Array.from(asked[1], (x, i) => x - theta[i]);
    };
    // Measured it is (0.5, 1) and (3 + 8)/4: down that, in the same units, −(0.25, 0.5) − 11/16 · (3, 4).
    const down = [0.25 + (11 / 16) * 3, 0.5 + (11 / 16) * 4];
    const size = Math.hypot(...down);
    expect(await first([3, 4])).toEqual(down.map((x) => expect.closeTo((-0.05 * x) / size, 12)));
    expect(Math.hypot(...(await first([0.3, 0.4])))).toBeCloseTo(0.01, 12);
  });

  test.each([
    ["half as far at most where a bound is hardly too far below", 1.1, 0.5],
    ["nearer by the root of how much it is", 9, 0.3],
    ["a twentieth as far at least", 1e6, 0.05],
    ["as far again where it is about right", 0.5, 1],
    ["farther where it is well within", 0.1, 1.5],
  ])("then %s", async (_, times, share) => {
    // x + x²/2 at 0: from 0.01 away it is bounded by 0.01²/2 too little.
    const { asked, at } = watched((x) => [x + x ** 2 / 2, 1 + x]);
    await leastSlope(at, Float64Array.of(0), { ...measures, error: 0.01 ** 2 / 2 / times });
    expect(asked.slice(0, 3)).toEqual([0, -0.01, -0.01 * share].map((x) => expect.closeTo(x, 12)));
  });

  test("thirty times at most", async () => {
    const { asked, at } = watched((x) => [x, 1]);
    await leastSlope(at, Float64Array.of(0), measures);
    expect(asked).toHaveLength(31);
  });
});

test("the shortest mean of the same again is that", () => {
  expect(
    shortestMean([
      [1, 2],
      [1, 2],
    ]),
  ).toEqual([1, 2]);
});

test("the lowest point that was seen is one to go on from, where it is lower by more than rounding", async () => {
  const { lower } = await of(kinkAt(0), 1);
  expect(lower![0]).toBeLessThan(1);
  expect((await of(kinkAt(0), 0)).lower).toBeUndefined();
  expect((await of(kinkAt(0), 1, {}, 2)).lower).toBeUndefined();
});
