// Many requirements: ranked, searched, counted by what became of them, and as a distribution.
import { excessOf } from "../../../src/requirement.js";
import { extent } from "../figure/scale.js";
import { inOrder } from "../lib/names.js";
import type { ToldResult } from "../words/said.js";
import { gaveBy, type Verdict, verdictOf } from "../words/verdict.js";

export interface Ranked {
  readonly name: string;
  readonly result: ToldResult;
  readonly verdict: Verdict;
  /** By how much it misses its level; negative where it holds. */
  readonly excess: number;
  readonly gave: number;
  /** By how much it misses it on test data. */
  readonly test: number | undefined;
}

export const rankings = ["excess", "price", "gave", "test", "name"] as const;
export type Ranking = (typeof rankings)[number];

export const rankOf = (requirements: Readonly<Record<string, ToldResult>>, tolerance: number): Ranked[] =>
  Object.entries(requirements).map(([name, result]) => ({
    name,
    result,
    verdict: verdictOf(result, tolerance),
    excess: result.examples ? result.relaxation : excessOf(result),
    gave: gaveBy(result),
    test: result.test?.beyond,
  }));

/** Worst first; what is not known comes last. */
export function ordered(all: readonly Ranked[], by: Ranking): Ranked[] {
  if (by === "name") return [...all].sort((a, b) => inOrder(a.name, b.name));
  const value = (r: Ranked): number =>
    by === "price" ? (r.result.said.known ?? -Infinity) : (r[by] ?? -Infinity);
  return [...all].sort((a, b) => value(b) - value(a) || 0 || inOrder(a.name, b.name));
}

/** Every word of a search is somewhere in the name. */
export function found(all: readonly Ranked[], search: string): Ranked[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** How many of them miss their level. */
  readonly beyond: number;
}

/** How many requirements miss their level by how much. No bin has some of both: 0 is an edge. */
export function binsOf(all: readonly Ranked[], wanted = 24): Bin[] {
  const [low, high] = extent(
    all.map(({ excess }) => excess),
    [0],
  ) ?? [0, 1];
  const width = (high - low || 1) / wanted;
  const [first, last] = [Math.floor(low / width + 1e-9), Math.ceil(high / width - 1e-9)];
  const bins = Array.from({ length: Math.max(1, last - first) }, (_, i) => ({
    from: (first + i) * width,
    to: (first + i + 1) * width,
    count: 0,
    beyond: 0,
  }));
  for (const { excess } of all.filter((r) => Number.isFinite(r.excess))) {
    const at = Math.ceil(excess / width - 1e-9) - 1 - first;
    const bin = bins[Math.min(bins.length - 1, Math.max(0, at))];
    bin.count++;
    if (excess > 0) bin.beyond++;
  }
  return bins;
}
