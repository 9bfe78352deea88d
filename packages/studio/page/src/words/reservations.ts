// What a reader must know before going by a run's numbers, besides what each requirement came to: read from a report of which nothing is
// known, and told as the report's own text tells it or in fewer words.
import {
  calibrationWords,
  dearerThanNothing,
  fewWords,
  heldCalibration,
  pathWords,
  unansweredWords,
  weighedLess,
} from "@pliant/train/words";
import { certificateOf, isCertified } from "../../../src/certificate.js";
import { type Fields, fields, isNumber, text } from "../../../src/fields.js";
import { tellableOf } from "../../../src/tellable.js";
import { number } from "../lib/format.js";
import type { ToldResult } from "./said.js";
import { unseenWords } from "./verdict.js";

/** What it is about, and the rest of the sentence. */
export type Reservation = readonly [lead: string, rest: string];

type Results = Readonly<Record<string, ToldResult>>;

/** Those that must hold and were had one by one, and not together. */
export function conflictIn(report: unknown): string[] {
  const alone = Object.entries(fields(fields(report).alone));
  return alone.length > 1 && alone.every(([, met]) => met === true) ? alone.map(([name]) => name) : [];
}

/** What stands beside the verdict. */
export const reservationsOf = (report: unknown, requirements: Results): Reservation[] => [
  ...uncertified(report),
  ...dearer(report, requirements),
  ...lighter(report, requirements),
  ...spokenAgainst(requirements),
];

/** What stands below the requirements. */
export function asidesOf(report: unknown): string[] {
  const tellable = tellableOf(report, () => "unknown");
  const test = testOf(fields(fields(report).test));
  return [
    ...fewWords(tellable.requirements),
    ...pathWords(tellable.requirements),
    ...unansweredWords(test, "test rows"),
    ...calibrationWords(test, "test rows", heldCalibration(tellable)),
  ];
}

/** A reason may name many requirements; the certificate's own place has it whole. */
const longest = 280;
const cut = (reason: string): string =>
  reason.length > longest ? `${reason.slice(0, longest).trimEnd()} …` : reason;

function uncertified(report: unknown): Reservation[] {
  const { holds, reasons: all } = certificateOf(report) ?? { holds: true, reasons: [] };
  const reasons = holds ? [] : all;
  return reasons.length === 0 ? [] : [["Not certified", `: ${reasons.map(cut).join("; ")}.`]];
}

function dearer(report: unknown, requirements: Results): Reservation[] {
  const totals = dearerThanNothing(weighing(report));
  if (!totals) return [];
  const firm = Object.values(requirements).some(({ hard }) => hard);
  const [own, without] = apart(totals.own, totals.without);
  return [
    [
      `Asking for nothing${firm ? " but what must hold" : ""} would come to less`,
      `: loss and costs together are ${own} here, and ${without} then. Certified is where prices agree with what stands for counts in training, not the least of loss and costs.`,
    ],
  ];
}

function lighter(report: unknown, requirements: Results): Reservation[] {
  const weighed = weighedLess(weighing(report));
  if (!weighed) return [];
  const { own, whole, share } = weighed;
  const [here, all] = whole === undefined ? [number(own)] : apart(own, whole);
  // One part of the costs serves all that may give way.
  const losses = Object.values(requirements).some(
    ({ hard, cost, strictlyPriced }) => !hard && cost !== "free" && !strictlyPriced,
  );
  const [lead, more] =
    share === 0
      ? ["Nothing is done for what may give way", " A larger cost, or hard, asks for more."]
      : [
          `What ${losses ? "may give way" : "stands for counts"} weighs ${number(share)} of what the costs say`,
          "",
        ];
  const beside = all === undefined ? "nothing settled" : `they are ${all}`;
  return [
    [
      lead,
      `: loss and costs together are least so, ${here}, of the weights that were tried; with all that the costs say ${beside}.${more}`,
    ],
  ];
}

/** What is trained is held to the rows learnt from: what others say of it, where that is beyond chance. */
function spokenAgainst(requirements: Results): Reservation[] {
  const missed = Object.entries(requirements).filter(
    ([, { unsettled, validation }]) => !unsettled && validation?.verdict === "missed",
  );
  return missed.length === 0
    ? []
    : [
        [
          "The validation rows speak against it",
          `: ${missed.map(([name, { validation }]) => `${name} is ${unseenWords(validation)}`).join("; ")}.`,
        ],
      ];
}

/** Two numbers in as many digits as tell the one from the other. */
function apart(a: number, b: number): [string, string] {
  let digits = 3;
  while (digits < 9 && number(a, digits) === number(b, digits)) digits++;
  return [number(a, digits), number(b, digits)];
}

function weighing(report: unknown): Parameters<typeof weighedLess>[0] {
  const { totals, share } = fields(report);
  const { own, without, within, whole } = fields(totals);
  const known = isNumber(own) && isNumber(without) && isNumber(within);
  return {
    certificate: { holds: isCertified(report) },
    ...(known && { totals: { own, without, within, ...(isNumber(whole) && { whole }) } }),
    ...(isNumber(share) && { share }),
  };
}

function testOf({
  examples,
  unanswered,
  calibration,
}: Fields): Parameters<typeof calibrationWords>[0] & Parameters<typeof unansweredWords>[0] {
  const { of, predicted, observed, error, chance } = fields(calibration);
  const { mean, deviation } = fields(chance);
  const known = [predicted, observed, error, mean, deviation].every(isNumber);
  return {
    examples: isNumber(examples) ? examples : 0,
    unanswered: (Array.isArray(unanswered) ? unanswered : []).flatMap((one) => {
      const { class: name, examples: count } = fields(one);
      return typeof name === "string" && isNumber(count) ? [{ class: name, examples: count }] : [];
    }),
    ...(known && {
      calibration: {
        ...(text(of) && { of: text(of) }),
        ...({ predicted, observed, error, chance: { mean, deviation } } as Calibrated),
      },
    }),
  };
}

type Calibrated = Omit<NonNullable<Parameters<typeof calibrationWords>[0]["calibration"]>, "of">;
