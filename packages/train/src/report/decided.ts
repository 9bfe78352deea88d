// Requirements on decisions in a report: requirements that the solver did not enforce are reported at the chosen threshold, on the held-out rows.
import type { RequirementReport, Status } from "@pliant/core";
import { array } from "@pliant/engine";
import type { Examples, Target } from "../data/examples.js";
import { costTextOf, currencyOf, questionOf } from "../decision/question.js";
import type { Calibration } from "../evaluate/calibration.js";
import type { Measure, Outcome } from "../evaluate/evaluate.js";
import { meanOver, rateOver } from "../evaluate/evaluate.js";
import { outcomeIn } from "../evaluate/outcome.js";
import type { HeldOutRows } from "../fit/cross-fit.js";
import type { Decided, Gain } from "../fit/decide.js";
import { type Decision, isPair, probabilityAt } from "../problem/decision.js";
import type { Stated } from "../problem/stated.js";
import { insistingOf, neighboursOf, resolutionOf, unmetOf } from "../questions/decision-cost.js";
import type { Answers } from "../questions/measure.js";
import type { Spec } from "../spec/spec.js";

type Classes = Extract<Target, { kind: "class" }>;

/** How decisions are made, what they came to on the held-out rows, and whether more than a threshold was moved. */
export interface DecisionReport extends Decision {
  /** The probability of the positive class from which on it is given; by group where thresholds are. */
  readonly probability?: number | Readonly<Record<string, number>>;
  /** The rows that chose it: validation rows, folds of those learnt from, or these themselves. */
  readonly rows: HeldOutRows;
  readonly examples: number;
  /** The unit in which wrong decisions count, and their cost. */
  readonly in: string;
  readonly cost: number;
  /** The loss there, and both of the free model with the best threshold. */
  readonly loss: number;
  readonly free: { readonly cost: number; readonly loss: number; readonly violation: number };
  /** Whether pressing scores was tried, and whether it was taken. */
  readonly tried: boolean;
  readonly pressed: boolean;
  /** Where pressing found something: its gain over the free model, taken only beyond one standard error. */
  readonly gain?: Gain;
  readonly confidence?: number;
  /** Where scores were pressed: of probabilities on those rows, before and after they were straightened. */
  readonly calibration?: { readonly before: Calibration; readonly after: Calibration };
}

export interface DecidedRequirement extends Answers {
  readonly requirement: Partial<RequirementReport> & Pick<RequirementReport, "price">;
  readonly outcome?: Outcome;
}

export interface DecidedParts {
  readonly decision: DecisionReport;
  readonly requirements: Readonly<Record<string, DecidedRequirement>>;
  /** For all held-out rows together. */
  readonly overall: { readonly examples: number; readonly loss: Measure; readonly error: Measure };
}

const meanOf = (list: Float64Array): number => list.reduce((a, b) => a + b, 0) / list.length;

export function decidedParts(
  decided: Decided,
  stated: readonly Stated[],
  spec: Spec,
  target: Classes,
): DecidedParts {
  const { scored, question, chosen, free, heldOut, by, decision } = decided;
  const { given } = chosen.cut;
  const currency = currencyOf(stated, spec);
  const examples: Examples = scored.examples;
  const watched = stated.filter((s) => s.decided);
  const rules = questionOf(spec, watched, { target, examples }).rules;
  const setting = {
    ...{ scored, question, cut: chosen.cut, currency },
    ...(by !== undefined && { by }),
    ...(isPair(target) && { positive: target.positive ?? 1 }),
  };
  const requirements = Object.fromEntries(
    rules.map((rule): [string, DecidedRequirement] => {
      const s = rule.stated;
      const asked = question.rules.findIndex((one) => one.stated === s);
      const at = judgedAt(rule, given);
      const resolution = resolutionOf(rule);
      const sign = s.sense === "at least" ? -1 : 1;
      const excess = sign * (at - (s.level as number));
      const cost = costTextOf(s, spec);
      const status = statusOf(excess, resolution, s.hard);
      const priced = asked >= 0 && (status === "at its level" || (s.hard && excess <= 0 && -excess <= 0.01));
      const neighbours = priced ? neighboursOf(setting, asked) : undefined;
      const insisting = asked >= 0 && status === "gave way" ? insistingOf(setting, asked) : undefined;
      const found = [neighbours?.tighter, neighbours?.looser].filter((x) => x !== undefined);
      const slope = neighbours ? Math.max(0, ...found) / neighbours.unit.size : 0;
      const outcome = outcomeIn(rule, given);
      return [
        s.name,
        {
          requirement: {
            ...{ status, reached: at, strict: at, loss: at, pricedBy: "strict" as const },
            ...{ cost, hard: s.hard, allowance: resolution, resolution, scale: 1 },
            relaxation: s.hard || cost === "free" ? 0 : Math.max(0, excess),
            price: status === "gave way" ? priceOf(decided, asked) : slope,
          },
          ...(neighbours && { neighbours }),
          ...(insisting && { insisting }),
          ...(asked >= 0 && status === "violated" && { unmet: unmetOf(setting, asked) }),
          ...(outcome && { outcome }),
        },
      ];
    }),
  );
  const all = new Uint8Array(examples.count).fill(1);
  const wrong = Float64Array.from(given, (g, i) => Number(g !== examples.y.data[i]));
  return {
    requirements,
    overall: {
      examples: examples.count,
      loss: meanOver({ data: chosen.losses as never }, all),
      error: rateOver(array(wrong), all),
    },
    decision: {
      ...decision,
      ...(isPair(target) && { probability: probabilitiesOf(decision, target) }),
      rows: heldOut.rows,
      examples: examples.count,
      in: currency,
      cost: chosen.cut.cost,
      loss: meanOf(chosen.losses),
      free: { cost: free.cut.cost, loss: meanOf(free.losses), violation: Math.sqrt(free.cut.violation) },
      tried: decided.tried,
      pressed: decided.pressed,
      ...(decided.gain && { gain: decided.gain }),
      ...(spec.decision.confidence !== undefined && { confidence: spec.decision.confidence }),
      ...(decided.calibration && { calibration: decided.calibration }),
    },
  };
}

const probabilitiesOf = ({ threshold = 0, by }: Decision, target: Classes): DecisionReport["probability"] =>
  by
    ? Object.fromEntries(Object.entries(by.thresholds).map(([g, x]) => [g, probabilityAt(x, target)]))
    : probabilityAt(threshold, target);

/** The number of a rule, of several comparisons that of the worst. */
function judgedAt(rule: Parameters<typeof outcomeIn>[0], given: Int32Array): number {
  const outcome = outcomeIn(rule, given);
  if (!outcome) return Number.NaN;
  // The solver sees a relative level as a difference.
  if (outcome.asked?.strict === undefined) return outcome.strict.value;
  return outcome.strict.value - outcome.asked.strict + (rule.stated.level as number);
}

const within = 1e-9;

function statusOf(excess: number, resolution: number, hard: boolean): Status {
  if (excess > within) return hard ? "violated" : "gave way";
  return -excess <= resolution ? "at its level" : "met";
}

/** The slope of what giving way costs, where it rests. */
function priceOf({ question, chosen }: Decided, at: number): number {
  const rule = question.rules[at];
  if (!rule) return 0;
  const u = Math.max(0, chosen.cut.excess[at]) / rule.unit;
  const cost = rule.cost ?? question.shared;
  const h = 1e-6;
  return (cost.value([u + h]) - cost.value([Math.max(0, u - h)])) / (u < h ? u + h : 2 * h) / rule.unit;
}
