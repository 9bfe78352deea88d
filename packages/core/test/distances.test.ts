// Each residual of a certificate against its definition, element by element, in float64.

import { atMost, createSolver, hard, linear, minimise, quadratic, sgd } from "@pliant/core";
import { array, compile, readAll, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { distances } from "../src/certificate/certificate.js";
import type { Cost } from "../src/costs/cost.js";
import { float64 } from "./float64.js";

interface Asked {
  readonly objective?: number;
  readonly start?: { objective: number; slope: number; without?: number };
  readonly slacks: readonly number[];
  readonly priced?: readonly number[];
  readonly relaxations: readonly number[];
  readonly prices: readonly number[];
  readonly scales?: readonly number[];
  readonly resolutions?: readonly number[];
  readonly signed?: readonly number[];
  readonly insisted?: readonly number[];
  readonly cost?: Cost;
  readonly priceCap?: number;
  readonly tolerance?: number;
}

/** θ = (a, b) with ℓ₀ = 4a₀ + 3b and gᵢ = a₀, b in turn, shifted to the values asked for; a₁ is there and does nothing. */
async function found(asked: Asked) {
  const n = asked.slacks.length;
  const zeros = asked.slacks.map(() => 0);
  const {
    objective = 4,
    start = { objective: 0, slope: 0 } as NonNullable<Asked["start"]>,
    priced = asked.slacks,
    scales = zeros.map(() => 1),
    resolutions = zeros,
    signed = zeros,
    insisted = zeros,
    cost = quadratic(0.5),
    priceCap,
    tolerance = 1e-2,
  } = asked;
  const [a, b] = [2, -5];
  const run = compile(
    (x: Record<string, Tensor>) => {
      const { values: _, ...rest } = distances<{ a: Tensor; b: Tensor }>(
        (p) => {
          const first = p.a.slice([[0, 1]]);
          const each = x.slacks.add(x.even.mul(first.sub(a)).add(x.even.neg().add(1).mul(p.b.sub(b))));
          return {
            objective: first
              .mul(4)
              .add(p.b.mul(3))
              .sum()
              .add(objective - 4 * a - 3 * b),
            slacks: [each.slice([[0, 1]]), each.slice([[1, n]])],
            priced: [x.priced.slice([[0, 1]]), x.priced.slice([[1, n]])],
          };
        },
        {
          params: { a: x.a, b: x.b },
          relaxations: [x.relaxations.slice([[0, 1]]), x.relaxations.slice([[1, n]])],
          prices: [x.prices.slice([[0, 1]]), x.prices.slice([[1, n]])],
        },
        {
          costs: [cost, cost],
          units: {
            start: x.start.slice([[0, 1]]).sum(),
            slope: x.start.slice([[1, 2]]).sum(),
            without: x.start.slice([[2, 3]]).sum(),
            scales: [x.scales.slice([[0, 1]]), x.scales.slice([[1, n]])],
            resolutions: [x.resolutions.slice([[0, 1]]), x.resolutions.slice([[1, n]])],
          },
          signed: [x.signed.slice([[0, 1]]), x.signed.slice([[1, n]])],
          insisted: [x.insisted.slice([[0, 1]]), x.insisted.slice([[1, n]])],
          priceCap,
          tolerance,
        },
      );
      return rest;
    },
    { backend: reference() },
  );
  const read = await readAll(
    await run({
      a: float64([a, 7]),
      b: float64([b]),
      even: float64(zeros.map((_, i) => Number(i % 2 === 0))),
      start: float64([start.objective, start.slope, start.without ?? start.objective]),
      slacks: float64(asked.slacks),
      priced: float64(priced),
      relaxations: float64(asked.relaxations),
      prices: float64(asked.prices),
      scales: float64(scales),
      resolutions: float64(resolutions),
      signed: float64(signed),
      insisted: float64(insisted),
    }),
  );
  const flat = (groups: readonly { data: ArrayLike<number> }[]): number[] =>
    groups.flatMap(({ data }) => Array.from(data));
  return {
    equilibrium: flat(read.equilibrium),
    feasibility: flat(read.feasibility),
    complementarity: flat(read.complementarity),
    slope: read.slope.item(),
    growth: read.growth.item(),
    falls: read.falls.item(),
    gap: read.gap.item(),
    parts: read.parts.item(),
    unit: read.unit.item(),
    range: read.range.item(),
    reach: read.reach.item(),
  };
}
const near = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 12));

