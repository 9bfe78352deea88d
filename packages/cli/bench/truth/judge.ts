// What is counted as true of a report: the rules of the benchmark, in one place.
import type { Measure, Report, Reported } from "../pliant.js";
import { rowsOf, type Table } from "../table.js";
import type { Case, TruthCase } from "./case.js";

type About = Pick<Case, "requirements" | "target">;

/** A requirement's numbers, each judged. */
export interface Rate {
  readonly name: string;
  readonly asked: number;
  readonly relaxation: number;
  readonly price: number;
  /** Strictly, on the training rows, on those that prices follow, and on the test rows. */
  readonly strictTrain: number;
  readonly strictPriced: number;
  readonly strictTest: number | null;
  /** The smallest number of examples that is counted. */
  readonly counted: number;
  /** How far it is on the priced rows from the level as relaxed: positive where it misses. */
  readonly over: number;
  readonly within: boolean;
  /** Whether the test interval holds the level as relaxed, or the rate holds at no price. */
  readonly testHolds: boolean | null;
}

/** A price this small says that the requirement costs nothing. */
const nothing = 1e-3;

/** What counting resolves. */
export const resolution = (counted: number): number => Math.max(0.005, 2 / counted);

/** `misses [group=B]`: the group that a report's name is about. */
export function groupOf(name: string): { column: string; value: string } | undefined {
  const [, column, value] = /^.* \[(.*?)=(.*)\]$/.exec(name) ?? [];
  return column === undefined ? undefined : { column, value };
}

export function ratesOf(of: About, table: Table, { requirements, judgedOn }: Report): Rate[] {
  return Object.entries(of.requirements).flatMap(([own, { gap }]) => {
    const names = Object.keys(requirements).filter((name) => requirements[name].of === own);
    const judge = (name: string, price: number): Rate =>
      rateOf(of, table, name, { ...requirements[name], price }, judgedOn);
    if (!gap || names.length !== 2) return names.map((name) => judge(name, requirements[name].price));
    // With two groups, the gap of one is minus that of the other: the larger is the requirement, at the price of both.
    const price = requirements[names[0]].price + requirements[names[1]].price;
    const [a, b] = names.map((name) => judge(name, price));
    return [b.over > a.over ? b : a];
  });
}

function rateOf(of: About, table: Table, name: string, r: Reported, judgedOn: Report["judgedOn"]): Rate {
  const train = r.train!;
  // Losses are priced on the rows that are learnt from, what is counted on validation rows where there are any.
  const priced =
    (judgedOn === "validation" && r.metric !== "loss" && r.few === undefined && r.validation) || train;
  const { level, atLeast } = sideOf(r, priced.strict.value);
  const give = atLeast ? -r.relaxation : r.relaxation;
  const over = (value: number, to: number): number => (atLeast ? to - value : value - to);
  const askedAt = (where: { asked?: { strict?: number } }): number => where.asked?.strict ?? level;
  const missed = over(priced.strict.value, askedAt(priced) + give);
  const counted = Math.round(
    priced.strict.examples * smallestShare(table, name, of.requirements[r.of], of.target),
  );
  const free = Math.abs(r.price) <= nothing;
  return {
    name,
    asked: askedAt(priced),
    relaxation: r.relaxation,
    price: r.price,
    strictTrain: train.strict.value,
    strictPriced: priced.strict.value,
    strictTest: r.test?.strict.value ?? null,
    counted,
    over: missed,
    within: Math.abs(missed) <= resolution(counted) || (missed <= 0 && free),
    testHolds: r.test
      ? holds(r.test.strict, askedAt(r.test) + give) ||
        (free && over(r.test.strict.value, askedAt(r.test) + give) <= 0)
      : null,
  };
}

const holds = ({ value, interval = [value, value] }: Measure, level: number): boolean =>
  interval[0] <= level && level <= interval[1];

/** The side of a pair of levels that is missed, or else nearer. */
function sideOf({ sense, level }: Reported, value: number): { level: number; atLeast: boolean } {
  if (typeof level === "number") return { level, atLeast: sense === "at least" };
  const [low, high] = level;
  return low - value > value - high ? { level: low, atLeast: true } : { level: high, atLeast: false };
}

/** The share of the counted examples on the smaller side of a requirement. */
function smallestShare(table: Table, name: string, asked: TruthCase, target: string): number {
  const group = groupOf(name);
  const positive = asked.class ?? "1";
  const counts = (i: number): boolean =>
    asked.metric === "false-negative-rate"
      ? String(table[target][i]) === positive
      : asked.metric !== "false-positive-rate" || String(table[target][i]) !== positive;
  let [own, rest] = [0, 0];
  for (let i = 0; i < rowsOf(table); i++) {
    if (!counts(i)) continue;
    if (group === undefined || String(table[group.column][i]) === group.value) own++;
    else rest++;
  }
  return asked.gap ? Math.min(own, rest) / (own + rest) : 1;
}
