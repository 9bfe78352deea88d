// The cost of a level of decisions, in words: a threshold chosen again with the same scores is paid for in wrong decisions and other
// rates; the loss does not change.
import { amount, figure, listed, quoted } from "../format/figure.js";
import {
  type Insisting,
  type Neighbours,
  overallRates,
  type Pays,
  type Unmet,
} from "../questions/answers.js";

/** The unit of wrong decisions, as a noun. */
export const currencyWords = (currency: string): string =>
  ({ errors: "error rate", "balanced errors": "balanced error rate", cost: "mean cost" })[currency] ??
  currency;

/** Smaller moves of a rate say nothing to a reader. */
const seenMove = 5e-4;

const isOverall = (name: string): boolean => Object.values<string>(overallRates).includes(name);

/** What else moves with a threshold, the largest first. */
function movesOf(pays: Pays | undefined): string[] {
  return Object.entries(pays ?? {})
    .filter(([, by]) => Math.abs(by) >= seenMove)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, 3)
    .map(
      ([name, by]) => `${isOverall(name) ? name : quoted(name)} ${by > 0 ? "+" : "−"}${amount(Math.abs(by))}`,
    );
}

/** A sentence that no threshold meets a level, and which hard requirements prevent it. */
export function unmetWords({ against = [], fewest, offsets }: Unmet = {}, where = ""): string {
  const rows =
    fewest === undefined
      ? ""
      : ` that ${offsets ? "predict" : "predicts"} the class for at least ${fewest} rows`;
  const meets = `No ${offsets ? "class offsets" : "threshold"}${rows} ${offsets ? "meet" : "meets"} it${where}`;
  return against.length > 0
    ? `${meets} together with ${listed(against.map(quoted))}, which ${against.length === 1 ? "is" : "are"} hard`
    : `${meets} with these scores`;
}

/** The threshold was chosen again at neighbouring levels: the price is paid in wrong decisions and the cost of giving way. */
export function paidWords({ looser, tighter, unit, in: currency, pays, unmet }: Neighbours): string {
  const paid = (x: number, moves: Pays | undefined): string => {
    const shown = movesOf(moves);
    const rest = shown.length > 0 ? ` (${shown.join(", ")})` : "";
    if (Math.abs(x) < 5e-6) return `cost nothing${rest}`;
    return `${x < 0 ? "lower" : "raise"} the total (${currencyWords(currency!)} plus cost of giving way) by ${amount(Math.abs(x))}${rest}`;
  };
  return [
    ...(looser === undefined ? [] : [`Loosening it by ${unit.name} would ${paid(-looser, pays?.looser)}`]),
    tighter === undefined
      ? unmetWords(unmet, ` ${unit.name} tighter`)
      : `Tightening it by ${unit.name} would ${paid(tighter, pays?.tighter)}`,
  ].join(". ");
}

/** The effect on others of insisting on a requirement, after "would". */
export function giveWords(others: Insisting["others"], broken: readonly string[]): string[] {
  const all = Object.entries(others);
  return [
    ...all
      .filter(([name]) => broken.includes(name))
      .map(([name, more]) => `violate ${quoted(name)}, which is hard, by ${figure(more, 0)}`),
    ...all
      .filter(([name]) => !broken.includes(name))
      .map(([name, more], i) =>
        i === 0
          ? `make ${quoted(name)} give way by ${figure(more, 0)} more`
          : `${quoted(name)} by ${figure(more, 0)} more`,
      ),
  ];
}

/** A threshold was solved again at the same scores, with the requirement hard. */
export function insistedByThreshold(insisting: Insisting, relative: boolean): string {
  const { missed, reached, costs, in: currency, pays, others, broken = [] } = insisting;
  const give = giveWords(others, broken);
  if (missed > 0) {
    const nearest = relative
      ? `the closest value misses the level by ${figure(missed, 0)}`
      : `the closest value is ${figure(reached, 0)}`;
    return `${unmetWords(insisting.unmet)}; ${nearest}.${give.length > 0 ? ` Reaching that value would ${listed(give)}.` : ""}`;
  }
  const noun = currencyWords(currency!);
  const rest = movesOf(
    Object.fromEntries(Object.entries(pays ?? {}).filter(([name]) => !Object.hasOwn(others, name))),
  );
  const also = rest.length > 0 ? ` Other rates would change: ${rest.join(", ")}.` : "";
  if (Math.abs(costs) < 5e-6)
    return `Insisting would ${give.length > 0 ? `${listed(give)}, at the same ${noun}` : `not change the ${noun}`}.${also}`;
  const moved = `${costs > 0 ? "raise" : "lower"} the ${noun} by ${amount(Math.abs(costs))}`;
  // The threshold was the best one, so what is saved is paid for by others.
  const paid =
    give.length === 0
      ? ""
      : costs > 0
        ? ` and ${listed(give)}`
        : `, but only because it would ${listed(give)}`;
  return `Insisting would ${moved}${paid}.${also}`;
}
