// The paper's federated claims (`paper/claims.ts`), counted on rows.
import { over, stating } from "../items/claim.js";
import type { Claim } from "../items/item.js";
import { largest, mean, smallest, spearman } from "../statistics.js";
import { compareRanks } from "./ranks.js";
import { type Row, violations } from "./row.js";
import { bySetting, pairs } from "./tables.js";

/** Rank correlations with the share of minority data: of relaxations, and of training losses. */
export const minorityClaims = (rows: readonly Row[]): Claim[] => {
  const cases = rows.filter(({ minorityCorrelation }) => minorityCorrelation !== undefined);
  if (cases.length === 0) return [];
  const correlated = (id: string, what: string, found: readonly number[]): Claim =>
    stating(
      id,
      found.every((value) => value > 0),
      `rank correlation of ${what} and minority share ${found.map((value) => value.toFixed(2)).join(", ")}`,
    );
  const losses = cases.map(
    ({ perClient }) =>
      spearman(
        perClient.map(({ trainLoss }) => trainLoss),
        perClient.map(({ minorityShare }) => minorityShare),
      ) ?? 0,
  );
  return [
    correlated(
      "minority",
      "u",
      cases.map(({ minorityCorrelation = 0 }) => minorityCorrelation),
    ),
    correlated("minority-loss", "training loss", losses),
  ];
};

/** Neighbouring pairs of an ordered list. */
const neighbours = <T>(ordered: readonly T[]): [T, T][] =>
  ordered.slice(1).map((item, i) => [ordered[i], item]);

const meanOf = (group: readonly Row[], of: (row: Row) => number): number => mean(group.map(of));

export function alphaClaims(rows: readonly Row[]): Claim[] {
  // The constrained run is the limit of a growing α.
  const groups = bySetting(rows).toSorted((a, b) => (a[0].alpha ?? Infinity) - (b[0].alpha ?? Infinity));
  const falling = (id: string, of: (row: Row) => number): Claim[] =>
    over(id, neighbours(groups), ([a, b]) => meanOf(b, of) <= meanOf(a, of));
  return [
    ...falling("alpha-relaxation", (row) => row.relaxationRms),
    ...falling("alpha-worst", (row) => row.worstExcess),
    ...falling("alpha-loss", (row) => -row.meanTrainLoss),
    ...limitClaims(groups),
  ];
}

/** The largest α beside the smallest and the constrained run. */
function limitClaims(groups: readonly (readonly Row[])[]): Claim[] {
  const [first, last] = [groups[0], groups.at(-1)];
  const before = groups.at(-2);
  if (!first || !last || !before || groups.length < 3 || last[0].alpha !== undefined) return [];
  const [small, large] = [first, before].map((group) => ({
    u: meanOf(group, (row) => row.relaxationRms),
    loss: meanOf(group, (row) => row.meanTrainLoss),
  }));
  const limit = meanOf(last, (row) => row.meanTrainLoss);
  return [
    stating(
      "alpha-limit",
      large.u < 0.1 * small.u && Math.abs(large.loss - limit) < 0.25 * Math.abs(small.loss - limit),
      `RMS of u ${small.u.toFixed(3)} at α = ${first[0].alpha}, ${large.u.toFixed(4)} at α = ${before[0].alpha}; mean loss ${small.loss.toFixed(3)}, ${large.loss.toFixed(3)}, constrained ${limit.toFixed(3)}`,
    ),
  ];
}

/** Resilient against constrained: clients above their requirement in training, and the largest test violation. */
export function violationClaims(rows: readonly Row[]): Claim[] {
  const found = pairs(rows);
  if (found.length === 0) return [];
  const less = (of: (row: Row) => number): boolean =>
    found.every(({ resilient, constrained }) => of(resilient) < of(constrained));
  const beside = (of: (row: Row) => string): string =>
    found.map(({ resilient, constrained }) => `${of(resilient)} against ${of(constrained)}`).join(", ");
  const fixed = (value: number): string => value.toFixed(2).replace("-", "−");
  const nominal = (row: Row): string => fixed(largest(violations(row, "test", { relaxed: false })));
  return [
    stating(
      "violating-train",
      less((row) => row.violating.train),
      `${beside((row) => String(row.violating.train))} of ${rows[0].clients} clients`,
    ),
    stating(
      "violation-test",
      less((row) => row.largestViolation),
      `${beside((row) => fixed(row.largestViolation))} above the relaxed requirement; above the nominal one ${beside(nominal)}`,
    ),
  ];
}

/** Along ε or ρ. */
export const largestClaims =
  (along: "level" | "ratio") =>
  (rows: readonly Row[]): Claim[] => {
    const found = pairs(rows);
    const less = (id: string, of: (row: Row) => number): Claim[] =>
      over(id, found, ({ resilient, constrained }) => of(resilient) < of(constrained));
    const constrained = bySetting(rows.filter(({ method }) => method === "constrained")).toSorted(
      (a, b) => a[0][along] - b[0][along],
    );
    /** Each step to a stricter ε or a stronger imbalance makes it larger. */
    const grows = (id: string, of: (row: Row) => number): Claim[] =>
      over(id, neighbours(constrained), ([strict, lax]) => meanOf(strict, of) > meanOf(lax, of));
    return [
      ...less(along === "level" ? "duals-levels" : "duals-imbalance", (row) => row.largestPrice),
      ...less("violation-across", (row) => row.largestViolation),
      ...(along === "level"
        ? [...less("gap", (row) => row.largestGap), ...grows("strict-generalises", (row) => row.largestGap)]
        : grows("duals-grow", (row) => row.largestPrice)),
    ];
  };

