// The check behind a certificate: what it certifies is right, errors are those of the numbers themselves, and no units enter.
import { type atLeast, atMost, type equals, hard, minimise, quadratic } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check, isSettled, residualOf } from "../src/certificate/certificate.js";
import { kktStep } from "../src/certificate/newton-kkt.js";
import { float64 } from "./float64.js";
import { inUnits, plain, type Units } from "./in-units.js";
import { after, modelOf, near, pointOf } from "./models.js";

/** The equilibrium of the problem in plain units, by Newton steps. */
async function equilibrium() {
  const { model, point } = await inUnits(plain);
  let now = { x: [0.2, 0.3, 0.1], prices: [0.8, 0.5, 0.3], relaxations: [0, 0.25, 0] };
  for (let k = 0; k < 12; k++) {
    const next = after(model, await kktStep(model, point(now.x, now.prices, now.relaxations)));
    now = { x: next.x, prices: next.prices, relaxations: [0, next.prices[1] / 2, 0] };
  }
  return now;
}
const solved = await equilibrium();
type Spot = typeof solved;

const checked = async (units: Units, { x, prices, relaxations }: Spot) => {
  const { model, point, options } = await inUnits(units);
  return check(model, point(x, prices, relaxations), options);
};
const moved = (by: number): Spot => ({
  x: solved.x.map((x, j) => x + by * [1, -0.6, 0.4][j]),
  prices: solved.prices.map((x, i) => x + by * [0.5, 0.3, -0.8][i]),
  relaxations: solved.relaxations.map((x) => (x === 0 ? 0 : x + 0.2 * by)),
});

