// How decisions are made, in words. Pages tell of it too: nothing here needs Node.

import { figure } from "../format/figure.js";
import type { DecisionReport } from "./decided.js";
import { currencyWords } from "./paid-text.js";
import type { TrainReport } from "./report.js";

/** The probability from which on the positive class is given: `0.37`, `A 0.31, B 0.42`. */
function atWords({ probability, offsets }: DecisionReport): string | undefined {
  if (offsets) return undefined;
  if (typeof probability === "number") return String(Number(probability.toPrecision(2)));
  return Object.entries(probability ?? {})
    .map(([group, p]) => `${group} ${Number(p.toPrecision(2))}`)
    .join(", ");
}

const isOne = ({ probability }: DecisionReport): boolean => typeof probability === "number";

/** After the verdict: whether a threshold was all it took. */
export function thresholdWords({
  decision,
  requirements,
}: Pick<TrainReport, "decision" | "requirements">): string[] {
  if (!decision) return [];
  const at = atWords(decision);
  const one = at !== undefined && isOne(decision);
  const [noun, chosen] =
    at === undefined
      ? ["Class offsets", "class offsets were chosen"]
      : one
        ? [`A threshold of ${at}`, `the threshold is ${at}`]
        : [`Thresholds by group (${at})`, `the thresholds by group are ${at}`];
  const asked = Object.values(requirements).filter((r) => r.decidedOn && r.cost !== "free");
  if (asked.length === 0) return [];
  if (decision.pressed)
    return [`The scores were retrained under the requirements, and ${chosen}.`, ...gainWords(decision)];
  const held = asked.every(({ status }) => status === "met" || status === "at its level");
  const it = asked.length === 1 ? "it" : asked.length === 2 ? "both" : "them all";
  if (held) return [`${noun} ${one ? "meets" : "meet"} ${it}; the scores did not have to change.`];
  const best =
    at === undefined
      ? "The best class offsets were chosen."
      : `The best threshold${one ? " is" : "s by group are"} ${at}.`;
  return [
    best,
    ...(decision.tried ? ["Retraining the scores gained no more than chance would explain."] : []),
  ];
}

/** What retraining the scores gained, beside the best threshold before it. */
const gainWords = ({ in: currency, cost, loss, free, rows }: DecisionReport): string[] => {
  const on = rows === "validation" ? "validation rows" : "held-out rows";
  return free.violation > 1e-3
    ? [
        `Before retraining, the best threshold missed the hard requirements by ${figure(free.violation, 0)} (Euclidean norm).`,
        `Retraining changed the loss on ${on} from ${figure(free.loss, 0)} to ${figure(loss, 0)}.`,
      ]
    : [
        `Retraining changed the ${currencyWords(currency)} at the best threshold from ${figure(free.cost, 0)} to ${figure(cost, 0)}, and the loss on ${on} from ${figure(free.loss, 0)} to ${figure(loss, 0)}.`,
      ];
};

/** A line each: where scores are cut, by which rows, at what cost; and what was done to probabilities. */
export function decisionLines(decision: DecisionReport): string[] {
  const { rows, examples, in: currency, cost, confidence, calibration, offsets } = decision;
  const at = atWords(decision);
  const where = {
    validation: `the ${examples} validation rows`,
    folds: `${examples} rows, each scored by a model that was not fitted to that row`,
    train: `the ${examples} training rows, because there are too few to hold some out`,
  }[rows];
  const what =
    at === undefined ? `class offsets ${offsets!.map((x) => figure(x, 0)).join(", ")}` : `threshold ${at}`;
  const sure =
    confidence === undefined
      ? ""
      : `; each level should hold on new rows with ${Math.round(100 * confidence)}% confidence`;
  return [
    `decisions: ${what}, chosen on ${where}; on these rows the ${currencyWords(currency)} is ${figure(cost, 0)}${sure}`,
    ...(calibration
      ? [
          `probabilities were recalibrated after retraining: on the same rows, their calibration error went from ${figure(calibration.before.error, 0)} to ${figure(calibration.after.error, 0)}`,
        ]
      : []),
  ];
}

const mostShown = 5;

/** The most important columns, in a line. */
export function importanceLines({ importance = [] }: Pick<TrainReport, "importance">): string[] {
  const seen = importance.filter(({ low }) => low > 0);
  if (importance.length === 0) return [];
  if (seen.length === 0) return ["No column alone has a significant effect on held-out rows."];
  const named = seen
    .slice(0, mostShown)
    .map(
      ({ feature, mean, low, high }) =>
        `${feature} ${figure(mean, 0)} (${figure(low, 0)} to ${figure(high, 0)})`,
    );
  const rest = importance.length - Math.min(seen.length, mostShown);
  return [
    `Most important columns, by how much the loss on held-out rows rises if a column is shuffled (95% intervals): ${named.join(", ")}.${rest > 0 ? ` ${rest === 1 ? "One other column matters" : `${rest} other columns matter`} less.` : ""}`,
  ];
}
