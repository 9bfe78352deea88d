// On which side of its level a count ends, beside a solver whose looks are written down.
import type { RequirementReport, Solution, Solver, SolverState } from "@pliant/core";
import { expect, test } from "vitest";
import { whereItHolds } from "../src/fit/feasible-side.js";

interface Look {
  readonly reached: number;
  readonly certified?: boolean;
}

const asked = {
  sense: "at most",
  level: 0.1,
  hard: true,
  pricedBy: "strict",
  allowance: 0.002,
} as RequirementReport;

/** The solution of the first check, and a solver that yields the others one by one. */
function scripted(looks: readonly Look[], own: Partial<RequirementReport> = {}) {
  const solution = (step: number): Solution<unknown, string> => {
    const { reached, certified = true } = looks[Math.min(step / 5, looks.length - 1)];
    const report = { requirements: { gap: { ...asked, ...own, reached } } };
    return { report, certificate: { holds: certified }, steps: step, state: { step } } as never;
  };
  const seen: { relaxed?: unknown; steps: number } = { steps: 0 };
  const solver = {
    terms: (changes: { relaxed: unknown }) => {
      seen.relaxed = changes.relaxed;
      return "tighter";
    },
    advance: async ({ step }: SolverState, steps: number, terms: unknown) => {
      expect(terms).toBe("tighter");
      seen.steps += steps;
      return { step: step + steps };
    },
    inspect: async ({ step }: SolverState) => solution(step),
    arranged: { sizes: { gap: 2 } },
  } as unknown as Solver<unknown, string>;
  const found = () => whereItHolds(solver, solution(0));
  return { found, seen };
}

test("a count above its level is taken where it is not, at the first equilibrium there", async () => {
  const { found, seen } = scripted([
    { reached: 0.1011 },
    { reached: 0.099, certified: false },
    { reached: 0.1004 },
    { reached: 0.1 },
    { reached: 0.09 },
  ]);
  expect((await found()).steps).toBe(15);
  expect(seen).toEqual({ relaxed: { gap: [-0.002, -0.002] }, steps: 15 });
});

test("where none is near, the one that misses least", async () => {
  const { found } = scripted([{ reached: 0.1011 }, { reached: 0.1004 }, { reached: 0.1008 }]);
  expect((await found()).report.requirements.gap.reached).toBe(0.1004);
});

test.each([
  ["holds", { reached: 0.1 }, {}],
  ["is not certified", { reached: 0.1011, certified: false }, {}],
  ["may give way", { reached: 0.1011 }, { hard: false }],
  ["is no count", { reached: 0.1011 }, { pricedBy: "loss" as const }],
])("nothing moves where it %s", async (_, look, own) => {
  const { found, seen } = scripted([look, { reached: 0.09 }], own);
  expect((await found()).steps).toBe(0);
  expect(seen.steps).toBe(0);
});
