// The best cut of scores, exactly: along one coordinate (the threshold, that of one group, the offset of one class) decisions change
// row by row, so running sums over the sorted rows judge every cut there is. Two objectives:
//
//   final     the least violation of what must hold, Σ [excess]₊² in its units, then decision cost + what giving way costs
//   working   decision cost + costs of giving way + Σ λ·excess + (ρ/2)[excess]₊² of what must hold: the cut at which prices look.
//             Enforcing what must hold there lets the threshold run to an end, where every gap is closed and nothing is learnt.
import type { Examples } from "../data/examples.js";
import { groupCells } from "../data/groups.js";
import type { PlainCost } from "../grammar/cost.js";
import { type Decision, givenBy, thresholdFor } from "../problem/decision.js";
import type { Comparison, Rule } from "./rule.js";
import { sumsOf, type Tally } from "./tally.js";

/** The criteria for choosing a cut. */
export interface Question {
  readonly rules: readonly Rule[];
  /** What wrong decisions cost, over all rows. */
  readonly cost: Tally;
  /** Shared by the rules without a cost of their own. */
  readonly shared: PlainCost;
}

/** Scores of rows that they were not fitted to: of two classes one a row, else one for each class, row after row. */
export interface Scored {
  readonly scores: Float64Array;
  readonly examples: Examples;
  readonly classes: number;
}

/** The result of a decision on the rows that evaluate it. */
export interface Judged {
  readonly given: Int32Array;
  /** Σ [excess]₊² of what must hold. */
  readonly violation: number;
  readonly cost: number;
  /** The cost of giving way. */
  readonly gave: number;
  /** By rule: the number, how far it is beyond its level, and which of its comparisons it is of. */
  readonly values: readonly number[];
  readonly excess: readonly number[];
  readonly worst: readonly number[];
}

export interface Cut extends Judged {
  readonly decision: Decision;
}

/** The price of each hard comparison, by rule and comparison; enforced ones have none. */
export interface Pricing {
  readonly prices: readonly (readonly number[])[];
  readonly rho: number;
}

/** Scores that differ by less are equal: other machines round them otherwise. */
const apart = (a: number, b: number): boolean => Math.abs(a - b) > 1e-6 * (1 + Math.abs(a) + Math.abs(b));

const widthOf = ({ classes }: Scored): number => (classes === 2 ? 1 : classes);

/** The class of each row. */
export function givenIn(decision: Decision, scored: Scored): Int32Array {
  const width = widthOf(scored);
  const cells = decision.by && groupCells(scored.examples, decision.by.column);
  return Int32Array.from({ length: scored.examples.count }, (_, i) =>
    givenBy(decision, scored.scores.subarray(i * width, (i + 1) * width), cells?.[i] ?? null),
  );
}

type Sums = readonly [number, number];

interface Objective {
  /** First by this, then by the other. */
  readonly violation: number;
  readonly value: number;
}

interface Found extends Objective {
  readonly values: number[];
  readonly excess: number[];
  readonly worst: number[];
  readonly cost: number;
  readonly gave: number;
}

/** From the sums of every tally of the question. */
function objectiveOf(
  { rules, cost, shared }: Question,
  sums: (tally: Tally) => Sums,
  pricing?: Pricing,
): Found {
  const values: number[] = [];
  const excess: number[] = [];
  const worst: number[] = [];
  const together: number[] = [];
  let [violation, gave, priced] = [0, 0, 0];
  for (const [r, rule] of rules.entries()) {
    let [beyond, at, value] = [Number.NEGATIVE_INFINITY, 0, 0];
    for (const [c, one] of rule.comparisons.entries()) {
      const [own, base] = [sums(one.own), one.base ? sums(one.base) : ([0, 0] as const)];
      const found = rule.excess(one, own, base);
      if (pricing && rule.hard) {
        const over = Math.max(0, found);
        priced += pricing.prices[r][c] * found + (pricing.rho / 2) * over ** 2;
      }
      if (found > beyond) [beyond, at, value] = [found, c, rule.value(one, own, base)];
    }
    values.push(value);
    excess.push(beyond);
    worst.push(at);
    const over = Math.max(0, beyond) / rule.unit;
    if (rule.hard) violation += over ** 2;
    else if (rule.cost) gave += rule.cost.value([over]);
    else together.push(over);
  }
  gave += shared.value(together);
  const paid = cost.value(...sums(cost));
  const value = paid + gave + priced;
  return { violation: pricing ? 0 : violation, value, values, excess, worst, cost: paid, gave };
}

