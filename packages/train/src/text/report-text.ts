// A training run in words, as `pliant train` and `pliant report` print it: the verdict first, then what each requirement came to.

import { showMeasure, showOutcome } from "../evaluate/evaluate.js";
import { unansweredWords } from "../evaluate/unanswered.js";
import { bestOf } from "../fit/capacity.js";
import { shares } from "../fit/surrogate-weight.js";
import { figure } from "../format/figure.js";
import { columns, short } from "../format/table.js";
import { askedOf } from "../questions/answers.js";
import { calibrationWords, heldCalibration } from "../report/calibrated.js";
import { decisionLines, importanceLines, thresholdWords } from "../report/decision-text.js";
import { judgementOf, sentencesOf } from "../report/judged.js";
import { missedOn, overfitWords } from "../report/overfitting.js";
import { parts, type ReportPart, type TrainReport, type TrainRequirement } from "../report/report.js";
import {
  gaveOf,
  hardEnding,
  heldTo,
  noPrice,
  noSlope,
  priceOf,
  reachedOf,
  unmeasured,
} from "../report/requirement-view.js";
import { dearerThanNothing, fewWords, pathWords, weighedLess } from "../report/reservations.js";
import { headline } from "../report/sentences.js";
import { withoutSymmetric } from "../report/symmetric-gaps.js";
import { word } from "../store/files.js";

/** The first line: what is certified, and what other rows say against it. */
export function verdictOf(report: TrainReport): string {
  const told = withoutSymmetric(report);
  return [
    verdict(told),
    ...thresholdWords(told),
    ...beaten(told),
    ...overfitWords(told),
    ...onOthers(told),
  ].join(" ");
}

function beaten(report: TrainReport): string[] {
  const totals = dearerThanNothing(report);
  if (!totals) return [];
  const firm = Object.values(report.requirements).some(({ hard }) => hard);
  const [own, without] = [totals.own, totals.without].map((x) => Number(x.toPrecision(3)));
  return [
    `By the spec's own loss and costs, a model with ${firm ? "only the hard requirements" : "no requirements"} would be better (${without} against ${own}). The certificate is about an equilibrium with the surrogates of counts, which need not minimise loss plus costs.`,
  ];
}

/** What each requirement came to, a sentence each. */
export function sentenceLines(report: TrainReport): string[] {
  const told = withoutSymmetric(report);
  return [
    ...sentencesOf(told).map(([name, sentence]) => `${name}: ${sentence}`),
    ...fewWords(told.requirements),
    ...pathWords(told.requirements),
  ];
}

/** A run's report as text: the verdict, a table, a sentence a requirement, and what the test rows say. */
export function reportText(whole: TrainReport): string {
  const report = withoutSymmetric(whole);
  const { requirements, certificate, objective, steps } = report;
  const all = Object.entries(requirements);
  const byPrice = [...all].sort(([, a], [, b]) => b.price - a.price);
  return [
    verdictOf(report),
    "",
    columns(
      [
        ["requirement", "asked", "reached", "gave", "price"],
        ...byPrice.map(([name, r]) => [
          name,
          `${askedOf(r)}${r.hard ? ", hard" : ""}`,
          reachedOf(report, r),
          asInSentences(gaveOf(report, r), r),
          priceOf(report, r),
        ]),
      ],
      { left: 2 },
    ),
    ...legend(byPrice.flatMap(([, r]) => (priceOf(report, r) === unmeasured ? [r] : []))),
    ...(byPrice.some(([, r]) => priceOf(report, r).endsWith(hardEnding))
      ? [
          '"if hard" in the column of prices: what would change if that requirement were made hard; details below',
        ]
      : []),
    "",
    `objective ${short(objective)}${report.decay > 0 ? " (including decay)" : ""} after ${steps} steps, ${certificate.holds ? "" : "not "}certified (tolerance ${certificate.tolerance})${chosen(report)}`,
    ...costOfAll(report),
    ...weighedFor(report),
    ...(report.decision ? decisionLines(report.decision) : []),
    "",
    ...sentenceLines(report),
    ...unansweredWords(report.test, "test rows"),
    ...calibrationWords(report.test, "test rows", heldCalibration(report)),
    ...importanceLines(report),
    "",
    strictTable(report, byPrice),
  ].join("\n");
}

function verdict(report: TrainReport): string {
  const judged = judgementOf(report);
  if (Object.keys(report.requirements).length === 0) return "No requirements: this is the baseline model.";
  if (Object.keys(judged.requirements).length === 0)
    return "No requirement is enforced: all are free, so they are only reported.";
  const all = Object.values(judged.requirements);
  // Requirements on decisions are counted, whether or not scores are at an equilibrium.
  const counted =
    report.decision && !report.certificate.holds && all.every(({ status }) => status !== "unknown");
  if (!counted || all.some(({ status }) => status === "violated"))
    return headline(judged, rowsHeldTo(report));
  const held = headline({ ...judged, certificate: { holds: true, short: [] } }, rowsHeldTo(report));
  const why = report.certificate.short.join("; ") || "the steps ended before convergence";
  return `${held.replace(/^Certified/, "Counted, not certified")} These rates are exact counts. The scores are not certified: ${why}.`;
}

