// How far a rate on validation rows is from one on the training rows where these are overfitted: by more than chance, and by
// no more than the rows that a model can know. A share of n rows has a variance of at most 1/(4n), and a difference of shares the sum
// of theirs.

import type { Prepared } from "../data/examples.js";
import { underOf } from "../problem/disturb.js";
import { countOf, isCounted, membersOf, type Stated } from "../problem/stated.js";

/**
 * Among several metrics, one differs by chance more easily: this many deviations keep the chance for all of them together (by the tail
 * exp(−z²/2) of the normal distribution, with z = 1.96 of one alone).
 */
export const beyondChance = (among: number): number => Math.sqrt(1.96 ** 2 + 2 * Math.log(among));

/**
 * About how many rows a model of so many parameters can memorise: a plane in p dimensions parts 2p points whatever their labels,
 * and hardly more (Cover, 1965); of a network it is a rule of thumb.
 */
export const memorisable = (parameters: number | undefined): number | undefined =>
  parameters === undefined ? undefined : 2 * parameters;

/** For a rate with this value on the validation rows. */
export type Parting = (reached: number) => {
  /** The difference that chance alone may cause. */
  readonly least: number;
  /** The difference that memorised rows may cause. */
  readonly most: number;
};

/**
 * By requirement, of a model of so many parameters, with one chance for all of them together. None for what is not counted on validation rows, and for statistics:
 * a calibration error is the larger the fewer its rows are, whatever the model knows.
 */
export function partings(
  stated: readonly Stated[],
  { train, validation }: Prepared,
  parameters: number,
): Readonly<Record<string, Parting>> {
  if (!validation) return {};
  const deviations = beyondChance(stated.reduce((sum, { worst }) => sum + (worst?.length ?? 1), 0));
  /** From the number of training rows and the number of counts compared. */
  const between = (learnt: number, counts: readonly number[]): ReturnType<Parting> => ({
    least: deviations * Math.sqrt(counts.reduce((sum, n) => sum + 1 / (4 * n), 0)),
    most: memorisable(parameters)! / learnt,
  });
  return Object.fromEntries(
    stated.flatMap((s): [string, Parting][] => {
      if (!isCounted(s) || s.metric.kind !== "rate" || s.few !== undefined) return [];
      const [here, there] = [train, validation].map((examples) => membersOf(s, examples));
      if (here.worst && there.worst) {
        const groups = here.worst.map((marks, g) => {
          const [learnt, count] = [marks, there.worst![g]].map(countOf);
          return { count, ...between(learnt, [learnt, count]) };
        });
        const draws = underOf(s.spec)?.draws ?? 1;
        return [[s.name, (reached) => ofWorst(groups, reached, draws)]];
      }
      const learnt = [here.own, ...(here.base ? [here.base] : [])].map(countOf);
      const judged = [there.own, ...(there.base ? [there.base] : [])].map(countOf);
      const parted = between(Math.min(...learnt), [...learnt, ...judged]);
      return [[s.name, () => parted]];
    }),
  );
}

/**
 * The worst group is known by its rate, a whole number of its examples: among the groups that can have that rate, the one that differs
 * most. A small group does not speak for others.
 */
function ofWorst(
  groups: readonly (ReturnType<Parting> & { readonly count: number })[],
  reached: number,
  draws: number,
): ReturnType<Parting> {
  const isShareOf = (count: number): boolean => {
    const examples = reached * count * draws;
    return Math.abs(examples - Math.round(examples)) <= single * count * draws;
  };
  const able = groups.filter(({ count }) => isShareOf(count));
  const some = able.length > 0 ? able : groups;
  return {
    least: Math.max(...some.map(({ least }) => least)),
    most: Math.max(...some.map(({ most }) => most)),
  };
}

/** Shares are in single precision. */
const single = 1e-6;