describe("a check", () => {
  test("certifies an equilibrium, without any error left", async () => {
    const { certificate, failures, errors } = await checked(plain, solved);
    expect(failures).toEqual([]);
    expect(certificate).toMatchObject({ holds: true, kind: "local", short: [], tolerance: 3e-3 });
    expect(residualOf(certificate)).toBeLessThan(1e-9);
    expect(errors.objective).toBeLessThan(1e-12);
    expect(isSettled({ ...certificate, gap: 0 })).toBe(true);
  });

  test("states an error of a price whose own Newton step is 0, from what the step leaves", async () => {
    // ½(x − 3)² with x² ≤ 1: x = λ = 1. At 1 + δ there is a price which the step does not move, off by about δ².
    const { model, options } = await modelOf(
      minimise({
        params: { x: float64([1]) },
        forward: ({ x }: { x: Tensor }, _: Tensor) => x,
        objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
      }).subjectTo({ square: atMost(1, (x) => x.pow(2).sum(), { hard: true }) }),
    );
    const x = 1.001;
    const next = x - (x * x - 1) / (2 * x);
    const price = (3 - next) / (2 * next);
    const point = pointOf(model, [x], [price]);
    expect((await kktStep(model, point)).dPrices[0]).toBeCloseTo(0, 12);
    const { certificate, errors } = await check(model, point, options);
    expect(certificate.holds).toBe(true);
    const off = Math.abs(price - 1);
    expect(off).toBeGreaterThan(5e-7);
    expect(errors.prices[0] / off).toBeGreaterThan(0.5);
    expect(errors.prices[0] / off).toBeLessThan(3);
  });

  test("estimates the errors of the numbers that are stated, to second order", async () => {
    const by = 1e-3;
    const away = moved(by);
    const { errors, certificate } = await checked(plain, away);
    const { model } = await inUnits(plain);
    const ones = new Float64Array(3).fill(1);
    const at = async (x: readonly number[]) =>
      model.augmented(Float64Array.from(x), Float64Array.from(solved.prices), ones);
    const [here, there] = [await at(away.x), await at(solved.x)];
    expect(errors.objective).toBeCloseTo(Math.abs(here.objective - there.objective), 5);
    expect([...errors.prices]).toEqual(
      near(
        away.prices.map((p, i) => Math.abs(p - solved.prices[i])),
        5,
      ),
    );
    expect([...errors.values]).toEqual(
      near(
        Array.from(here.slacks, (g, i) => Math.abs(g - there.slacks[i])),
        5,
      ),
    );
    expect(errors.relaxations[1]).toBeCloseTo(Math.abs(away.relaxations[1] - solved.relaxations[1]), 5);
    expect([errors.relaxations[0], errors.relaxations[2]]).toEqual([0, 0]);
    expect(certificate.objectiveError).toBe(errors.objective);
    // Errors of a thousandth are seen, and not as something else.
    for (const [i, price] of solved.prices.entries())
      expect(errors.prices[i]).toBeGreaterThan(1e-4 * Math.abs(price));
  });

  test("refuses a point whose numbers are off, and names which", async () => {
    const off = { ...solved, prices: solved.prices.with(1, solved.prices[1] * 1.1) };
    const prices = await checked(plain, off);
    expect(prices.certificate.holds).toBe(false);
    expect(prices.failures).toContainEqual({ what: "prices", names: expect.arrayContaining(["soft"]) });
    const relaxed = { ...solved, relaxations: solved.relaxations.with(1, solved.relaxations[1] * 1.2) };
    const relaxations = await checked(plain, relaxed);
    expect(relaxations.failures).toEqual([{ what: "relaxations", names: ["soft"] }]);
    expect(relaxations.certificate.errors.relaxations).toBeGreaterThan(3e-3);
    const { certificate } = await checked(plain, moved(0.3));
    expect(certificate.holds).toBe(false);
    expect(certificate.short.length).toBeGreaterThan(0);
    expect(isSettled({ ...certificate, gap: 0 })).toBe(false);
  });

  test("counts a slack that is taken for rounding in the objective's error, at its price", async () => {
    const { model, options } = await modelOf(
      minimise({
        params: { x: float64([1]) },
        forward: ({ x }: { x: Tensor }, _: Tensor) => x,
        objective: (x) => x.mul(-3).sum(),
      }).subjectTo({ most: atMost(1, (x) => x.sum(), { hard: true }) }),
    );
    const off = 4 * Number.EPSILON;
    const { certificate, errors } = await check(model, pointOf(model, [1 + off], [3]), options);
    expect(certificate.holds).toBe(true);
    expect(errors.objective / (3 * off)).toBeCloseTo(1, 6);
  });

  test("takes no slope for rounding in a direction that does not bend, however much another does", async () => {
    // ½k(x − 1)² + y falls for ever along −y.
    const { model, options } = await modelOf(
      minimise({
        params: { x: float64([1, -5]) },
        forward: ({ x }: { x: Tensor }, _: Tensor) => x,
        objective: (x) =>
          x
            .sub(float64([1, 0]))
            .pow(2)
            .mul(float64([5e29, 0]))
            .add(x.mul(float64([0, 1])))
            .sum(),
      }).subjectTo({}),
    );
    const { certificate } = await check(model, pointOf(model, [1, -5]), options);
    expect(certificate.holds).toBe(false);
  });

  test("by a tolerance that is larger certifies what a smaller one refuses", async () => {
    const { model, point, options } = await inUnits(plain);
    const { x, prices, relaxations } = moved(1e-2);
    const by = async (tolerance: number) =>
      (await check(model, point(x, prices, relaxations), { ...options, tolerance })).certificate;
    const [strict, lenient] = [await by(1e-4), await by(0.2)];
    expect([strict.holds, lenient.holds]).toEqual([false, true]);
    // Only a certificate that would hold adds what the step leaves to the errors of prices.
    const { prices: known, ...others } = strict.errors;
    expect(lenient.errors.prices).toBeGreaterThan(known);
    expect(lenient.errors.prices).toBeLessThan(1.1 * known);
    for (const [what, error] of Object.entries(others))
      expect(lenient.errors[what as keyof typeof lenient.errors]).toBeCloseTo(error, 12);
  });
});

