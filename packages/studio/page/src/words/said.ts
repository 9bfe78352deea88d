// What is said of each requirement of a run: the words of its own report, and no others where it is about prices or insisting.
import {
  gaveBy,
  gaveOf,
  heldTo,
  insistingWords,
  priceOf,
  saved,
  sentencesOf,
  symmetricOf,
  type Tellable,
  told,
  type Unit,
} from "@pliant/train/words";
import type { RequirementResult } from "../../../src/api.js";
import { requirementsOf } from "../../../src/requirement.js";
import { pricesOf, tellableOf } from "../../../src/tellable.js";
import { held, number } from "../lib/format.js";
import { groupWords, type Verdict, verdictOf } from "./verdict.js";

export interface Said {
  /** How far it gave way, or why that is not known, as the report's table has it. */
  readonly gave: string;
  /** As the report's table has it: a sign where it is not known, or where a count has none. */
  readonly price: string;
  /** As a number, where it is one. */
  readonly known: number | undefined;
  /** What a step of its level was measured to cost and to save, where the two differ so that no one number is the price. */
  readonly sides?: { readonly tighter: string; readonly looser: string };
  /** The step of its level that a price is quoted for: a percentage point of a rate. */
  readonly quoted?: Unit;
  readonly sentence: string;
  /** Of what gave way: what insisting came to. */
  readonly insisting: string;
  /** The model is built to meet it: it has no price. */
  readonly built: boolean;
  /** Of the worst group, which one it is, as it stands after a number; else nothing. */
  readonly group: string;
  /** The rows that it is held to, as they stand after a number, where the report tells of them. */
  readonly rows: string;
  /** Of a gap between two groups, which is one number: whether it is the side that a reader is not told of. */
  readonly mirror: boolean;
}

export interface ToldResult extends RequirementResult {
  readonly said: Said;
}

/** Of reports that do not say it themselves. */
const statusOf = (verdict: Verdict, hard: boolean): Tellable["status"] =>
  verdict === "missed" && hard
    ? "violated"
    : (
        {
          gave: "gave way",
          held: "at its level",
          met: "met",
          open: "met",
          watched: "met",
          pending: "unknown",
          unreadable: "unknown",
          missed: "unknown",
          unknown: "unknown",
        } as const
      )[verdict];

export function resultsOf(report: unknown, tolerance = 1e-3): Record<string, ToldResult> {
  const results = requirementsOf(report);
  const tellable = tellableOf(report, (name) =>
    statusOf(verdictOf(results[name], tolerance), results[name].hard),
  );
  const { requirements, judgedOn, certificate } = tellable;
  const sentences = new Map(sentencesOf(tellable));
  const prices = pricesOf(report);
  const mirrors = new Set(symmetricOf(requirements));
  const found: Record<string, ToldResult> = Object.create(null);
  for (const [name, result] of Object.entries(results)) {
    if (result.unreadable !== undefined) {
      found[name] = { ...result, said: unreadableSaid(result.unreadable) };
      continue;
    }
    const r = told(requirements[name], judgedOn);
    const settled = certificate.holds || r.decidedOn !== undefined;
    const insisting = settled && r.status === "gave way" && !r.examples ? insistingWords(r) : "";
    const words = gaveOf(tellable, requirements[name]);
    const gave = Number.isNaN(Number(words.replaceAll(",", ""))) ? words : held(gaveBy(r), r.level);
    const price = withError(priceOf(tellable, requirements[name]), result.errors?.price);
    const sentence = sentences.get(name) ?? "";
    const built = requirements[name].byConstruction === true;
    const group = groupWords(r.group);
    const on = heldTo(r, judgedOn);
    const rows = requirements[name][on] ? rowWords[on] : "";
    const mirror = mirrors.has(name);
    const said = {
      ...{
        // A threshold gives way by what it counts, not by the solver's relaxation.
        gave: withError(gave, r.decidedOn ? undefined : result.errors?.relaxation),
        price,
        known: requirements[name].status === "violated" ? undefined : prices[name],
        ...sidesOf(requirements[name]),
        sentence,
        insisting,
      },
      ...{ built, group, rows, mirror, ...(r.quoted && { quoted: r.quoted }) },
    };
    found[name] = { ...result, said };
  }
  return found;
}

const rowWords = {
  train: " on the training rows",
  validation: " on the validation rows",
  folds: " on rows held out in folds",
};

function sidesOf({ neighbours }: Tellable): Pick<Said, "sides"> {
  const { looser, tighter, unit } = neighbours ?? {};
  return looser === undefined ||
    tighter === undefined ||
    unit === undefined ||
    saved(looser) === saved(tighter)
    ? {}
    : {
        sides: {
          tighter: saved(tighter),
          looser: `for ${unit.name} tighter, as measured; ${unit.name} looser saves ${saved(looser)}`,
        },
      };
}

/** "0.705 ± 0.002"; what is no number has no error, and neither has one whose three digits hide it. */
const withError = (text: string, error: number | undefined): string =>
  error !== undefined && error > 5e-4 * Number(text) && Number(text) > 0
    ? `${text} ± ${number(error, 1)}`
    : text;

const unreadableSaid = (why: string): Said => ({
  gave: "?",
  price: "?",
  known: undefined,
  sentence: `cannot be read: it ${why}.`,
  insisting: "",
  built: false,
  group: "",
  rows: "",
  mirror: false,
});

/** The requirements of several runs that a reader is told of: a side that says nothing of its own in any of them is left out. */
export const namesTold = (runs: readonly Readonly<Record<string, ToldResult>>[]): string[] => [
  ...new Set(runs.flatMap((results) => Object.keys(results).filter((name) => !results[name].said.mirror))),
];

/** What is told of one run. */
export function toldOf(report: unknown, tolerance: number): Record<string, ToldResult> {
  const results = resultsOf(report, tolerance);
  for (const name of Object.keys(results)) if (results[name].said.mirror) delete results[name];
  return results;
}