describe("of requirements", () => {
  // L = 4, so that with σ = 2 a unit of price is 2, and t = σ²/L = 1.
  const asked = {
    slacks: [3, -1, 0.5, 2],
    relaxations: [0.5, 0, 0.5, 2],
    prices: [0.8, 0.6, 0.25, 0],
    scales: [2, 2, 2, 4],
  };

  test("feasibility is what a slack exceeds its relaxation by, in units of the requirement", async () => {
    const { feasibility } = await found(asked);
    expect(feasibility).toEqual(near([2.5 / 2, 0, 0, 0]));
  });

  test("complementarity is the smaller of the price and the room, in their units, or what is exceeded", async () => {
    const { complementarity } = await found(asked);
    expect(complementarity).toEqual(near([2.5 / 2, (0.6 * 2) / 4, 0, 0]));
    // A room smaller than the price counts.
    const { complementarity: tight } = await found({ ...asked, slacks: [0.4, -0.2, 0.5, 2] });
    expect(tight).toEqual(near([0.1 / 2, 0.2 / 2, 0, 0]));
  });

  test("equilibrium is the distance of u from the relaxation that answers its price", async () => {
    const { equilibrium } = await found(asked);
    // h = u²/2: prox_{th}(v) = v/(1 + t).
    const off = (u: number, price: number, scale: number, t = (scale * scale) / 4): number =>
      Math.abs(u - (u + t * price) / (1 + t)) / scale;
    expect(equilibrium).toEqual(near([off(0.5, 0.8, 2), off(0, 0.6, 2), off(0.5, 0.25, 2), off(2, 0, 4)]));
    expect((await found({ ...asked, relaxations: [0.8, 0.6, 0.25, 0] })).equilibrium).toEqual(
      near([0, 0, 0, 0]),
    );
  });

  test("a price is measured by the objective here or, if that is less, by how far it is from that without parameters", async () => {
    const unit = async (objective: number, start: number, without: number): Promise<number> => {
      const seen = await found({ ...asked, objective, start: { objective: start, slope: 0, without } });
      // No more than the room, 1 of 2.
      expect(seen.complementarity[1]).toBeCloseTo(Math.min((0.6 * 2) / seen.unit, 1 / 2), 12);
      return seen.unit;
    };
    expect(await unit(-3, 1e4, 9)).toBeCloseTo(3, 12);
    expect(await unit(8, 1e4, 9)).toBeCloseTo(1, 12);
    // A constant in the objective changes nothing.
    expect(await unit(1e5 + 8, 1e5 + 1e4, 1e5 + 9)).toBeCloseTo(1, 9);
  });

  test("an objective of nothing has the tolerance of what requirements are worth, and its square of what it ranges over", async () => {
    // Σ λσ = 1.6 + 1.2 + 0.5, at a tolerance of 0.01.
    const worth = await found({ ...asked, objective: 0, start: { objective: 50, slope: 0, without: 20 } });
    expect([worth.unit, worth.range]).toEqual(near([0.033, 20]));
    const start = { objective: 5000, slope: 0, without: 0 };
    const ranged = await found({ ...asked, prices: [0, 0, 0, 0], objective: 0, start });
    expect([ranged.unit, ranged.range, ranged.reach]).toEqual(near([0.5, 5000, 500]));
  });

  test("prices follow what is counted, where that is something else", async () => {
    const counted = await found({ ...asked, priced: [0.5, -0.1, 0.7, 2] });
    expect(counted.feasibility).toEqual(near([0, 0, 0.2 / 2, 0]));
    expect(counted.complementarity).toEqual(near([0, 0.1 / 2, 0.2 / 2, 0]));
  });

  test("what is counted in steps is tight, and met, within one of them", async () => {
    const steps = { ...asked, slacks: [0.9, -1, 0.2, 2], resolutions: [0.3, 0.3, 0.25, 0] };
    const { feasibility, complementarity } = await found(steps);
    expect(feasibility).toEqual(near([(0.9 - 0.5 - 0.3) / 2, 0, 0, 0]));
    expect(complementarity).toEqual(near([0.1 / 2, 0.3, (0.5 - 0.2 - 0.25) / 2, 0]));
    const within = await found({ ...steps, slacks: [0.6, -0.2, 0.4, 2] });
    expect(within.feasibility).toEqual(near([0, 0, 0, 0]));
    expect(within.complementarity).toEqual(near([0, 0, 0, 0]));
  });

  test("an equality is missed from either side, and pulls to the side of its price", async () => {
    const both = {
      slacks: [-1.5, -1.5, 0.5, 0.5],
      relaxations: [0.5, 0.5, 0.5, 0.5],
      prices: [-0.2, 0.2, -0.2, 0.2],
      signed: [1, 1, 1, 1],
    };
    const { feasibility, complementarity, equilibrium } = await found(both);
    expect(feasibility).toEqual(near([1, 1, 0, 0]));
    // The third is 0.5 on the other side of where its price pulls, 1 from where that would be tight; L = 4.
    expect(complementarity).toEqual(near([1, 1, 0.2 / 4, 0]));
    // t = 1/4: the size of a price is what a relaxation answers.
    expect(equilibrium).toEqual(near([0, 0, 0, 0].map(() => 0.5 - (0.5 + 0.05) / 1.25)));
    // What is no equality is met by any amount.
    expect((await found({ ...both, signed: [0, 0, 0, 0] })).feasibility).toEqual(near([0, 0, 0, 0]));
    expect((await found({ ...both, prices: [0, 0, 0, 0] })).complementarity).toEqual(near([1, 1, 0, 0]));
  });

  test("of what is insisted on all that gives way counts, whatever its price", async () => {
    const { equilibrium } = await found({ ...asked, insisted: [1, 0, 0, 1] });
    const { equilibrium: free } = await found(asked);
    expect(equilibrium).toEqual(near([0.5 / 2, free[1], free[2], 2 / 4]));
  });

  test("at its cap a price lets a requirement give way further, never less than it asks for", async () => {
    const capped = {
      slacks: [0, 0, 0, 0],
      relaxations: [3, 0.1, 3, 0.5],
      prices: [0.5, 0.5, 0.4, 0.5],
      priceCap: 0.5,
    };
    const { equilibrium } = await found(capped);
    const off = (u: number, price: number): number => u - (u + price / 4) / 1.25;
    expect(equilibrium).toEqual(near([0, -off(0.1, 0.5), off(3, 0.4), 0]));
  });

  test("the cost is that of its group", async () => {
    const { equilibrium } = await found({ ...asked, cost: hard });
    expect(equilibrium).toEqual(near([0.5 / 2, 0, 0.5 / 2, 2 / 4]));
  });
});