describe("units", () => {
  const unit = fc.integer({ min: -4, max: 4 }).map((k) => 10 ** k);
  const anyUnits: fc.Arbitrary<Units> = fc.record({
    parameters: fc.tuple(unit, unit, unit),
    ceiling: unit,
    soft: unit,
    fixed: unit,
    objective: unit,
  });

  test.each([1e-4, 1e-2])("change no relative error and no verdict, %d from the equilibrium", async (by) => {
    const one = await checked(plain, moved(by));
    await fc.assert(
      fc.asyncProperty(anyUnits, async (units) => {
        const other = await checked(units, moved(by));
        expect(other.certificate.holds).toBe(one.certificate.holds);
        expect(other.certificate.short).toEqual(one.certificate.short);
        for (const [name, error] of Object.entries(one.certificate.errors)) {
          const own = other.certificate.errors[name as keyof typeof one.certificate.errors];
          expect(Math.abs(own - error), name).toBeLessThan(1e-6 * error + 1e-9);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe("elements of one requirement", () => {
  // ½(x − 2·level)²/level², each at most its level and hard: x = level, λ = 1/level.
  const levels = [1e-3, 1, 100];
  const task = minimise({
    params: { x: float64([0, 0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.div(float64(levels)).sub(2).pow(2).mul(0.5).sum(),
  }).subjectTo({ each: atMost(levels, (x) => x, { cost: hard }) });

  test("are measured each by its own size: one exceeded by a hundredth is refused, however small its level", async () => {
    const { model, options } = await modelOf(task);
    const at = async (excess: readonly number[]) =>
      check(
        model,
        pointOf(
          model,
          levels.map((level, i) => level * (1 + excess[i])),
          levels.map((level, i) => (1 - excess[i]) / level),
        ),
        options,
      );
    expect((await at([0, 0, 0])).certificate.holds).toBe(true);
    const verdicts = [];
    for (let i = 0; i < 3; i++) {
      const excess = [0, 0, 0].with(i, 0.01);
      const { certificate, errors } = await at(excess);
      verdicts.push(certificate.holds);
      expect(certificate.short.join()).toContain('even the relaxed level is missed: "each"');
      expect([...errors.values]).toEqual(
        near(
          excess.map((e, k) => e * levels[k]),
          12,
        ),
      );
      expect([...errors.prices]).toEqual(
        near(
          excess.map((e, k) => e / levels[k]),
          7,
        ),
      );
    }
    expect(verdicts).toEqual([false, false, false]);
  });

  test("are measured each by its own size beside one that is much dearer", async () => {
    // ½(x − 0.003)² + ½(y − 150)²: x = 0.001 at a price of 0.002, y = 100 at one of 50.
    const apart = minimise({
      params: { x: float64([0, 0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) =>
        x
          .sub(float64([0.003, 150]))
          .pow(2)
          .mul(0.5)
          .sum(),
    }).subjectTo({ each: atMost([0.001, 100], (x) => x, { cost: hard }) });
    const { model, options } = await modelOf(apart);
    const holds = async (x: number) =>
      (await check(model, pointOf(model, [x, 100], [0.003 - x, 50]), options)).certificate.holds;
    expect([await holds(0.001), await holds(0.002)]).toEqual([true, false]);
  });
});

describe("a price", () => {
  test("must be 0 for a slack requirement; a price without effect is refused", async () => {
    // ½(x − 1)² with x ≤ 1: the minimum is at the level, at no price.
    const task = minimise({
      params: { x: float64([0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.sub(1).pow(2).mul(0.5).add(1).sum(),
    }).subjectTo({ low: atMost(1, (x) => x, { hard: true }) });
    const { model, options } = await modelOf(task);
    // ∇(½(x − 1)² + λx) = 0 at x = 1 − λ.
    const off = await check(model, pointOf(model, [0.98], [0.02]), options);
    expect(off.certificate.holds).toBe(false);
    expect(off.errors.prices[0]).toBeCloseTo(0.02, 9);
    expect(off.errors.values[0]).toBeCloseTo(0.02, 9);
    expect((await check(model, pointOf(model, [1], [0]), options)).certificate.holds).toBe(true);
  });

  test("that two requirements share is named, with both", async () => {
    const task = minimise({
      params: { x: float64([0, 0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) =>
        x
          .sub(float64([2, 3]))
          .pow(2)
          .mul(0.5)
          .sum(),
    }).subjectTo({
      first: atMost(1, (x) => x.slice([[0, 1]]), { hard: true }),
      other: atMost(2, (x) => x.slice([[1, 2]]), { hard: true }),
      again: atMost(2, (x) => x.slice([[0, 1]]).mul(2), { hard: true }),
    });
    const { model, options } = await modelOf(task);
    // λ₁ + 2λ₃ = 1.
    const { certificate, undetermined } = await check(model, pointOf(model, [1, 2], [0.4, 1, 0.3]), options);
    expect(certificate.holds).toBe(true);
    expect(certificate.together!.map((names) => [...names].sort())).toEqual([["again", "first"]]);
    expect(undetermined.map((set) => [...set].sort())).toEqual([[0, 2]]);
  });
});

describe("a claim", () => {
  const task = minimise({
    params: { x: float64([0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(1).pow(2).sum().add(1),
  }).subjectTo({ low: atMost(0.5, (x) => x.sum(), { cost: quadratic(1) }) });
  // λ = 2u, u = 2x − ½ and 2(x − 1) + λ = 0: x = ½, u = ½, λ = 1.
  const spot = [[0.5, 0.5], [1], [0.5]] as const;

  test.each([
    ["global where the problem is said to be convex", { convex: true }, "global"],
    ["local otherwise", {}, "local"],
    ["of a stationary point alone where curvature is sampled", { convex: true, sampled: true }, "stationary"],
  ] as const)("is %s", async (_, more, kind) => {
    const { model, options } = await modelOf(task);
    const { certificate } = await check(model, pointOf(model, ...spot), { ...options, ...more });
    expect(certificate).toMatchObject({ holds: true, kind });
  });
});

test("a claim is of a stationary point alone in a valley, where nothing tells one minimum from the others", async () => {
  const valley = minimise({
    params: { x: float64([0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sum().sub(1).pow(2).add(1),
  }).subjectTo({ far: atMost(10, (x) => x.sum(), { cost: hard }) });
  const { model, options } = await modelOf(valley);
  const { certificate } = await check(model, pointOf(model, [0.4, 0.6]), options);
  expect(certificate).toMatchObject({ holds: true, kind: "stationary" });
});

test("a long chain is certified only once its system is solved: the first products see no more than its ends", async () => {
  const n = 200;
  const chain = minimise({
    params: { x: float64(new Array(n).fill(0)) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    // Each link holds its neighbours together; the first one is pulled to 1.
    objective: (x) =>
      x
        .slice([[1, n]])
        .sub(x.slice([[0, n - 1]]))
        .pow(2)
        .sum()
        .add(
          x
            .slice([[0, 1]])
            .sub(1)
            .pow(2)
            .sum(),
        )
        .add(1e-3),
  }).subjectTo({ last: atMost(2, (x) => x.slice([[n - 1, n]]).sum(), { cost: hard }) });
  const { model, options } = await modelOf(chain);
  const bent = Array.from({ length: n }, (_, j) => 1 + (0.02 * j) / (n - 1));
  const step = await kktStep(model, pointOf(model, bent));
  expect(step.left).toBeGreaterThan(0.01);
  const whole = await step.further!();
  expect(whole.left).toBeLessThan(1e-4);
  // The last link is 0.02 off, and says so.
  expect(Math.abs(step.dValues[0])).toBeLessThan(0.01);
  expect(Math.abs(whole.dValues[0])).toBeCloseTo(0.02, 3);
  const { certificate } = await check(model, pointOf(model, bent), { ...options, tolerance: 9e-3 });
  expect(certificate.holds).toBe(false);
});

describe("counted requirements", () => {
  // Prices follow ⌊x⌋ in steps of 1.
  const counted = (sense: typeof atMost | typeof equals | typeof atLeast, level: number) =>
    minimise({
      params: { x: float64([2]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.sub(2).pow(2).sum().add(1),
    }).subjectTo({
      count: sense(level, (x) => x, {
        hard: true,
        pricedBy: "strict",
        strict: (x) => x.floor(),
        resolution: 1,
      }),
    });

  test.each([
    ["within one step above its level", 0.9, 0, true],
    ["more than a step above", 1.2, 0, false],
    ["far below without a price", -5, 0, true],
    ["far below at a price that buys nothing", -5, 1, false],
    ["within one step below at a price", -0.9, 1, true],
  ])("%s: %d at a price of %d, certified %s", async (_, priced, price, holds) => {
    const { model, options } = await modelOf(counted(atMost, 1));
    // The slope of the price's stand-in is met by the objective's: 2(x − 2) + λ = 0.
    const { certificate, failures, errors } = await check(model, pointOf(model, [2 - price / 2], [price]), {
      ...options,
      priced: Float64Array.of(priced),
      resolutions: Float64Array.of(1),
      sampled: true,
    });
    expect(certificate).toMatchObject({ holds, kind: "stationary" });
    expect(failures).toEqual(holds ? [] : [{ what: "counted", names: ["count"] }]);
    // Its price has no error estimate, its value one step.
    expect([errors.prices[0], errors.values[0]]).toEqual([Number.NaN, 1]);
  });
});
