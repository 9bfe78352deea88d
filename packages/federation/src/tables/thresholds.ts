// Thresholds by group that bring a rate of all groups together, from counts over all sites: how many rows of each label have a
// score in each bin. A rate at the edge of a bin is exact, so what is chosen is what would be counted.
import type { GroupSpec } from "../spec/data-spec.js";
import { type Evaluation, scoreBins } from "./evaluation.js";

/** Of one group, at its threshold. */
export interface GroupRates {
  readonly positive: number;
  readonly truePositive: number;
  readonly falsePositive: number;
  readonly accuracy: number;
}

/** The thresholds that were learnt on training rows, and the rates on these and on held-out rows. */
export interface Thresholds {
  /** The probability of the second class from which on a row counts as it. */
  readonly thresholds: Readonly<Record<string, number>>;
  readonly rates: Readonly<Record<string, { readonly train: GroupRates; readonly test?: GroupRates }>>;
  /** The largest distance of the rate between groups, on training rows and on held-out ones. */
  readonly gap: { readonly train: number; readonly test?: number };
}

type Bins = readonly (readonly number[])[];

/** Rates where rows from bin `from` on are positive. */
export function ratesAt([negatives, positives]: Bins, from: number): GroupRates {
  const above = (counts: readonly number[]) => counts.slice(from).reduce((a, b) => a + b, 0);
  const all = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  const [n, p] = [all(negatives), all(positives)];
  const [fp, tp] = [above(negatives), above(positives)];
  return {
    positive: (fp + tp) / (n + p),
    truePositive: tp / p,
    falsePositive: fp / n,
    accuracy: (n - fp + tp) / (n + p),
  };
}

/**
 * The most accurate thresholds whose rate differs by at most `within` between groups. For each lowest rate that a group can
 * have, every group takes the most accurate threshold whose rate is between it and it plus `within`.
 */
export function learntThresholds(
  { groups = {} }: Evaluation,
  { of, within }: NonNullable<GroupSpec["rate"]>,
): Thresholds | undefined {
  const known = Object.entries(groups).filter(([, { train }]) => train.rows > 0);
  const curves = known.map(([, { train }]) =>
    Array.from({ length: scoreBins + 1 }, (_, from) => ({ from, ...ratesAt(train.bins!, from) })).filter(
      (at) => Number.isFinite(at[of]),
    ),
  );
  if (curves.length === 0 || curves.some(({ length }) => length === 0)) return undefined;
  let best: { readonly froms: readonly number[]; readonly right: number } | undefined;
  for (const low of new Set(curves.flat().map((at) => at[of]))) {
    const chosen = curves.map((curve) =>
      curve
        .filter((at) => at[of] >= low && at[of] <= low + within)
        .reduce<(typeof curve)[number] | undefined>(
          (a, b) => (a && a.accuracy >= b.accuracy ? a : b),
          undefined,
        ),
    );
    if (!chosen.every((at) => at !== undefined)) continue;
    const right = chosen.reduce((sum, at, g) => sum + at.accuracy * known[g][1].train.rows, 0);
    if (!best || right > best.right) best = { froms: chosen.map(({ from }) => from), right };
  }
  if (!best) return undefined;
  const { froms } = best;
  const rates = known.map(([name, { train, test }], g): [string, Thresholds["rates"][string]] => [
    name,
    {
      train: ratesAt(train.bins!, froms[g]),
      ...(test && test.rows > 0 && { test: ratesAt(test.bins!, froms[g]) }),
    },
  ]);
  const gap = (part: "train" | "test"): number => {
    const values = rates.map(([, own]) => own[part]?.[of] ?? NaN);
    return Math.max(...values) - Math.min(...values);
  };
  // Held-out rows of a group may be none, or of one class.
  const held = gap("test");
  return {
    thresholds: Object.fromEntries(known.map(([name], g) => [name, froms[g] / scoreBins])),
    rates: Object.fromEntries(rates),
    gap: { train: gap("train"), ...(Number.isFinite(held) && { test: held }) },
  };
}