export const rankClaims = (rows: readonly Row[]): Claim[] => {
  const compared = pairs(rows).map(({ resilient, constrained }) => ({
    row: resilient,
    ...compareRanks(resilient, constrained),
  }));
  const stronger = compared.flatMap((a) =>
    compared
      .filter(
        (b) => b.row.dataset === a.row.dataset && b.row.seed === a.row.seed && a.row.ratio < b.row.ratio,
      )
      .map((b) => ({ strong: a, weak: b })),
  );
  return [
    ...over("ranks-most", compared, ({ atLeast }) => atLeast > 50),
    ...over("ranks-few", compared, ({ maxLoss, maxGain }) => maxLoss > maxGain),
    ...over("ranks-imbalance", stronger, ({ strong, weak }) => strong.atLeast > weak.atLeast),
  ];
};

/** In points of accuracy: the paper calls up to 0.9 similar. */
const similar = 1;

export function spreadClaims(rows: readonly Row[]): Claim[] {
  const found = pairs(rows);
  if (found.length === 0) return [];
  return [
    ...similarMeans(rows),
    ...smallerIqr(rows),
    ...over("range", found, (p) => p.resilient.range > p.constrained.range),
  ];
}

function similarMeans(rows: readonly Row[]): Claim[] {
  const differences = rows
    .filter(({ method }) => method === "resilient")
    .flatMap((resilient) =>
      rows
        .filter(
          (other) =>
            other.method !== "resilient" &&
            other.dataset === resilient.dataset &&
            other.ratio === resilient.ratio &&
            other.seed === resilient.seed,
        )
        .map((other) => resilient.meanAccuracy - other.meanAccuracy),
    );
  const furthest = largest(differences.map(Math.abs));
  return [
    stating(
      "mean-similar",
      furthest < similar,
      `largest difference ${furthest.toFixed(1)} points, over ${differences.length} comparisons`,
    ),
  ];
}

/** "Generally": in more than half of the cases; the datasets are counted apart. */
function smallerIqr(rows: readonly Row[]): Claim[] {
  const found = pairs(rows);
  const smaller = found.filter(({ resilient, constrained }) => resilient.iqr < constrained.iqr);
  const datasets = [...new Set(found.map(({ resilient }) => resilient.dataset))];
  const of = (all: typeof found, dataset: string): number =>
    all.filter(({ resilient }) => resilient.dataset === dataset).length;
  return [
    stating(
      "iqr",
      smaller.length > found.length / 2,
      datasets.map((dataset) => `${dataset} ${of(smaller, dataset)} of ${of(found, dataset)}`).join(", "),
    ),
  ];
}

/** The costs ‖u‖_β: β = 1, 2 and 4 beside each other, and the largest relaxation alone (β = ∞) beside them. */
export function costNormClaims(rows: readonly Row[]): Claim[] {
  const [maximum, others] = [true, false].map((is) =>
    bySetting(rows.filter(({ cost }) => cost !== undefined && (cost === "maximum") === is)),
  );
  if (maximum.length !== 1) return [];
  const ends = (of: (row: Row) => number): string => {
    const found = others.map((group) => meanOf(group, of));
    return `${smallest(found).toFixed(1)} to ${largest(found).toFixed(1)}`;
  };
  const means = others.map((group) => meanOf(group, (row) => row.meanAccuracy));
  const beside = (id: string, of: (row: Row) => number): Claim[] =>
    over(id, others, (group) => meanOf(maximum[0], of) < meanOf(group, of));
  return [
    stating(
      "cost-similar",
      largest(means) - smallest(means) < similar,
      `means ${ends((row) => row.meanAccuracy)}, IQR ${ends((row) => row.iqr)}, range ${ends((row) => row.range)}`,
    ),
    ...beside("cost-infinity-mean", (row) => row.meanAccuracy),
    ...beside("cost-infinity-range", (row) => row.range),
    ...beside("cost-infinity-iqr", (row) => -row.iqr),
  ];
}

/** The paper's grid spans 0.9 points; this many count as overly sensitive. */
const sensitive = 2;

export function rateClaims(rows: readonly Row[]): Claim[] {
  const cells = bySetting(rows).map((group) => ({
    ...group[0],
    found: meanOf(group, (row) => row.meanAccuracy),
  }));
  if (cells.length < 2) return [];
  const [best, worst] = [largest, smallest].map((end) => end(cells.map(({ found }) => found)));
  const used = cells.find(({ dualRate, relaxationRate }) => dualRate === 2 && relaxationRate === 0.1);
  return [
    stating(
      "rates-insensitive",
      best - worst < sensitive,
      `${(best - worst).toFixed(1)} points over ${cells.length} pairs of rates`,
    ),
    ...(used
      ? [
          stating(
            "rates-suboptimal",
            used.found < best,
            `${used.found.toFixed(1)}, the best ${best.toFixed(1)}`,
          ),
        ]
      : []),
  ];
}
