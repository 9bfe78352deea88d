// What the paper claims of its federated figures and tables in words, checked on rows: each claim with whether it holds.
import type { Claim } from "../items/item.js";
import { mean } from "../statistics.js";
import { compareRanks } from "./ranks.js";
import type { Row } from "./row.js";
import { bySetting, pairs } from "./tables.js";

/** In how many of the cases it holds; no claim without a case. */
function over<Case>(text: string, cases: readonly Case[], holds: (each: Case) => boolean): Claim[] {
  if (cases.length === 0) return [];
  const right = cases.filter(holds).length;
  return [{ text, holds: right === cases.length, found: `${right} of ${cases.length}` }];
}

export const minorityClaims = (rows: readonly Row[]): Claim[] =>
  over(
    "clients with more minority data are relaxed more",
    rows.filter(({ minorityCorrelation }) => minorityCorrelation !== undefined),
    ({ minorityCorrelation = 0 }) => minorityCorrelation > 0,
  );

/** Neighbours along α, the constrained run as its limit, in one kind of step. */
function neighbours(rows: readonly Row[]): [Row[], Row[]][] {
  const groups = bySetting(rows).sort((a, b) => (a[0].alpha ?? Infinity) - (b[0].alpha ?? Infinity));
  return groups.slice(1).map((group, i) => [groups[i], group]);
}

export function alphaClaims(rows: readonly Row[]): Claim[] {
  const steps = neighbours(rows);
  const less =
    (of: (row: Row) => number) =>
    ([a, b]: [Row[], Row[]]) =>
      mean(b.map(of)) <= mean(a.map(of));
  return [
    ...over(
      "relaxations shrink from one α to the next",
      steps,
      less((row) => row.relaxationRms),
    ),
    ...over(
      "so does the worst client's loss above the mean",
      steps,
      less((row) => row.worstExcess),
    ),
    ...over(
      "while the mean loss grows",
      steps,
      less((row) => -row.meanTrainLoss),
    ),
  ];
}

export const violationClaims = (rows: readonly Row[]): Claim[] =>
  over(
    "fewer clients are above their (relaxed) requirement on test data than constrained ones",
    pairs(rows),
    ({ resilient, constrained }) => resilient.violating.test < constrained.violating.test,
  );

/** Along ε or ρ. */
export const largestClaims = (rows: readonly Row[]): Claim[] => [
  ...over(
    "the largest resilient price is below the largest constrained one",
    pairs(rows),
    ({ resilient, constrained }) => resilient.largestPrice < constrained.largestPrice,
  ),
  ...over(
    "the largest generalisation gap is smaller",
    pairs(rows),
    ({ resilient, constrained }) => resilient.largestGap < constrained.largestGap,
  ),
];

export const rankClaims = (rows: readonly Row[]): Claim[] => {
  const compared = pairs(rows).map(({ resilient, constrained }) => compareRanks(resilient, constrained));
  return [
    ...over("most ranks do at least as well as constrained", compared, ({ atLeast }) => atLeast > 50),
    ...over("a few lose more than any gains", compared, ({ maxLoss, maxGain }) => maxLoss > maxGain),
  ];
};

export const spreadClaims = (rows: readonly Row[]): Claim[] =>
  over(
    "the range of accuracies is larger than constrained",
    pairs(rows),
    ({ resilient, constrained }) => resilient.range > constrained.range,
  );
