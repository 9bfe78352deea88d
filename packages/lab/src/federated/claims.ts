// What the paper claims of its federated figures and tables in words, checked on rows: each claim with whether it holds.
import { over } from "../items/claim.js";
import type { Claim } from "../items/item.js";
import { mean } from "../statistics.js";
import { compareRanks } from "./ranks.js";
import type { Row } from "./row.js";
import { bySetting, pairs } from "./tables.js";

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

/** Of the costs ‖u‖_β, the largest relaxation alone (β = ∞) beside the others. */
export function costNormClaims(rows: readonly Row[]): Claim[] {
  const [largest, others] = [true, false].map((is) =>
    bySetting(rows.filter(({ cost }) => cost !== undefined && (cost === "maximum") === is)),
  );
  if (largest.length !== 1) return [];
  const beside = (text: string, of: (row: Row) => number): Claim[] =>
    over(
      `β = ∞ has ${text} than β = 1, 2 and 4`,
      others,
      (group) => mean(largest[0].map(of)) < mean(group.map(of)),
    );
  return [
    ...beside("a lower mean accuracy", (row) => row.meanAccuracy),
    ...beside("a smaller range of accuracies", (row) => row.range),
    ...beside("a larger interquartile range", (row) => -row.iqr),
  ];
}

/** What differs by less is not overly sensitive, in points of accuracy. */
const sensitive = 2;

export function rateClaims(rows: readonly Row[]): Claim[] {
  const cells = bySetting(rows).map((group) => ({
    ...group[0],
    found: mean(group.map((r) => r.meanAccuracy)),
  }));
  if (cells.length < 2) return [];
  const [best, worst] = [Math.max, Math.min].map((end) => end(...cells.map(({ found }) => found)));
  const used = cells.find(({ dualRate, relaxationRate }) => dualRate === 2 && relaxationRate === 0.1);
  return [
    {
      text: `over the grid the mean accuracy differs by less than ${sensitive} points`,
      holds: best - worst < sensitive,
      found: `${(best - worst).toFixed(1)} points over ${cells.length} pairs of rates`,
    },
    ...(used
      ? [
          {
            text: "the rates of the other experiments, η_u = 0.1 and η_λ = 2, are not the best",
            holds: used.found < best,
            found: `${used.found.toFixed(1)}, the best ${best.toFixed(1)}`,
          },
        ]
      : []),
  ];
}
