// A model card: the model, its data, its requirements, what gave way and at which price, and the results on rows it was not trained on.
// Fields that only people can answer are marked to fill in.

import { type ColumnEncoding, isDate } from "@pliant/data";
import { duration } from "@pliant/learn/runs";
import { missingShare } from "../data/drift.js";
import { apart } from "../data/groups.js";
import { showMeasure, showOutcome } from "../evaluate/evaluate.js";
import { unansweredWords } from "../evaluate/unanswered.js";
import type { Block } from "../format/document.js";
import { large, percent } from "../format/figure.js";
import { short } from "../format/table.js";
import { askedOf } from "../questions/answers.js";
import { calibrationWords, heldCalibration } from "../report/calibrated.js";
import { decisionLines } from "../report/decision-text.js";
import { parts, type TrainReport } from "../report/report.js";
import { gaveOf, priceOf, reachedOf } from "../report/requirement-view.js";
import { withoutSymmetric } from "../report/symmetric-gaps.js";
import type { TrainAsked } from "../run/asked.js";
import { rowsHeldTo, sentenceLines, verdictOf } from "./report-text.js";
import { dayOf } from "./summary-text.js";

const heading = (text: string): Block => ({ kind: "heading", level: 2, text });
const paragraph = (text: string): Block => ({ kind: "paragraph", text });
const list = (...items: string[]): Block => ({ kind: "list", items });
const table = (...rows: string[][]): Block => ({ kind: "table", rows });
const open = (what: string): string => `To fill in: ${what}`;

/** A model card of a run, as blocks for `markdown` or `html`; fields that only people can answer are left open. */
export function cardOf(asked: TrainAsked, whole: TrainReport): Block[] {
  const report = withoutSymmetric(whole);
  return [
    { kind: "heading", level: 1, text: `Model card: ${asked.name}` },
    paragraph(verdictOf(report)),
    heading("Model"),
    list(...modelOf(asked, report)),
    ...(report.decision ? [heading("Decisions"), list(...decisionLines(report.decision))] : []),
    heading("Intended use"),
    list(
      open("who will use it, and for which decisions"),
      open("which uses are out of scope"),
      open("who is responsible for it, and since when"),
    ),
    heading("Data"),
    ...dataOf(asked),
    heading("Requirements"),
    ...askedBlocks(report),
    heading("What gave way, and at which price"),
    ...gaveBlocks(report),
    heading("On training rows and on other rows"),
    ...heldBlocks(report),
    ...(report.importance?.length ? [heading("Most important columns"), ...importanceBlocks(report)] : []),
    heading("Limits"),
    ...limitsOf(report),
  ];
}

function modelOf({ spec, data, seed, device, started, versions }: TrainAsked, report: TrainReport): string[] {
  const { target } = data;
  const answers =
    target.kind === "class"
      ? `one of ${target.classes.length} classes: ${target.classes.join(", ")}`
      : "a number";
  const { kind, ...rest } = spec.model;
  const how = Object.entries(rest).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [
    `${[kind, ...how].join(", ")}; it predicts ${answers}${spec.data.target === undefined ? "" : ` ("${spec.data.target}")`}`,
    `${report.steps} steps, objective ${short(report.objective)}, decay ${short(report.decay)}, seed ${seed}, on ${device}`,
    `trained on ${started.slice(0, 10)}${tookWords(report)} with ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}`,
  ];
}

function tookWords({ seconds }: TrainReport): string {
  if (!seconds) return "";
  const { training, whole, resumed } = seconds;
  return ` in ${duration(training)} (${duration(whole)} with measurements${resumed ? ", since it was resumed" : ""})`;
}

function dataOf({ spec, data }: TrainAsked): Block[] {
  const { files, train, validation, test, encoding, inputs, groups = {} } = data;
  const rows = [
    `${train} training rows`,
    ...(validation === undefined ? [] : [`${validation} for validation`]),
    `${test} for testing`,
  ];
  const named = Object.entries(files).map(([file, sha256]) => `${file}, SHA-256 ${sha256}`);
  return [
    list(
      ...(named.length > 0 ? named : [`the dataset ${spec.data.dataset}`]),
      rows.join(", "),
      ...Object.entries(groups).map(
        ([column, values]) => `groups by ${column}: ${values.join(", ")}${seenWords(column, data)}`,
      ),
      open("where the rows come from, how they were collected, and whom they leave out"),
    ),
    ...countsOf(data),
    ...(encoding
      ? [
          table(
            ["column", "kind", "in the training rows", "missing there"],
            ...encoding.columns.map((column) => [
              column.name,
              column.kind === "number" && isDate(column.written) ? "date" : column.kind,
              spreadIn(column),
              inputs ? percent(missingShare(inputs.columns[column.name])) : "not known",
            ]),
          ),
        ]
      : []),
  ];
}

