// How far chance alone parts a rate on validation rows from one on the rows learnt from. A share of n rows has a variance of at most
// 1/(4n), and a difference of shares the sum of theirs.
import type { Prepared } from "../data/examples.js";
import { countOf, isCounted, membersOf, type Stated } from "../problem/stated.js";
import { beyondChance } from "../report/heart.js";

/**
 * By requirement, with one chance for all of them together. None for what is not counted on validation rows, and for statistics:
 * a calibration error is the larger the fewer its rows are, whatever the model knows.
 */
export function chances(
  stated: readonly Stated[],
  { train, validation }: Prepared,
): Readonly<Record<string, number>> {
  if (!validation) return {};
  const deviations = beyondChance(stated.reduce((sum, { worst }) => sum + (worst?.length ?? 1), 0));
  return Object.fromEntries(
    stated.flatMap((s) => {
      if (!isCounted(s) || s.metric.kind !== "rate" || s.few !== undefined) return [];
      const variances = [train, validation].flatMap((examples) => {
        const { own, base, worst = [own] } = membersOf(s, examples);
        const fewest = Math.min(...worst.map(countOf));
        return [fewest, ...(base ? [countOf(base)] : [])].map((n) => 1 / (4 * n));
      });
      return [[s.name, deviations * Math.sqrt(variances.reduce((a, b) => a + b, 0))]];
    }),
  );
}