/** On which rows what is asked is asked; where nothing is, those learnt from. */
export function rowsHeldTo(report: TrainReport): string {
  const words = {
    train: `the ${report.train.examples} training rows`,
    validation: `the ${report.validation?.examples} validation rows`,
    folds: `${report.folds?.examples} held-out rows (cross-fitted)`,
  };
  const on = new Set(Object.values(asked(report)).map((r) => heldTo(r, report.judgedOn)));
  const [first = words.train, second] = [...on].sort().map((rows) => words[rows]);
  if (second === undefined) return first;
  return report.folds ? words.folds : `${first} or, for counts, ${second}`;
}

const asked = ({ requirements }: TrainReport): Record<string, TrainRequirement> =>
  Object.fromEntries(Object.entries(requirements).filter(([, { cost }]) => cost !== "free"));

/** A contradiction by rows that do not evaluate the requirement is on the first line too. */
function onOthers(report: TrainReport): string[] {
  if (!report.certificate.holds) return [];
  return (["validation", "test"] as const).flatMap((part) => {
    const missed = Object.entries(asked(report)).flatMap(([name, r]) =>
      heldTo(r, report.judgedOn) === part ? [] : (missedOn(part, name, r, report.judgedOn) ?? []),
    );
    if (missed.length === 0) return [];
    return [`On the ${report[part]!.examples} ${part} rows, ${missed.join(" and ")}.`];
  });
}

/** What all requirements together cost, where a model without them was trained. */
function costOfAll({ without, validation, requirements }: TrainReport): string[] {
  const asked = Object.values(requirements).some(({ cost }) => cost !== "free");
  if (without === undefined || !validation || !asked) return [];
  return [
    `loss on the validation rows: ${short(validation.loss.value)} with requirements, about ${short(without)} without`,
  ];
}

function weighedFor(report: TrainReport): string[] {
  const weighed = weighedLess(report);
  if (!weighed) return [];
  const { own, whole, share } = weighed;
  const all = whole === undefined ? "the full weight did not converge" : `${short(whole)} at the full weight`;
  const tried = [...shares, 1].join(", ");
  // One part of the costs serves all that may give way.
  const losses = Object.values(report.requirements).some(
    ({ hard, cost, pricedBy }) => !hard && cost !== "free" && pricedBy === "loss",
  );
  return [
    `loss plus costs is ${short(own)}, the lowest of those tried: ${losses ? "requirements that may give way" : "surrogates of counts"} have ${share} of the weight that the costs imply (${all}; tried: ${tried})${share === 0 ? ". At weight 0 nothing is done for what may give way; to ask for more, raise the cost or use hard" : ""}`,
  ];
}

/** A number of the table with the digits that sentences give it. */
const asInSentences = (cell: string, { unit }: TrainRequirement): string =>
  Number(cell) > 0 ? figure(Number(cell), unit) : cell;

/** What a sign in the column of prices means, where one stands there. */
function legend(without: readonly TrainRequirement[]): string[] {
  const built = without.filter(({ byConstruction }) => byConstruction).length;
  const words = [
    ...(built < without.length ? [`${noSlope}; its cost is stated below if it was measured`] : []),
    ...(built > 0 ? [noPrice] : []),
  ];
  return words.length === 0 ? [] : [`${unmeasured}: ${words.join("; ")}`];
}

/** How the model was arrived at, where it was not by the last step alone. */
function chosen({ tried, folded, decay, keptStep, moved }: TrainReport): string {
  const words = [
    folded && `decay ${short(decay)}, the best of ${folded.length} by the loss on held-out rows`,
    tried &&
      `decay ${short(decay)}, ${bestOf(tried) === decay ? `the largest of ${tried.length} whose loss on the validation rows is within 0.1% of the lowest` : `above the best of ${tried.length} on the validation rows`}`,
    keptStep !== undefined && `the model is that of step ${keptStep}, the best one`,
    moved !== undefined && `the threshold moved by ${short(moved)} at the end, to meet the level`,
  ];
  return words.map((text) => (text ? `; ${text}` : "")).join("");
}

function strictTable(report: TrainReport, list: readonly (readonly [string, TrainRequirement])[]): string {
  const there = parts.filter((part) => report[part]);
  return columns(
    [
      ["with 95% intervals", "metric", ...there],
      ...list.map(([name, r]) => [
        name,
        r.strictly,
        ...there.map((part) => (r[part] ? showOutcome(r[part]) : "not counted")),
      ]),
      ["all examples", "loss", ...there.map((part) => showMeasure(report[part]!.loss))],
      ["all examples", ...overallError(report, there)],
    ],
    { left: 2 },
  );
}

function overallError(report: TrainReport, there: readonly ReportPart[]): string[] {
  if (report.train.error) return ["error", ...there.map((part) => showMeasure(report[part]!.error!))];
  return ["root mean square error", ...there.map((part) => figure(report[part]!.rootMeanSquare!, 0))];
}

/** The next command for a run. */
export const nextSteps = (folder: string): string =>
  `The run is in ${folder}. See it again with: npx pliant report ${word(folder)}`;