function spreadIn(column: ColumnEncoding): string {
  if (column.kind === "category") return `${column.categories.length} values: ${cut(column.categories)}`;
  const { mean, std, written } = column;
  return isDate(written)
    ? `mean ${dayOf(mean)}, deviation ${short(std)} days`
    : `mean ${short(mean)}, deviation ${short(std)}`;
}

/** Whether the model sees the columns that groups are by. */
function seenWords(column: string, { encoding }: TrainAsked["data"]): string {
  if (!encoding) return "";
  const names = apart(column);
  const seen = names.filter((name) => encoding.columns.some((own) => own.name === name));
  const it = names.length === 1 ? "it" : "them";
  if (seen.length === 0) return `; the model does not see ${it}`;
  return `; the model sees ${seen.length === names.length ? it : seen.join(", ")}`;
}

/** For each class and group, its number of rows and their share of the part. */
function countsOf({ counts = {}, train, validation, test }: TrainAsked["data"]): Block[] {
  const sizes = { train, validation, test };
  const there = (["train", "validation", "test"] as const).filter((part) => sizes[part] !== undefined);
  const rows = Object.entries(counts).flatMap(([column, values]) =>
    Object.entries(values).map(([value, own]) => [
      column,
      value,
      ...there.map((part) => `${large(own[part] ?? 0)} (${percent((own[part] ?? 0) / sizes[part]!)})`),
    ]),
  );
  return rows.length > 0 ? [table(["rows by", "value", ...there], ...rows)] : [];
}

const cut = (values: readonly string[]): string =>
  values.length > 12 ? `${values.slice(0, 12).join(", ")}, …` : values.join(", ");

const askedBlocks = ({ requirements }: TrainReport): Block[] => [
  table(
    ["requirement", "metric", "asked", "cost of giving way"],
    ...Object.entries(requirements).map(([name, r]) => [
      name,
      r.strictly,
      askedOf(r),
      r.hard ? "hard" : r.cost === "free" ? "free: reported, not enforced" : r.cost,
    ]),
  ),
];

function gaveBlocks(report: TrainReport): Block[] {
  const { requirements } = report;
  return [
    table(
      ["requirement", "asked", "reached", "gave way by", "price"],
      ...Object.entries(requirements).map(([name, r]) => [
        name,
        askedOf(r),
        reachedOf(report, r),
        gaveOf(report, r),
        priceOf(report, r),
      ]),
    ),
    list(...sentenceLines(report)),
  ];
}

function heldBlocks(report: TrainReport): Block[] {
  const there = parts.filter((part) => report[part]);
  const overall = (name: string, of: (part: (typeof parts)[number]) => string): string[] => [
    "all examples",
    name,
    ...there.map(of),
  ];
  return [
    paragraph("With 95% intervals."),
    table(
      ["requirement", "metric", ...there],
      ...Object.entries(report.requirements).map(([name, r]) => [
        name,
        r.strictly,
        ...there.map((part) => (r[part] ? showOutcome(r[part]) : "not counted")),
      ]),
      overall("loss", (part) => showMeasure(report[part]!.loss)),
      ...(report.test.error
        ? [overall("error", (part) => showMeasure(report[part]!.error!))]
        : [overall("root mean square error", (part) => short(report[part]!.rootMeanSquare!))]),
    ),
  ];
}

const importanceBlocks = ({ importance = [] }: TrainReport): Block[] => [
  paragraph("How much the held-out loss rises if a column is shuffled, with 95% intervals."),
  table(
    ["column", "rise of the loss"],
    ...importance.map(({ feature, mean, low, high }) => [
      feature,
      showMeasure({ value: mean, interval: [low, high], examples: 0 }),
    ]),
  ),
];

/** The limits that the run itself reports. */
function limitsOf(report: TrainReport): Block[] {
  const { certificate, test, overfitted = [] } = report;
  const known = certificate.holds
    ? `Certified to ${certificate.tolerance}: relaxations and prices are those of an equilibrium on ${rowsHeldTo(report)}.`
    : `Not certified, so relaxations and prices are unknown: ${certificate.short.join("; ")}.`;
  return [
    list(
      known,
      ...overfitted,
      ...unansweredWords(test, "test rows"),
      ...calibrationWords(test, "test rows", heldCalibration(report)),
      "The intervals account for chance in these rows only. Rows from another source may differ; pliant evaluate shows whether they do.",
      open("known failures, groups that were not examined, and what to do about them"),
    ),
  ];
}
