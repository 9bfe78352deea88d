// A training run in words, as `pliant train` and `pliant report` print it: the verdict first, then what each requirement came to.

import type { Part } from "../data/examples.js";
import { bestOf } from "../run/capacity.js";
import { showMeasure } from "../run/evaluate.js";
import { word } from "../run/files.js";
import { figure } from "./figure.js";
import { missedOnTest } from "./heart.js";
import { askedOf, opposed, parts, type TrainReport, type TrainRequirement, told } from "./report.js";
import { gaveBy, headline, type Judgement, quotedFor, sentences } from "./sentences.js";
import { columns, short } from "./table.js";

const askedIn = ({ requirements, judgedOn }: TrainReport) =>
  Object.fromEntries(
    Object.entries(requirements)
      .filter(([, { cost }]) => cost !== "free")
      .map(([name, r]) => [name, told(r, judgedOn)]),
  );

const judgementOf = (report: TrainReport): Judgement => {
  const { certificate, requirements, alone } = report;
  return { certificate, requirements: askedIn(report), opposed: opposed(requirements), alone };
};

/** The first line: what is certified, and what test rows say against it. */
export const verdictOf = (report: TrainReport): string => [verdict(report), ...onTest(report)].join(" ");

/** What each requirement came to, a sentence each. */
export function sentencesOf(report: TrainReport): string[] {
  const { requirements, judgedOn, byConstruction: built = [] } = report;
  const judgement = judgementOf(report);
  const priced = Object.entries(judgement.requirements).filter(([name]) => !built.includes(name));
  return [
    ...sentences({ ...judgement, requirements: Object.fromEntries(priced) }),
    ...built.map((name) => `${name}: holds by construction, at any row; what that costs was not measured.`),
    ...Object.entries(requirements).flatMap(([name, r]) =>
      r.cost === "free" ? watched(name, r, judgedOn) : [],
    ),
  ];
}

export function reportText(report: TrainReport): string {
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
          gaveOf(report, r),
          priceOf(report, r),
        ]),
      ],
      { left: 2 },
    ),
    ...legend(byPrice.map(([, r]) => priceOf(report, r))),
    "",
    `objective ${short(objective)} after ${steps} steps, ${certificate.holds ? "" : "not "}certified to ${certificate.tolerance}${chosen(report)}`,
    "",
    ...sentencesOf(report),
    "",
    strictTable(report, byPrice),
  ].join("\n");
}

function verdict(report: TrainReport): string {
  const { judgedOn, train, validation } = report;
  const judged = judgementOf(report);
  if (Object.keys(judged.requirements).length === 0)
    return "Nothing was asked: every requirement is free and only watched.";
  const { examples } = judgedOn === "validation" ? validation! : train;
  const rows = judgedOn === "validation" ? "validation rows" : "rows learnt from";
  return headline(judged, `the ${examples} ${rows}`);
}

/** What test rows say against it stands on the first line too. */
function onTest({ requirements, certificate, test }: TrainReport): string[] {
  if (!certificate.holds) return [];
  const missed = Object.entries(requirements).flatMap(([name, r]) =>
    r.cost === "free" ? [] : (missedOnTest(name, r) ?? []),
  );
  return missed.length === 0 ? [] : [`Not so on the ${test.examples} test rows: ${missed.join("; ")}.`];
}

type Known = Pick<TrainReport, "certificate" | "judgedOn">;

/** Amounts in units of their own are as sentences have them. */
const amountOf = (x: number, { unit }: TrainRequirement): string =>
  unit === undefined ? short(x) : figure(x, unit);

export const reachedOf = ({ judgedOn }: Pick<TrainReport, "judgedOn">, r: TrainRequirement): string =>
  amountOf(told(r, judgedOn).reached, r);

/** How far something gives way is known at an equilibrium only; what must hold and does not has not given way. */
export function gaveOf({ certificate, judgedOn }: Known, r: TrainRequirement): string {
  if (r.status === "violated") return "violated";
  return certificate.holds ? amountOf(gaveBy(told(r, judgedOn)), r) : "?";
}

/** For a unit of the level: the slope of what is trained, or what was measured of what is counted. */
export function priceOf({ certificate, judgedOn }: Known, r: TrainRequirement): string {
  if (!certificate.holds) return "?";
  const price = measuredPrice(r);
  if (price === undefined) return unmeasured;
  if (price === 0 || r.unit === undefined) return short(price);
  // A dollar is next to nothing beside a level of thousands.
  const { size, name } = quotedFor(told(r, judgedOn));
  return `${short(price * size)} for ${name}`;
}

/** As a number, where it is one. */
export function measuredPrice({ pricedBy, price, neighbours }: TrainRequirement): number | undefined {
  if (pricedBy === "loss" || price === 0) return price;
  const { looser, tighter } = neighbours ?? {};
  const found = [looser, tighter].filter((x) => x !== undefined);
  if (found.length === 0) return undefined;
  return found.reduce((a, b) => a + b, 0) / found.length / neighbours!.unit.size;
}

/** What a sign in the column of prices means, where one stands there. */
const legend = (shown: readonly string[]): string[] =>
  shown.includes(unmeasured)
    ? [`${unmeasured}: a count has no slope to quote; what it costs stands below, where it was measured`]
    : [];
const unmeasured = "–";

/** How the model was arrived at, where it was not by the last step alone. */
function chosen({ tried, decay, keptStep, moved }: TrainReport): string {
  const words = [
    tried &&
      `decay ${short(decay)}, ${bestOf(tried) === decay ? `the largest that is as good as any to 0.1%, of ${tried.length} tried,` : `more than the best of ${tried.length}`} on the validation rows`,
    keptStep !== undefined && `the model is that of step ${keptStep}, the best that was seen`,
    moved !== undefined && `the threshold moved by ${short(moved)} in the end, to where the level is`,
  ];
  return words.map((text) => (text ? `; ${text}` : "")).join("");
}

/** What costs nothing to give is not asked, and its price says nothing about insisting. */
const watched = (name: string, r: TrainRequirement, judgedOn: TrainReport["judgedOn"]): string =>
  `${name}: reached ${short(told(r, judgedOn).reached)}, ${askedOf(r)} would be asked; its cost is free, so it is only watched.`;

function strictTable(report: TrainReport, list: readonly (readonly [string, TrainRequirement])[]): string {
  const there = parts.filter((part) => report[part]);
  return columns(
    [
      ["strictly, 95% intervals", "metric", ...there],
      ...list.map(([name, r]) => [
        name,
        r.strictly,
        ...there.map((part) => (r[part] ? showMeasure(r[part].strict) : "no such example")),
      ]),
      ["all examples", "loss", ...there.map((part) => showMeasure(report[part]!.loss))],
      ["all examples", ...overallError(report, there)],
    ],
    { left: 2 },
  );
}

function overallError(report: TrainReport, there: readonly Part[]): string[] {
  if (report.train.error) return ["error", ...there.map((part) => showMeasure(report[part]!.error!))];
  return ["root mean square error", ...there.map((part) => figure(report[part]!.rootMeanSquare!, 0))];
}

/** What to do next with a run. */
export const nextSteps = (folder: string): string =>
  `The run is in ${folder}. See it again with: npx pliant report ${word(folder)}`;
