// One sum from the sums of groups.
import type { SumOf } from "../protocol/index.js";

export interface SumOfSites extends SumOf {
  readonly sites: number;
}

/**
 * All of it; or, so that a poisoned update moves nothing as long as most groups have none, the median over groups of their means in
 * every coordinate. Numbers that ride along are counts and bounded means, and are added either way.
 */
export function across(sums: readonly SumOfSites[], how: "sum" | "median"): SumOf {
  if (sums.length === 1) return sums[0];
  const sites = sums.reduce((total, one) => total + one.sites, 0);
  const values = new Float64Array(sums[0].values.length);
  for (let i = 0; i < values.length; i++)
    values[i] =
      how === "median"
        ? sites * median(sums.map((one) => one.values[i] / one.sites))
        : sums.reduce((total, one) => total + one.values[i], 0);
  return {
    values,
    means: sums[0].means.map(
      (_, k) => sums.reduce((total, one) => total + one.means[k] * one.sites, 0) / sites,
    ),
    scaled: sums.reduce((total, one) => total + one.scaled, 0),
  };
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  const half = values.length >> 1;
  return values.length % 2 === 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}