const isBetter = (a: Objective, b: Objective | undefined): boolean =>
  b === undefined ||
  a.violation < b.violation - 1e-12 ||
  (a.violation <= b.violation + 1e-12 && a.value < b.value - 1e-12);

/** The one that violates less; of equals that which costs less, the first where both are alike. */
export const betterCut = (a: Cut, b: Cut): Cut =>
  isBetter(
    { violation: b.violation, value: b.cost + b.gave },
    { violation: a.violation, value: a.cost + a.gave },
  )
    ? b
    : a;

/** What decisions come to. */
export function judge(question: Question, given: Int32Array): Judged {
  const { violation, cost, gave, values, excess, worst } = objectiveOf(question, (t) => sumsOf(t, given));
  return { given, violation, cost, gave, values, excess, worst };
}

const talliesOf = ({ rules, cost }: Question): Tally[] => [
  cost,
  ...rules.flatMap(({ comparisons }) =>
    comparisons.flatMap(({ own, base }: Comparison) => (base ? [own, base] : [own])),
  ),
];

interface Coordinate {
  /** The rows that change, and the place where each does: below it the row is given the class. */
  readonly rows: ArrayLike<number>;
  readonly at: (row: number) => number;
  readonly to: number;
  /** The class of every row beforehand. */
  readonly given: Int32Array;
}

/** The best place to cut at along a coordinate. */
function alongIt(
  question: Question,
  { rows, at, to, given }: Coordinate,
  pricing?: Pricing,
): { place: number; found: Objective } {
  const tallies = talliesOf(question);
  const places = Float64Array.from(rows, at);
  const order = Array.from(rows, (_, i) => i).sort((a, b) => places[b] - places[a]);
  const now = new Map(tallies.map((tally) => [tally, sumsOf(tally, given)]));
  const sums = (tally: Tally): Sums => now.get(tally)!;
  let place = order.length === 0 ? 0 : places[order[0]] + 1;
  let best = objectiveOf(question, sums, pricing) as Objective;
  for (let j = 0; j < order.length; j++) {
    const row = rows[order[j]];
    for (const tally of tallies) {
      const own = now.get(tally)!;
      own[0] += tally.first(row, to) - tally.first(row, given[row]);
      own[1] += tally.second(row, to) - tally.second(row, given[row]);
    }
    const here = places[order[j]];
    const next = j + 1 < order.length ? places[order[j + 1]] : here - 2;
    if (!apart(here, next)) continue;
    const found = objectiveOf(question, sums, pricing);
    if (isBetter(found, best)) [best, place] = [found, (here + next) / 2];
  }
  return { place, found: best };
}

/** Sweeps over all coordinates; more change nothing. */
const sweeps = 4;

/** The best decision of a kind: one threshold, one for each group of a column, or offsets. */
export function bestCut(
  scored: Scored,
  question: Question,
  { by, pricing, from }: { by?: string; pricing?: Pricing; from?: Decision } = {},
): Cut {
  const decision =
    scored.classes > 2
      ? bestOffsets(scored, question, from?.offsets, pricing)
      : by === undefined
        ? { threshold: bestThreshold(scored, question, pricing) }
        : bestByGroup(scored, question, by, pricing, from);
  return { decision, ...judge(question, givenIn(decision, scored)) };
}

function bestThreshold({ scores, examples }: Scored, question: Question, pricing?: Pricing): number {
  const rows = Array.from({ length: examples.count }, (_, i) => i);
  const given = new Int32Array(examples.count);
  return alongIt(question, { rows, at: (i) => scores[i], to: 1, given }, pricing).place;
}

/** How stiffly what must hold is asked for, more and more: asked for at once, an offset runs to an end where it holds at any cost. */
const stiffness = Array.from({ length: 7 }, (_, i) => 3 ** i);

function bestOffsets(
  scored: Scored,
  question: Question,
  from: readonly number[] | undefined,
  pricing?: Pricing,
): Decision {
  const start = from ?? new Array<number>(scored.classes).fill(0);
  const ends = [swept(scored, question, start, pricing)];
  if (!from && !pricing && question.rules.some(({ hard }) => hard)) {
    const prices = question.rules.map(({ comparisons }) => comparisons.map(() => 0));
    const softly = stiffness.reduce<readonly number[]>(
      (offsets, rho) => swept(scored, question, offsets, { prices, rho }).offsets,
      start,
    );
    ends.push(swept(scored, question, softly));
  }
  const { offsets } = ends.reduce((a, b) => (isBetter(b.value, a.value) ? b : a));
  return { offsets: offsets.map((offset) => offset - offsets[0]) };
}