describe("of the model", () => {
  // Prices (p, q) pull on a by p of every even requirement, on b by q of every odd one.
  const rest = { slacks: [1, 1, 1], relaxations: [0, 0, 0], prices: [2, 1, 3] };

  test("the slope is that of the Lagrangian, relative to those of its parts, or to that of the start", async () => {
    const { slope, parts } = await found(rest);
    expect(parts).toBeCloseTo(Math.hypot(4, 3) + Math.hypot(5, 1), 12);
    expect(slope).toBeCloseTo(Math.hypot(9, 4) / (5 + Math.hypot(5, 1)), 12);
    const early = await found({ ...rest, start: { objective: 0, slope: 20 } });
    expect(early.parts).toBeCloseTo(20, 12);
    expect(early.slope).toBeCloseTo(Math.hypot(9, 4) / 20, 12);
    // As of a bowl: of what is a quarter as high the slope is half, and no less than at the tolerance.
    const part = async (objective: number) =>
      (await found({ ...rest, start: { objective, slope: 2000, without: 0 } })).parts;
    expect(await part(20)).toBeCloseTo(1000, 9);
    expect(await part(1e9)).toBeCloseTo(200, 9);
  });

  test("growth is what all parameters' growing by their own size would change, relative to the objective", async () => {
    // θ·∇L = 2·9 − 5·4 = −2, and ℓ₀ = −4.
    expect((await found({ ...rest, objective: -4 })).growth).toBeCloseTo(2 / 4, 12);
    // An objective that has fallen to almost nothing is compared with the root of the tolerance of what it was.
    const fallen = { ...rest, objective: 1e-9, start: { objective: -40, slope: 0 } };
    expect((await found(fallen)).growth).toBeCloseTo(2 / (40 * 0.1), 9);
  });

  test("an objective of nothing has residuals all the same", async () => {
    const { equilibrium, growth, complementarity } = await found({ ...rest, objective: 0 });
    // Σ λσ = 6, at a tolerance of 0.01.
    expect(growth).toBeCloseTo(2 / 0.06, 9);
    for (const x of [...equilibrium, ...complementarity]) expect(x).not.toBeNaN();
  });

  test("a model that rests at a minimum of nothing has no slope, and that is no division by 0", async () => {
    const run = compile(
      (x: Tensor) => {
        const { slope, growth } = distances<Tensor>(
          (p) => ({ objective: p.mul(0).sum(), slacks: [p.mul(0)] }),
          { params: x, relaxations: [x.mul(0)], prices: [x.mul(0)] },
          {
            costs: [quadratic(1)],
            units: {
              start: x.mul(0).sum(),
              slope: x.mul(0).sum(),
              without: x.mul(0).sum(),
              scales: [x],
              resolutions: [x.mul(0)],
            },
            signed: [x.mul(0)],
            insisted: [x.mul(0)],
            tolerance: 1e-3,
          },
        );
        return [slope, growth];
      },
      { backend: reference() },
    );
    expect((await readAll(await run(float64([1])))).map((each) => each.item())).toEqual([0, 0]);
  });

  test("the gap is what the cost of giving way all that is exceeded is above the dual value", async () => {
    // h = u²/2, h* = λ²/2: h(g₊) + h*(λ) − λ·g, by requirement.
    const { gap } = await found({ slacks: [3, -1, 0.5], relaxations: [0, 0, 0], prices: [0.8, 0.6, 0.5] });
    const each = [4.5 + 0.32 - 2.4, 0 + 0.18 + 0.6, 0.125 + 0.125 - 0.25];
    expect(gap).toBeCloseTo(
      each.reduce((a, b) => a + b),
      12,
    );
    // An equality gives way to either side, and its price has a sign.
    const equal = {
      slacks: [-3, -1, 0.5],
      relaxations: [0, 0, 0],
      prices: [-0.8, 0.6, -0.5],
      signed: [1, 1, 1],
    };
    const both = [4.5 + 0.32 - 2.4, 0.5 + 0.18 + 0.6, 0.125 + 0.125 + 0.25];
    expect((await found(equal)).gap).toBeCloseTo(
      both.reduce((a, b) => a + b),
      12,
    );
    const flat = { slacks: [3, -1, 0], relaxations: [0, 0, 0], prices: [0.5, 0.5, 0.25], cost: linear(0.5) };
    expect((await found(flat)).gap).toBeCloseTo(0.5, 12);
    const flatEqual = { ...flat, slacks: [-3, 0, 0], prices: [-0.25, 0, 0], signed: [1, 1, 1] };
    expect((await found(flatEqual)).gap).toBeCloseTo(1.5 - 0.75, 12);
    // What must hold has no cost: |λ·g|, on either side of its level.
    const firm = { slacks: [1e-3, -1, 0], relaxations: [0, 0, 0], prices: [0.5, 0.25, 2], cost: hard };
    expect((await found(firm)).gap).toBeCloseTo(0.5e-3 + 0.25, 12);
  });
});

