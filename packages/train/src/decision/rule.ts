// A requirement on decisions as cuts are judged by it: how far what is counted is beyond its level. With a confidence, how far it
// would be for the level to hold on new rows that often: of P rows k may be missed where Beta(k + 1, P − k) lies below the level
// with that chance, and elsewhere by the normal distribution.
import { random } from "@pliant/engine";
import { exactInterval } from "@pliant/learn";
import type { Examples } from "../data/examples.js";
import { costOf, type PlainCost } from "../grammar/cost.js";
import { membersOf, type Stated } from "../problem/stated.js";
import { type Tally, tallyOf } from "./tally.js";

/** One comparison of a rule: a set of rows, or one beside another; of the worst of several groups one for each. */
export interface Comparison {
  readonly own: Tally;
  readonly base?: Tally;
  readonly factor: number;
  /** For the worst of several groups. */
  readonly group?: string;
}

export interface Rule {
  readonly stated: Stated;
  readonly comparisons: readonly Comparison[];
  /** Those that the level is for, of which the largest excess counts. */
  readonly hard: boolean;
  /** Its own cost of giving way; otherwise it shares the spec's. */
  readonly cost?: PlainCost;
  /** The unit in which its cost of giving way counts. */
  readonly unit: number;
  /** By how much a comparison is beyond its level, from the sums of its own rows and of those beside them. */
  excess(comparison: Comparison, own: readonly [number, number], base: readonly [number, number]): number;
  /** The number itself. */
  value(comparison: Comparison, own: readonly [number, number], base: readonly [number, number]): number;
}

interface RuleOptions {
  /** The spec's. */
  readonly cost: string;
  readonly classes: number;
  readonly unit: number;
  readonly confidence?: number;
}

const none: readonly [number, number] = [0, 0];

export function ruleOf(
  stated: Stated,
  examples: Examples,
  { cost, classes, unit, confidence }: RuleOptions,
): Rule {
  const { metric, sense, base, hard, spec } = stated;
  const members = membersOf(stated, examples);
  const tally = (marks: Uint8Array): Tally => tallyOf(metric.decides!, marks, examples.y.data, classes);
  const comparisons: Comparison[] = members.worst
    ? members.worst.map((marks, g) => ({
        own: tally(marks),
        factor: 0,
        group: `${stated.worst![g].column}=${stated.worst![g].value}`,
      }))
    : [
        {
          own: tally(members.own),
          ...(members.base && { base: tally(members.base) }),
          factor: base?.factor ?? 0,
        },
      ];
  const level = stated.level as number;
  const sign = sense === "at least" ? -1 : 1;
  const value: Rule["value"] = ({ own, base: rest, factor }, of, beside) =>
    own.value(...of) - (rest ? factor * rest.value(...beside) : 0);
  const levels = new Map(
    comparisons.map((one) => [one, confidence ? surelyAt(one, level, sense, confidence) : level]),
  );
  const z = confidence === undefined ? 0 : random.normalQuantile(confidence);
  return {
    stated,
    comparisons,
    hard,
    ...(spec.cost !== undefined && spec.cost !== cost && { cost: costOf(spec.cost).plain }),
    unit,
    value,
    excess: (one, of, beside = none) => {
      // A share of hardly anybody is no evidence that it is met.
      if (one.own.saysNothing(...of)) return 1;
      const asked = levels.get(one)!;
      const found = sign * (value(one, of, beside) - (asked ?? level));
      return asked === undefined ? found + z * errorOf(one, of, beside) : found;
    },
  };
}

/** The level that a count may come to for the asked one to hold that surely; undefined where the normal distribution has to do. */
function surelyAt(
  { own, base }: Comparison,
  level: number,
  sense: Stated["sense"],
  confidence: number,
): number | undefined {
  if (base || !own.fixedWhole || !own.share) return undefined;
  const [, whole] = own.share(0, 0);
  const most = sense === "at least" ? 1 - level : level;
  let [low, high] = [-1, whole];
  // How many of the whole may be counted; the share allowed at this confidence grows with it.
  while (high - low > 1) {
    const k = Math.floor((low + high) / 2);
    if (exactInterval(k, whole, { confidence: 2 * confidence - 1 }).high <= most) low = k;
    else high = k;
  }
  const allowed = Math.max(0, low) / whole;
  return sense === "at least" ? 1 - allowed : allowed;
}

/** The standard error of a share, or of a difference of two. */
function errorOf(
  { own, base, factor }: Comparison,
  of: readonly [number, number],
  beside: readonly [number, number],
): number {
  const variance = (tally: Tally, sums: readonly [number, number]): number => {
    const v = tally.value(...sums);
    const n = tally.share?.(...sums)[1] ?? tally.size;
    return n > 0 ? Math.max(0, v * (1 - v)) / n : 1;
  };
  return Math.sqrt(variance(own, of) + (base ? factor ** 2 * variance(base, beside) : 0));
}
