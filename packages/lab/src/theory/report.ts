// All that the paper's theory comes to as numbers: its first figure, its learnability example and a check of every claim.
import { stating } from "../items/claim.js";
import type { Claim } from "../items/item.js";
import { clippingCheck, penaltyCheck, svmCheck } from "./classical.js";
import { type Equilibrium, equilibria } from "./equilibrium.js";
import { equilibriumSvg } from "./figure.js";
import { algorithmCheck, theoremChecks } from "./generalisation.js";
import { type LearnabilityRow, learnability } from "./learnability.js";
import { equilibriumChecks, limitChecks, perturbationChecks, qualificationCheck } from "./propositions.js";
import { type StitchedAnswer, stitchedDual, stitchedPerturbation } from "./stitching.js";

export interface TheoryReport {
  readonly equilibria: readonly Equilibrium[];
  /** The first figure, as SVG. */
  readonly figure: string;
  readonly learnability: readonly LearnabilityRow[];
  readonly checks: readonly Claim[];
}

export async function theoryReport(): Promise<TheoryReport> {
  const found = await equilibria();
  const rows = learnability(4000, 1);
  return {
    equilibria: found,
    figure: equilibriumSvg(found),
    learnability: rows,
    checks: [
      ...figureClaims(found),
      ...perturbationChecks(),
      ...(await equilibriumChecks()),
      await qualificationCheck(),
      ...(await limitChecks()),
      await penaltyCheck(),
      await svmCheck(),
      await clippingCheck(),
      ...theoremChecks(),
      await algorithmCheck(),
      ...learnabilityClaims(rows),
      ...stitchingClaims(),
    ],
  };
}

export function figureClaims(found: readonly Equilibrium[]): Claim[] {
  const [easy, difficult, infeasible] = found.map(({ u }) => u);
  const text = found.map(({ label, u }) => `${label} u* = ${u.toFixed(4)}`).join(", ");
  return [
    stating(
      "first-figure",
      easy < difficult && difficult < infeasible && infeasible > 0.3,
      `${text}; the third is feasible from 0.3 on`,
    ),
    stating("affects-stringent-more", easy < difficult && difficult < infeasible, text),
  ];
}

export function learnabilityClaims(rows: readonly LearnabilityRow[]): Claim[] {
  const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;
  const along = (of: (row: LearnabilityRow) => number): string =>
    rows.map((row) => `${percent(of(row))} at N = ${row.n}`).join(", ");
  const last = rows.at(-1)!;
  const amounts = Object.keys(last.fixed).map(Number);
  const [least, middle, most] = amounts.toSorted((a, b) => a - b);
  return [
    stating(
      "empirical-unlearnable",
      last.empiricalWithin < rows[0].empiricalWithin,
      `its value is within 1/64 in ${along((row) => row.empiricalWithin)}`,
    ),
    stating(
      "relaxed-unlearnable",
      rows[0].fixed[least].within < rows[0].fixed[middle].within && last.fixed[most].within < 0.05,
      [least, middle, most].map((u) => `relaxed by ${u}: ${along((row) => row.fixed[u].within)}`).join("; "),
    ),
    stating(
      "resilient-learnable",
      last.resilientPicksB >= 1 - 2 * Math.exp(-0.08 * last.n),
      `the best model is found in ${along((row) => row.resilientPicksB)}; 1 − 2e^(−0.08N) is ${rows.map(({ n }) => percent(Math.max(0, 1 - 2 * Math.exp(-0.08 * n)))).join(", ")}`,
    ),
  ];
}

/** Answers on no line: the losses are not convex. */
const answers: readonly StitchedAnswer[] = [
  { objective: 0, requirement: 1 },
  { objective: 0.9, requirement: 0.55 },
  { objective: 1, requirement: 0 },
];

export function stitchingClaims(): Claim[] {
  const grid = Array.from({ length: 21 }, (_, k) => k / 20);
  /** The largest midpoint of P̃ above the chord. */
  const bend = (atoms: number): number =>
    Math.max(
      ...grid.flatMap((a) =>
        grid.map((b) => {
          const value = (u: number): number => stitchedPerturbation(answers, u, atoms);
          return value((a + b) / 2) - (value(a) + value(b)) / 2;
        }),
      ),
    );
  const gap = (atoms: number): number =>
    Math.max(...grid.map((u) => stitchedPerturbation(answers, u, atoms) - stitchedDual(answers, u)));
  const [bends, gaps] = [[1, 10, Infinity].map(bend), [1, 10, Infinity].map(gap)];
  const text = (values: readonly number[]): string =>
    values.map((value, i) => `${value.toFixed(3)} with ${["1 atom", "10 atoms", "none"][i]}`).join(", ");
  const none = (values: readonly number[]): boolean => Math.abs(values[2]) < 1e-9;
  return [
    stating("perturbation-convex", none(bends), `P̃ is above a chord by ${text(bends)}`),
    stating(
      "epigraph-convex",
      none(bends),
      `mixtures of answers miss the attainable losses by ${text(bends)}`,
    ),
    stating("strong-duality", none(gaps), `P̃ − D̃ is ${text(gaps)}`),
  ];
}