test("what is counted in steps that differ from place to place is at its level within the step of where it is", async () => {
  const dtype = "float64";
  const task = (told: boolean) =>
    minimise({
      params: { x: array([2.4], { dtype }) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.sub(2.4).pow(2).add(1).sum(),
    }).subjectTo({
      steps: atMost(1.8, (x) => x, {
        hard: true,
        unit: 10,
        pricedBy: "strict",
        strict: (x) => ({ value: x.floor(), ...(told && { resolution: x.div(8) }) }),
      }),
    });
  const look = async (told: boolean) => {
    const solver = await createSolver(task(told), { data: array([0], { dtype }), optimizer: sgd(0.1) });
    return solver.inspect(solver.initial);
  };
  const [unsaid, said] = [await look(false), await look(true)];
  expect(unsaid.report.requirements.steps).toMatchObject({ status: "violated", reached: 2 });
  expect(said.report.requirements.steps.status).toBe("at its level");
  expect(said.report.requirements.steps.allowance).toBeCloseTo(
    unsaid.report.requirements.steps.allowance + 0.3,
    9,
  );
  expect(unsaid.certificate.holds).toBe(false);
  expect(said.certificate).toMatchObject({ holds: true, feasibility: 0 });
});

describe("whether the Lagrangian falls as all parameters grow by a tenth", () => {
  // ℓ₀ falls by 0.7, the first of two slacks rises by 0.2 and the second falls by 0.5.
  const falls = async (prices: readonly number[], more: Partial<Asked> = {}): Promise<number> =>
    (await found({ slacks: [0.3, 0.6], relaxations: prices.map(() => 0), prices, ...more })).falls;

  test("it does where objective and priced slacks are less together", async () => {
    expect(await falls([0, 0])).toBe(1);
    expect(await falls([1, 0])).toBe(1);
    expect(await falls([4, 0])).toBe(0);
    expect(await falls([4, 1])).toBe(1);
  });

  test("by less than rounding it does not, whatever the signs of what is large", async () => {
    expect(await falls([3.5, 0])).toBe(0);
    // Eight roundings of 5.6e14 are 0.995.
    for (const size of [5.6e14, -5.6e14]) {
      expect(await falls([0, 0], { objective: size })).toBe(0);
      const large = { slacks: [1, 1e9 * size, 1], prices: [0, 1e-9, 0], relaxations: [0, 0, 0] };
      expect((await found(large)).falls).toBe(0);
    }
    expect(await falls([0, 0], { objective: 1e14 })).toBe(1);
  });
});
