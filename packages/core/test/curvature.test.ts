// Whether a stationary point is a minimum: saddles and hilltops are refused, with a lower point to go on from, and minima are not.
import { atMost, equals, hard, minimise, type Requirement } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inspectGround } from "../src/certificate/curvature.js";
import { kktStep } from "../src/certificate/newton-kkt.js";
import { float64 } from "./float64.js";
import { modelOf, pointOf } from "./models.js";

const part = (x: Tensor, j: number): Tensor => x.slice([[j, j + 1]]);
type Named = Record<string, Requirement<Tensor, Tensor>>;
const far: Named = { far: atMost(1e3, (x) => x.sum(), { cost: hard }) };

async function groundAt(
  objective: (x: Tensor) => Tensor,
  x: readonly number[],
  requirements: Named = far,
  prices: readonly number[] = [0],
) {
  const task = minimise({
    params: { x: float64(x) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => objective(x).sum(),
  }).subjectTo(requirements);
  const { model } = await modelOf(task);
  const point = pointOf(model, x, prices);
  const step = await kktStep(model, point);
  const ground = await inspectGround(model, point, step, {
    rounding: 1e-9,
    priced: step.at.slacks,
  });
  const { t } = step.scales;
  const meritAt = async (y: typeof point.x) => (await model.augmented(y, point.prices, t)).merit;
  const falls = ground.lower && (await meritAt(point.x)) - (await meritAt(ground.lower));
  return { kind: ground.kind, falls };
}

describe("a saddle", () => {
  test.each<[string, (x: Tensor) => Tensor, number[]]>([
    [
      "between two wells",
      (x) =>
        part(x, 0)
          .pow(2)
          .add(part(x, 1).pow(4).sub(part(x, 1).pow(2))),
      [0, 0],
    ],
    ["on top of a hill", (x) => x.pow(4).sub(x.pow(2)).sum(), [0, 0]],
    ["of a factorisation", (x) => part(x, 0).mul(part(x, 1)).sub(1).pow(2), [0, 0]],
    ["far from 0", (x) => x.sub(1e3).pow(4).sub(x.sub(1e3).pow(2)).sum(), [1e3]],
    [
      "across both parameters",
      (x) => part(x, 0).mul(part(x, 1)).mul(3).add(x.pow(4).sum()).add(x.pow(2).sum()),
      [0, 0],
    ],
  ])("%s is refused, with a lower point", async (_, objective, x) => {
    for (const size of [1e-4, 1, 1e4]) {
      const { kind, falls } = await groundAt((y) => objective(y).mul(size), x);
      expect(kind).toBe("saddle");
      expect(falls).toBeGreaterThan(1e-3 * size);
    }
  });

  test("that bends down in one of many directions is found, whichever", async () => {
    const n = 40;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: n - 1 }), async (down) => {
        const bend = float64(Array.from({ length: n }, (_, j) => (j === down ? -1 : 1 + j)));
        const { kind, falls } = await groundAt(
          (x) => x.pow(2).mul(bend).add(x.pow(4)).sum(),
          new Array(n).fill(0),
        );
        expect(kind).toBe("saddle");
        expect(falls).toBeGreaterThan(0.1);
      }),
      { numRuns: 8 },
    );
  });

  test("along a tight requirement is refused, and one across it is none", async () => {
    // x² − y² + y⁴ with y = 0, or with x = 0: the second order looks along what is tight alone.
    const bowl = (x: Tensor): Tensor => part(x, 0).pow(2).sub(part(x, 1).pow(2)).add(part(x, 1).pow(4));
    const across: Named = { held: equals(0, (x) => part(x, 1), { cost: hard }) };
    const along: Named = { held: equals(0, (x) => part(x, 0), { cost: hard }) };
    expect((await groundAt(bowl, [0, 0], across, [1e-9])).kind).toBe("minimum");
    expect((await groundAt(bowl, [0, 0], along, [1e-9])).kind).toBe("saddle");
  });
});

test("a surrogate may fall alone: a point is lower only if the count falls too", async () => {
  const task = minimise({
    params: { x: float64([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.pow(4).sum().mul(0.1).add(1),
  }).subjectTo({
    count: atMost(0, (x) => x.pow(2).neg().sum(), { hard: true, pricedBy: "strict", strict: (x) => x.sum() }),
  });
  const { model } = await modelOf(task);
  const point = pointOf(model, [0], [1]);
  const step = await kktStep(model, point);
  const countedAs = (pricedAt: (x: typeof point.x) => number) =>
    inspectGround(model, point, step, {
      rounding: 1e-9,
      priced: Float64Array.of(0),
      pricedAt: async (x) => Float64Array.of(pricedAt(x)),
    });
  expect(await countedAs(() => 0)).toEqual({ kind: "minimum", isBowl: false });
  const { kind, lower } = await countedAs(([x]) => -(x ** 2));
  expect([kind, Math.abs(lower![0]) > 1]).toEqual(["saddle", true]);
});

describe("flat ground", () => {
  test("that falls in the fourth order alone is not the lowest", async () => {
    // The Hessian at 0 is 0: x⁶ − x⁴ says nothing there, and falls on either side.
    const { kind, falls } = await groundAt((x) => x.pow(6).sub(x.pow(4)).add(1).sum(), [0, 0]);
    expect(kind).toBe("not lowest");
    expect(falls).toBeGreaterThan(1e-3);
  });

  test("that rises in the fourth order is a minimum", async () => {
    expect((await groundAt((x) => x.pow(4).add(1).sum(), [0, 0])).kind).toBe("minimum");
  });

  test("a valley with a flat floor is a minimum", async () => {
    expect((await groundAt((x) => x.sum().pow(2).add(1), [0.5, -0.5])).kind).toBe("minimum");
  });
});

describe("a minimum", () => {
  test("a bowl has one, however elongated", async () => {
    const bends = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(bends, async (exponents) => {
        const bend = float64(exponents.map((k) => 10 ** k));
        const { kind, falls } = await groundAt(
          (x) => x.sub(1).pow(2).mul(bend).sum().add(1),
          exponents.map(() => 1),
        );
        expect([kind, falls]).toEqual(["minimum", undefined]);
      }),
      { numRuns: 15 },
    );
  });

  test("a well beside a lower one is a local minimum", async () => {
    // x⁴ − x² + 0.1x bends up at its higher well, near 0.68.
    let x = 0.7;
    for (let k = 0; k < 30; k++) x -= (4 * x ** 3 - 2 * x + 0.1) / (12 * x ** 2 - 2);
    expect((await groundAt((y) => y.pow(4).sub(y.pow(2)).add(y.mul(0.1)).sum(), [x])).kind).toBe("minimum");
  });
});
