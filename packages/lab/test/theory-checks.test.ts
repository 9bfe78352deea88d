// The checks behind the theory page: their own solvers against quadprog, their verdicts on numbers that break a claim, and the report
// on record against a recomputation.
import { readFileSync } from "node:fs";
import { solveQP } from "quadprog";
import { describe, expect, test } from "vitest";
import { paperClaims } from "../src/paper/claims.js";
import { clippingCheck, penaltyCheck, svmCheck } from "../src/theory/classical.js";
import { equilibria } from "../src/theory/equilibrium.js";
import { algorithmCheck, theoremChecks } from "../src/theory/generalisation.js";
import { halfSpaces, jointly, projected } from "../src/theory/half-spaces.js";
import { learnability } from "../src/theory/learnability.js";
import {
  equilibriumChecks,
  limitChecks,
  perturbationChecks,
  qualificationCheck,
} from "../src/theory/propositions.js";
import {
  figureClaims,
  learnabilityClaims,
  stitchingClaims,
  type TheoryReport,
} from "../src/theory/report.js";

const recorded: TheoryReport = JSON.parse(
  readFileSync(new URL("../results/theory/report.json", import.meta.url), "utf8"),
);
const onRecord = (...ids: string[]) => recorded.checks.filter(({ id }) => ids.includes(id));

/** quadprog's arrays start at 1. */
const from1 = <T>(list: readonly T[]): T[] => [undefined as T, ...list];

/** min Σ ½wᵢ(zᵢ − cᵢ)² where rows·z ≤ levels. */
function quadraticProgram(
  weights: number[],
  centre: number[],
  rows: number[][],
  levels: readonly number[],
): number[] {
  const { solution } = solveQP(
    from1(weights.map((w, i) => from1(weights.map((_, j) => (i === j ? w : 0))))),
    from1(weights.map((w, i) => w * centre[i])),
    from1(weights.map((_, j) => from1(rows.map((row) => -row[j])))),
    from1(levels.map((level) => -level)),
  );
  return solution.slice(1);
}

describe("the solvers that Pliant is compared with", () => {
  const seeds = Array.from({ length: 40 }, (_, i) => i);

  test("project as quadprog does", () => {
    for (const seed of seeds.filter((each) => each % 2 === 0)) {
      const sides = halfSpaces(seed);
      const u = sides.rows.map((_, i) => (i * seed) / 50);
      const x = quadraticProgram(
        sides.centre.map(() => 1),
        [...sides.centre],
        sides.rows.map((row) => [...row]),
        sides.levels.map((level, i) => level + u[i]),
      );
      const value = x.reduce((sum, each, j) => sum + (each - sides.centre[j]) ** 2 / 2, 0);
      expect(projected(sides, u)!.value).toBeCloseTo(value, 9);
    }
    // Opposite half-spaces that are apart have no point in common.
    expect(
      projected(
        halfSpaces(1),
        halfSpaces(1).rows.map(() => 0),
      ),
    ).toBeUndefined();
  });

  test("solve the joint problem as quadprog does", () => {
    const alpha = 0.7;
    for (const seed of seeds) {
      const { centre, rows, levels } = halfSpaces(seed);
      const unit = (i: number) => rows.map((_, j) => (i === j ? -1 : 0));
      const z = quadraticProgram(
        [...centre.map(() => 1), ...rows.map(() => 2 * alpha)],
        [...centre, ...rows.map(() => 0)],
        [
          ...rows.map((row, i) => [...row, ...unit(i)]),
          ...rows.map((_, i) => [...centre.map(() => 0), ...unit(i)]),
        ],
        [...levels, ...rows.map(() => 0)],
      );
      for (const [i, u] of jointly({ centre, rows, levels }, alpha).u.entries())
        expect(u).toBeCloseTo(z[centre.length + i], 8);
    }
  });
});

describe("the report on record", () => {
  test("is of claims that the paper makes, each once", () => {
    const known = paperClaims.map(({ id }) => id);
    const reported = recorded.checks.map(({ id }) => id);
    expect(reported.filter((id) => !known.includes(id))).toEqual([]);
    expect(new Set(reported).size).toBe(reported.length);
  });

  test("is what the figure, the example and stitching come to", async () => {
    expect(figureClaims(await equilibria())).toEqual(onRecord("first-figure", "affects-stringent-more"));
    expect(learnability(4000, 1)).toEqual(recorded.learnability);
    expect(learnabilityClaims(recorded.learnability)).toEqual(
      onRecord("empirical-unlearnable", "relaxed-unlearnable", "resilient-learnable"),
    );
    expect(stitchingClaims()).toEqual(onRecord("perturbation-convex", "epigraph-convex", "strong-duality"));
  });

  test("is what the propositions and classical methods come to", async () => {
    const holding = (checks: readonly { id: string; holds: boolean }[]) =>
      checks.map(({ id, holds }) => ({ id, holds }));
    const found = [
      ...perturbationChecks(),
      ...(await equilibriumChecks()),
      await qualificationCheck(),
      ...(await limitChecks()),
      await penaltyCheck(),
      await svmCheck(),
      await clippingCheck(),
      await algorithmCheck(),
    ];
    const ids = found.map(({ id }) => id);
    expect(holding(found)).toEqual(expect.arrayContaining(holding(onRecord(...ids))));
    expect(found.filter(({ holds }) => !holds).map(({ id }) => id)).toEqual(["limit-constrained-alpha"]);
  });
});

test("Theorem 1 holds on draws of a model that is not convex, by more than the bound's approximation part alone", () => {
  const [theorem, approximation, generalisation] = theoremChecks({ draws: 20, samples: 100 });
  for (const { holds } of [theorem, approximation, generalisation]) expect(holds).toBe(true);
  // ν > 0, and the parametrised problem is dearer than the convex one: the bound has something to bound.
  expect(Number(/ν = ([\d.]+)/.exec(theorem.found)![1])).toBeGreaterThan(0.1);
  expect(Number(/is ([\d.]+) above/.exec(approximation.found)![1])).toBeGreaterThan(0.01);
});

describe("a claim fails", () => {
  const holds = (claims: readonly { id: string; holds: boolean }[], id: string) =>
    claims.find((claim) => claim.id === id)!.holds;

  test("where an easy problem is relaxed more than a difficult one", () => {
    const [easy, difficult, infeasible] = recorded.equilibria;
    expect(holds(figureClaims([difficult, easy, infeasible]), "first-figure")).toBe(false);
    expect(holds(figureClaims([easy, difficult, { ...infeasible, u: 0.2 }]), "first-figure")).toBe(false);
  });

  test("where shares of the example go the other way", () => {
    const rows = recorded.learnability;
    const reversed = learnabilityClaims(rows.toReversed());
    expect(holds(reversed, "empirical-unlearnable")).toBe(false);
    expect(holds(reversed, "relaxed-unlearnable")).toBe(false);
    const rarely = rows.map((row) => ({ ...row, resilientPicksB: 0.9 }));
    expect(holds(learnabilityClaims(rarely), "resilient-learnable")).toBe(false);
  });
});