/** One class after another at its best offset beside the others', from these on. */
function swept(
  { scores, examples, classes }: Scored,
  question: Question,
  from: readonly number[],
  pricing?: Pricing,
): { offsets: readonly number[]; value: Objective } {
  const offsets = [...from];
  const rows = Array.from({ length: examples.count }, (_, i) => i);
  let best: Objective | undefined;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const before = best;
    for (let k = 0; k < classes; k++) {
      const of = (i: number, j: number): number => scores[i * classes + j] + offsets[j];
      const given = Int32Array.from(rows, (i) => {
        let first = k === 0 ? 1 : 0;
        for (let j = 0; j < classes; j++) if (j !== k && of(i, j) > of(i, first)) first = j;
        return first;
      });
      const at = (i: number): number => scores[i * classes + k] - of(i, given[i]);
      const { place, found } = alongIt(question, { rows, at, to: k, given }, pricing);
      if (!isBetter(found, best)) continue;
      offsets[k] = -place;
      best = found;
    }
    if (before && !isBetter(best!, before)) break;
  }
  return { offsets, value: best! };
}

function bestByGroup(
  scored: Scored,
  question: Question,
  column: string,
  pricing?: Pricing,
  from?: Decision,
): Decision {
  const { scores, examples } = scored;
  const cells = groupCells(examples, column);
  const rowsOf = new Map<string, number[]>();
  for (const [i, cell] of cells.entries()) {
    if (cell === null) continue;
    const rows = rowsOf.get(cell);
    if (rows) rows.push(i);
    else rowsOf.set(cell, [i]);
  }
  const threshold = from?.threshold ?? bestThreshold(scored, question, pricing);
  const common = Object.fromEntries([...rowsOf.keys()].map((group) => [group, threshold]));
  const totalAt = (thresholds: Readonly<Record<string, number>>): Objective => {
    const given = givenIn({ threshold, by: { column, thresholds } }, scored);
    return objectiveOf(question, (tally) => sumsOf(tally, given), pricing);
  };
  const starts = [...(from?.by ? [from.by.thresholds] : [common, ...aligned(scored, rowsOf)])]
    .map((thresholds) => ({ thresholds, value: totalAt(thresholds) }))
    .sort((a, b) => (isBetter(a.value, b.value) ? -1 : 1))
    .slice(0, 3);
  let best: { thresholds: Record<string, number>; value: Objective } | undefined;
  for (const start of starts) {
    const own = { ...start.thresholds };
    let value = start.value;
    for (let sweep = 0; sweep < sweeps; sweep++) {
      const before = value;
      for (const [group, rows] of rowsOf) {
        const given = Int32Array.from(cells, (cell, i) =>
          cell === group
            ? 0
            : Number(scores[i] > thresholdFor({ threshold, by: { column, thresholds: own } }, cell)),
        );
        const { place, found } = alongIt(question, { rows, at: (i) => scores[i], to: 1, given }, pricing);
        if (!isBetter(found, value)) continue;
        own[group] = place;
        value = found;
      }
      if (!isBetter(value, before)) break;
    }
    if (isBetter(value, best?.value)) best = { thresholds: own, value };
  }
  return { threshold, by: { column, thresholds: best!.thresholds } };
}

/** Shares at which all groups alike are given the class, to start from. */
const shares = Array.from({ length: 24 }, (_, i) => (i + 0.5) / 24);

/** Thresholds at which each group has the same share above: of all its rows, of those of either class. */
function aligned(
  { scores, examples }: Scored,
  rowsOf: ReadonlyMap<string, readonly number[]>,
): Record<string, number>[] {
  const kinds = [
    () => true,
    (i: number) => examples.y.data[i] === 1,
    (i: number) => examples.y.data[i] === 0,
  ];
  return kinds.flatMap((counts) => {
    const sorted = [...rowsOf].map(
      ([group, rows]) => [group, Float64Array.from(rows.filter(counts), (i) => scores[i]).sort()] as const,
    );
    if (sorted.some(([, own]) => own.length === 0)) return [];
    return shares.map((share) =>
      Object.fromEntries(
        sorted.map(([group, own]) => [group, own[Math.min(own.length - 1, Math.floor(share * own.length))]]),
      ),
    );
  });
}
