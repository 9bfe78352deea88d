// The cost of a level of decisions, in wrong decisions and other rates, with the same scores. The threshold is chosen again at
// neighbouring levels, or with a hard requirement, on the rows that chose it: exactly and quickly. The loss does not change by it.

import { bestCut, betterCut, type Cut, type Question, type Scored } from "../decision/cut.js";
import type { Currency } from "../decision/question.js";
import type { Rule } from "../decision/rule.js";
import { sumsOf, type Tally, tallyOf } from "../decision/tally.js";
import { type Insisting, type Neighbours, overallRates, type Pays, type Unmet, unitOf } from "./answers.js";

interface Setting {
  readonly scored: Scored;
  readonly question: Question;
  readonly cut: Cut;
  readonly by?: string;
  readonly currency: Currency;
  /** The positive of two classes. */
  readonly positive?: number;
}

/** By how much one row moves it. */
export function resolutionOf({ comparisons, stated }: Rule): number {
  const of = (tally: Tally): number => 1 / Math.max(1, tally.share?.(0, 0)[1] || tally.size);
  if (stated.metric.decides && "costs" in stated.metric.decides && stated.metric.decides.costs !== "errors")
    return 0;
  return Math.max(
    ...comparisons.map(({ own, base, factor }) => Math.max(of(own), base ? factor * of(base) : 0)),
  );
}

const isRate = ({ stated }: Rule): boolean => stated.metric.kind === "rate" || stated.metric.share === true;

/** No share is below 0 or above 1; a difference of two may be anything. */
const isAskable = (rule: Rule, level: number): boolean =>
  !isRate(rule) || rule.comparisons.some(({ base }) => base) || (level > -1e-12 && level < 1 + 1e-12);

/** The question with one of its rules changed. */
const changed = (question: Question, at: number, change: Partial<Rule>): Question => ({
  ...question,
  rules: question.rules.map((rule, r) => (r === at ? { ...rule, ...change } : rule)),
});

/** The best decision under another question, and how far what is paid differs. */
function again({ scored, by, cut }: Setting, question: Question): { cut: Cut; costs: number } {
  const near = { by, from: cut.decision };
  // Offsets are searched for by one class after another: also from where they are, so that what may be looser never costs.
  const found =
    scored.classes > 2
      ? betterCut(bestCut(scored, question), bestCut(scored, question, near))
      : bestCut(scored, question, by === undefined ? {} : near);
  return { cut: found, costs: found.cost - cut.cost };
}

const within = 1e-9;

/** What a unit of a rule's level costs on either side of where it is. */
export function neighboursOf(setting: Setting, at: number): Neighbours | undefined {
  const { question, cut, currency } = setting;
  const rule = question.rules[at];
  const level = rule.stated.level as number;
  const unit = unitOf(isRate(rule) ? "rate" : "other", level, 3 * resolutionOf(rule));
  const movedBy = (by: number): Question =>
    changed(question, at, { excess: (...of) => rule.excess(...of) + by });
  const moved = (by: number) => {
    if (!isAskable(rule, level + (rule.stated.sense === "at least" ? by : -by))) return undefined;
    const { cut: found, costs } = again(setting, movedBy(by));
    const feasible = found.violation <= cut.violation + within;
    return feasible
      ? { costs: costs + found.gave - cut.gave, pays: paysBy(setting, at, cut, found) }
      : undefined;
  };
  const [looser, tighter] = [moved(-unit.size), moved(unit.size)];
  if (!looser && !tighter) return undefined;
  return {
    unit,
    in: currency,
    ...(looser && { looser: -looser.costs }),
    ...(tighter
      ? { tighter: tighter.costs }
      : { unmet: unmetOf({ ...setting, question: movedBy(unit.size) }, at) }),
    pays: {
      ...(looser && { looser: looser.pays }),
      ...(tighter && { tighter: tighter.pays }),
    },
  };
}

/** For a rule that no threshold brings to its level beside the hard rules: whether a threshold would do so without them. */
export function unmetOf(setting: Setting, at: number): Unmet {
  const { question, scored } = setting;
  const rule = question.rules[at];
  const others = question.rules.filter(({ hard }, r) => r !== at && hard);
  const alone = { ...question, rules: [{ ...rule, hard: true }] };
  const against = others.length > 0 && again(setting, alone).cut.violation <= within;
  const fewest = Math.max(0, ...rule.comparisons.map(({ own }) => own.fewest ?? 0));
  return {
    ...(against && { against: others.map(({ stated }) => stated.name) }),
    ...(fewest > 0 && { fewest }),
    ...(scored.classes > 2 && { offsets: true as const }),
  };
}

/** The result with a hard rule. */
export function insistingOf(setting: Setting, at: number): Insisting {
  const { question, cut, currency } = setting;
  const rule = question.rules[at];
  const { cut: found, costs } = again(setting, changed(question, at, { hard: true }));
  const level = rule.stated.level as number;
  const missed = Math.max(0, found.excess[at]);
  const more = question.rules.flatMap((other, r) => {
    const by = Math.max(0, found.excess[r]) - Math.max(0, cut.excess[r]);
    return r !== at && by > 5e-4 * other.unit ? [[other, by] as const] : [];
  });
  const broken = more.filter(([other]) => other.hard).map(([other]) => other.stated.name);
  return {
    level,
    reached: found.values[at],
    had: missed <= within,
    missed: missed <= within ? 0 : missed,
    ...(missed > within && { outOfReach: true }),
    ...(missed > within && { unmet: unmetOf(setting, at) }),
    costs,
    in: currency,
    pays: paysBy(setting, at, cut, found),
    others: Object.fromEntries(more.map(([other, by]) => [other.stated.name, by])),
    ...(broken.length > 0 && { broken }),
  };
}

/** What else moves: the other rules, errors where they are not what is paid in, misses and false alarms. */
function paysBy({ question, scored, currency, positive }: Setting, at: number, from: Cut, to: Cut): Pays {
  const { examples, classes } = scored;
  const moves: Record<string, number> = {};
  for (const [r, { stated }] of question.rules.entries())
    if (r !== at) moves[stated.name] = to.values[r] - from.values[r];
  const everything = new Uint8Array(examples.count).fill(1);
  const totalAt = (tally: Tally, given: Int32Array): number => tally.value(...sumsOf(tally, given));
  const rate = (name: string, tally: Tally): void => {
    moves[name] = totalAt(tally, to.given) - totalAt(tally, from.given);
  };
  const y = examples.y.data;
  if (currency !== "errors") rate(overallRates.errors, tallyOf({ costs: "errors" }, everything, y, classes));
  const asked = new Set(
    question.rules.map(({ stated }) =>
      stated.group || stated.worst || stated.base ? "" : stated.metric.strictly,
    ),
  );
  if (positive !== undefined) {
    const of = positive;
    if (!asked.has("false negative rate"))
      rate(overallRates.misses, tallyOf({ of, share: ({ tp, P }) => [P - tp, P] }, everything, y, classes));
    if (!asked.has("false positive rate"))
      rate(overallRates.alarms, tallyOf({ of, share: ({ fp, N }) => [fp, N] }, everything, y, classes));
  }
  return moves;
}
