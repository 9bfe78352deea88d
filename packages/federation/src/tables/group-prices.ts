// Requirements by group across sites. L_g is the mean loss over the rows of group g at all sites, L that over all rows:
//
//   min (1/C) Σ_c f_c + Σ_g h(u_g)   s.t.   L_g − L − ε ≤ u_g.
//
// The coordinator learns L_g and L by secure sums, at the beginning of each round, and holds the prices λ_g. A site weights its
// rows with them: with n_c rows of its own, N_g of the group and N in all over C sites, the Lagrangian is the mean over sites of
//
//   F_c = (1/n_c) Σ_i [1 + C n_c (λ_g(i)/N_g − Λ/N)] ℓ_i,   Λ = Σ_g λ_g.
import { PliantError } from "@pliant/core";
import { constrainedStep, exactStep, relaxationCost } from "@pliant/federated";
import { type GroupSpec, levelIn } from "../spec/data-spec.js";
import { rowUnit } from "./exact-sums.js";
import type { Rows } from "./site-table.js";

/** What sites weight their rows by; plain data. */
export interface GroupPrices {
  readonly prices: readonly number[];
  readonly relaxations: readonly number[];
  /** N_g, and N last. */
  readonly rows: readonly number[];
  /** C. */
  readonly sites: number;
}

export const noPrices = ({ values }: GroupSpec): GroupPrices => ({
  prices: values.map(() => 0),
  relaxations: values.map(() => 0),
  rows: [...values, ""].map(() => 0),
  sites: 0,
});

/** How many numbers ride along. */
export const groupSize = ({ values }: GroupSpec): number => 2 * (values.length + 1);

/** Rows and losses of each group, and of all rows last. */
export function groupSums(losses: ArrayLike<number>, { groups }: Rows, { values }: GroupSpec): number[] {
  const counts = new Float64Array(values.length + 1);
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < losses.length; i++)
    for (const g of [groups![i], values.length]) {
      if (g < 0) continue;
      counts[g]++;
      sums[g] += losses[i];
    }
  return [...counts, ...sums].map((sum) => sum / rowUnit);
}

/**
 * The prices after a round's losses, from the means over so many sites. Sites are told the counts of the first sum and no others: the
 * counts with and without a site would tell its own. What a weight goes by is the share of a group, which a site more or less hardly
 * changes.
 */
export function nextPrices(
  before: GroupPrices,
  means: readonly number[],
  sites: number,
  { values, loss, cost, dualRate }: GroupSpec,
): GroupPrices {
  const sums = means.map((mean) => mean * sites * rowUnit);
  const rows = sums.slice(0, values.length + 1).map(Math.round);
  const losses = sums.slice(values.length + 1).map((sum, g) => sum / rows[g]);
  const overall = losses[values.length];
  if (rows.some((count) => count < 0) || !(overall >= 0))
    throw new PliantError("The losses by group are negative, or over fewer rows than none: a site lied.");
  const level = levelIn(loss!);
  // A group without rows asks for nothing.
  const slacks = values.map((_, g) => (rows[g] > 0 ? losses[g] - overall - level : -level));
  const next =
    cost === "hard"
      ? constrainedStep(before, slacks, dualRate)
      : exactStep(relaxationCost(cost) as never, before, slacks, dualRate);
  return before.sites > 0 ? { ...before, ...next } : { ...next, rows, sites };
}

/** What each row counts. */
export function rowFactors({ prices, rows, sites }: GroupPrices, own: Rows): Float64Array {
  const n = own.labels.length;
  const sum = prices.reduce((a, b) => a + b, 0);
  return Float64Array.from(own.groups!, (g) => {
    const priced = g >= 0 && rows[g] > 0 ? prices[g] / rows[g] : 0;
    return sites === 0 ? 1 : 1 + sites * n * (priced - sum / rows.at(-1)!);
  });
}
