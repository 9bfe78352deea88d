// With two groups, a gap is one number seen from either side. If the side behind costs nothing it adds nothing, so text shows only the
// other; output for programs has both.

import { askedOf } from "../questions/answers.js";
import type { PooledRequirement } from "./pooled.js";
import type { TrainReport, TrainRequirement } from "./report.js";

/** What decides whether a requirement mirrors another one, and which of the two is shown. */
interface Side {
  /** The name of the strict metric. */
  readonly strictly: string;
  /** In words. */
  readonly asked: string;
  readonly hard: boolean;
  /** Strictly, on the same rows as the other. */
  readonly value: number;
  /** Where the two are judged; default: the same rows. */
  readonly judged?: number;
  /** Whether it has a price, or was missed: then it is shown in any case. */
  readonly speaks: boolean;
}

/** Up to the group: `parity [grp=A]` and `parity [grp=B]` are of one label. */
const labelOf = (name: string): string => name.replace(/ \[[^\]]*\]$/, "");

const isSymmetric = (a: Side, b: Side): boolean =>
  a.strictly === b.strictly &&
  a.strictly.startsWith("gap in ") &&
  a.asked === b.asked &&
  a.asked.startsWith("at most ") &&
  Math.abs(a.value + b.value) < 1e-9;

/** The names that need no telling. */
export function symmetricIn(sides: Readonly<Record<string, Side>>): string[] {
  const all = Object.entries(sides);
  return all.flatMap(([name, side]) => {
    const others = all.filter(([other]) => other !== name && labelOf(other) === labelOf(name));
    if (others.length !== 1 || !isSymmetric(side, others[0][1])) return [];
    const [[other, ahead]] = others;
    const [own, its] = [side.judged ?? side.value, ahead.judged ?? ahead.value];
    const behind = own < its || (own === its && other < name);
    // A hard requirement is shown if its mirror is soft.
    const speaks = side.speaks || (side.hard && !ahead.hard);
    return behind && !speaks ? [name] : [];
  });
}

type Sided = Pick<
  TrainRequirement,
  "sense" | "level" | "relative" | "hard" | "reached" | "price" | "status"
> & {
  readonly strictly?: string;
  readonly train?: { readonly strict: { readonly value: number } };
};

const sideOf = (r: Sided): Side => ({
  strictly: r.strictly ?? "",
  asked: askedOf(r),
  hard: r.hard,
  value: r.train?.strict.value ?? Number.NaN,
  judged: r.reached,
  speaks: r.price !== 0 || r.status === "violated",
});

const mapValues = <A, B>(record: Readonly<Record<string, A>>, of: (one: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, one]) => [name, of(one)]));

/** Without some names. */
export const without = <A>(
  record: Readonly<Record<string, A>>,
  names: readonly string[],
): Record<string, A> => Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** The names of a report that need no telling. */
export const symmetricOf = (requirements: Readonly<Record<string, Sided>>): string[] =>
  symmetricIn(mapValues(requirements, sideOf));

/** The report as text shows it: for a gap between two groups, the side that is ahead. */
export function withoutSymmetric(report: TrainReport): TrainReport {
  const hidden = symmetricOf(report.requirements);
  return hidden.length === 0 ? report : { ...report, requirements: without(report.requirements, hidden) };
}

/** Those that need no telling in any of several runs. */
export function symmetricInAll(runs: readonly Pick<TrainReport, "requirements">[]): string[] {
  const hidden = runs.map(({ requirements }) => symmetricOf(requirements));
  return [...new Set(hidden.flat())].filter((name) =>
    runs.every(({ requirements }, i) => !Object.hasOwn(requirements, name) || hidden[i].includes(name)),
  );
}

/** For several runs together. */
export const symmetricInMeans = (requirements: Readonly<Record<string, PooledRequirement>>): string[] =>
  symmetricIn(
    mapValues(requirements, ({ strictly, asked, hard, train, reached, price, statuses }) => ({
      strictly,
      asked,
      hard,
      value: train?.mean ?? Number.NaN,
      judged: reached.mean,
      speaks: (price?.mean ?? 0) !== 0 || (statuses.violated ?? 0) > 0,
    })),
  );
