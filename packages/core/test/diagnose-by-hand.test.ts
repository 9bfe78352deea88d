// Problems without a solution, by hand: those whose objective falls for ever, and those whose requirements cannot hold.
import { atLeast, atMost, equals, minimise, type Requirement } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { kktStep } from "../src/certificate/newton-kkt.js";
import { fallsForEver } from "../src/certificate/unbounded.js";
import { ravel } from "../src/certificate/vectors.js";
import { conflicting } from "../src/diagnose/infeasible.js";
import { float64 } from "./float64.js";
import { modelOf, pointOf } from "./models.js";

type Named = Record<string, Requirement<Tensor, Tensor>>;
const part = (x: Tensor, j: number): Tensor => x.slice([[j, j + 1]]);

describe("an objective", () => {
  const far: Named = { far: atMost(1e30, (x) => x.sum(), { hard: true }) };
  const at = async (objective: (x: Tensor) => Tensor, x: readonly number[], requirements: Named = {}) => {
    const task = minimise({
      params: { x: float64(x) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => objective(x).sum(),
    }).subjectTo({ ...far, ...requirements });
    const { model } = await modelOf(task);
    return [model, await kktStep(model, pointOf(model, x))] as const;
  };
  const fate = async (...asked: Parameters<typeof at>) => fallsForEver(...(await at(...asked)));
  const bounded = "falls towards a bound";
  const unbounded = "falls without bound";

  test.each<[string, (x: Tensor) => Tensor, number[], string | undefined]>([
    ["that is linear", (x) => x.neg(), [1, 2], unbounded],
    ["that bends down", (x) => x.pow(2).neg(), [1], unbounded],
    ["that separable data drives outwards", (x) => x.neg().softplus(), [6], bounded],
    ["like eˣ on the way to −∞", (x) => x.exp(), [-4, -4], bounded],
    ["with a minimum ahead", (x) => x.sub(50).pow(2), [1], undefined],
    ["with a minimum ahead, and flat for most of the way", (x) => x.sub(900).pow(2), [1], undefined],
    ["at its minimum", (x) => x.sub(1).pow(2), [1], undefined],
    ["that rises outwards", (x) => x.pow(2), [1], undefined],
    ["that rests on a flat floor", (x) => x.neg().add(2).relu(), [1.5], undefined],
  ])("%s has its fate", async (_, objective, x, expected) => {
    expect(await fate(objective, x)).toBe(expected);
  });

  test("that falls along one array of parameters alone is seen where that array grows by itself", async () => {
    // Separable in a, and at the bottom of a steep bowl in b: growing both rises.
    const task = minimise({
      params: { a: float64([6]), b: float64([1]) },
      forward: (p: { a: Tensor; b: Tensor }, _: Tensor) => p,
      objective: ({ a, b }) => a.neg().softplus().add(b.sub(1).pow(2).mul(10)).sum(),
    }).subjectTo({ far: atMost(1e9, ({ a }) => a, { hard: true }) });
    const { model } = await modelOf(task);
    const { dx, ...step } = await kktStep(model, pointOf(model, [6, 1]));
    // Without the Newton step, which finds that ray too.
    expect(await fallsForEver(model, { ...step, dx: dx.map(() => 0) })).toBe(bounded);
  });

  test("bounded by a requirement is not reported as unbounded", async () => {
    const held: Named = { held: atMost(5, (x) => x.sum(), { hard: true }) };
    expect(await fate((x) => x.neg(), [1], held)).toBeUndefined();
  });
});

describe("requirements that must hold", () => {
  const conflicts = async (requirements: Named, from: readonly (readonly number[])[] = [[0, 0]]) => {
    const params = from.map((x) => ({ x: float64(x) }));
    const task = minimise({
      params: params[0],
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.pow(2).sum(),
    }).subjectTo(requirements);
    const { models, terms, arranged } = await modelOf(task);
    let size = 0;
    const firm: Record<string, number[]> = {};
    for (const { names } of arranged.groups)
      for (const name of names) {
        firm[name] = Array.from({ length: arranged.sizes[name] }, (_, i) => size + i);
        size += arranged.sizes[name];
      }
    return conflicting({ models, terms, tolerance: 3e-3, from: params, start: ravel, firm, size });
  };
  const hard = { hard: true };
  const [a, b] = [(x: Tensor) => part(x, 0), (x: Tensor) => part(x, 1)];

  test("and cannot, by themselves, are named", async () => {
    expect(
      await conflicts({ square: atMost(-1, (x) => a(x).pow(2), hard), fine: atMost(1, b, hard) }),
    ).toEqual(["square"]);
  });

  test("and cannot together are named, and no others", async () => {
    for (const unit of [1e-3, 1, 1e3])
      expect(
        await conflicts({
          fine: atMost(1, b, hard),
          low: atMost(1 * unit, (x) => a(x).mul(unit), hard),
          high: atLeast(2, a, hard),
          also: atLeast(-3, b, hard),
        }),
      ).toEqual(["low", "high"]);
  });

  test("and cannot only all three together are named, all three", async () => {
    // x ≥ 1, y ≥ 1 and x + y ≤ 1.
    expect(
      await conflicts({
        first: atLeast(1, a, hard),
        second: atLeast(1, b, hard),
        sum: atMost(1, (x) => x.sum(), hard),
      }),
    ).toEqual(["first", "second", "sum"]);
  });

  test("are named as few as conflict, where all of them are missed", async () => {
    const named = await conflicts({
      low: atMost(1, a, hard),
      high: atLeast(2, a, hard),
      higher: atLeast(2.5, a, hard),
      both: atLeast(4, (x) => a(x).mul(2), hard),
    });
    expect(named).toHaveLength(2);
    expect(named).toContain("low");
  });

  test("and cannot as equalities are named", async () => {
    expect(
      await conflicts({
        one: equals(1, (x) => x.sum(), hard),
        other: equals(4, (x) => x.sum().mul(2), hard),
        fine: equals(0.5, a, hard),
      }),
    ).toEqual(expect.arrayContaining(["one", "other"]));
  });

  test("and can are not named, however far from where the search begins", async () => {
    expect(
      await conflicts({
        sum: equals(1, (x) => x.sum(), hard),
        ball: atMost(1, (x) => x.pow(2).sum(), hard),
        side: atMost(0.3, a, hard),
      }),
    ).toEqual([]);
    const distant: Named = { high: atLeast(1e4, a, hard), low: atMost(1e4 + 1, a, hard) };
    expect(await conflicts(distant)).toEqual([]);
    expect(await conflicts(distant, [[-1e6, 0]])).toEqual([]);
  });

  test("and are found to hold from one of two starts are not named", async () => {
    // x⁴ − 2x² ≤ −½: 0 is on top of the hill between the two parts where it holds.
    const bumpy: Named = {
      bumpy: atMost(0, (x: Tensor) => a(x).pow(4).sub(a(x).pow(2).mul(2)).add(0.5), hard),
    };
    expect(
      await conflicts(bumpy, [
        [0, 0],
        [1, 0],
      ]),
    ).toEqual([]);
  });
});
