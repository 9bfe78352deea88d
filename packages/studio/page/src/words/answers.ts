// The four questions that a reader brings to a run, as to a study or a federation: what was asked, whether it held, what gave way and by how
// much, and what it costs.
import { saved, type Verdict as TestVerdict } from "@pliant/train/words";
import type { RequirementResult } from "../../../src/api.js";
import { held, number, signed } from "../lib/format.js";
import { holdingOf } from "./holding.js";
import type { ToldResult } from "./said.js";
import { askedOf, byPrice, gaveBy, isNear, listed, type Verdict, verdictOf } from "./verdict.js";

export interface Answer {
  readonly question: string;
  readonly answer: string;
  readonly detail: string;
  readonly tone?: Verdict;
}

type Entry = readonly [name: string, result: ToldResult];

/** The requirement that the answers are about: what is missed or gave way most, else the dearest. What is only watched has none. */
export function foremost(
  requirements: Readonly<Record<string, ToldResult>>,
  tolerance = 1e-3,
): { chosen: Entry | undefined; others: readonly Entry[] } {
  const all = byPrice(requirements);
  for (const verdict of ["missed", "unknown", "gave", "pending", "open", "held", "met"] as const) {
    const found = all.filter(([, r]) => verdictOf(r, tolerance) === verdict);
    if (found.length === 0) continue;
    const near = found.filter(([, r]) => isNear(r, tolerance));
    if (near.length > 0) return apart(near, farthest(near));
    const byGiving = verdict === "missed" || verdict === "unknown" || verdict === "gave";
    return apart(found, byGiving ? farthest(found) : found[0]);
  }
  return { chosen: undefined, others: [] };
}

const farthest = (all: readonly Entry[]): Entry =>
  all.reduce((a, b) => (gaveBy(b[1]) > gaveBy(a[1]) ? b : a));

/** One of them, and the others from the one that misses its level by most. */
const apart = (all: readonly Entry[], chosen: Entry) => ({
  chosen,
  others: all.filter((one) => one !== chosen).sort(([, a], [, b]) => gaveBy(b) - gaveBy(a)),
});

/** What the answers need to know of the run besides its requirements. */
export interface RunContext {
  /** What is minimised, as the spec calls it. */
  readonly currency?: string;
  /** Whether the run is over, so that all that is ever measured has been. */
  readonly over?: boolean;
  /** Rows that were kept for testing; undefined where the report does not say. */
  readonly testRows?: number;
}

export function answersOf(
  requirements: Readonly<Record<string, ToldResult>>,
  tolerance = 1e-3,
  context: RunContext = {},
): Answer[] {
  // No verdict rests on a part of the requirements.
  if (Object.values(requirements).some(({ unreadable }) => unreadable !== undefined)) return [];
  const { chosen, others } = foremost(requirements, tolerance);
  if (!chosen) return [];
  const tone = verdictOf(chosen[1], tolerance);
  return [
    whatWasAsked(requirements),
    didItHold(requirements, tolerance, context),
    whatGaveWay(chosen, others, isNear(chosen[1], tolerance) ? "near" : tone, tone),
    { question: "What it costs", ...costOf(chosen, tone, context) },
  ];
}

/** Requirements that an answer has room for. */
const mostAsked = 6;

function whatWasAsked(requirements: Readonly<Record<string, ToldResult>>): Answer {
  const all = Object.entries(requirements).filter(([, r]) => r.cost !== "free" || r.pending);
  const words = all.map(([name, r]) => `${name} ${askedOf(r)}${r.hard ? " (hard)" : ""}`);
  const more = words.length > mostAsked ? [`${words.length - mostAsked + 1} others`] : [];
  return {
    question: "What was asked",
    answer: words.length === 1 ? "1 requirement" : `${words.length} requirements`,
    detail: [...words.slice(0, more.length > 0 ? mostAsked - 1 : mostAsked), ...more].join("; "),
  };
}

function didItHold(
  requirements: Readonly<Record<string, ToldResult>>,
  tolerance: number,
  context: RunContext,
): Answer {
  const holding = holdingOf(requirements, tolerance, context.over === false);
  if (!holding)
    return {
      question: "Did it hold",
      answer: "not known yet",
      detail: "the threshold is chosen when training is over",
    };
  const { words, holds } = onTest(requirements, context);
  const tone = holding.tone === "met" && !holds ? "gave" : holding.tone;
  return {
    question: "Did it hold",
    answer: holding.words,
    detail: words,
    ...(tone !== "none" && { tone }),
  };
}

function whatGaveWay(
  [name, r]: Entry,
  others: readonly Entry[],
  tone: Verdict | "near",
  verdict: Verdict,
): Answer {
  const also = others.length > 0 ? [`also ${listed(others.map(byHowMuch))}`] : [];
  const beyond = (...words: readonly string[]): Answer => ({
    question: tone === "gave" ? "What gave way" : "What does not hold",
    answer: byHowMuch([name, r]),
    detail: [...words, ...also].join("; "),
    tone: verdict,
  });
  const question = "What gave way";
  switch (tone) {
    case "gave":
      return beyond(...(r.examples ? [`on ${r.examples.gave} of ${r.examples.all} examples`] : []));
    case "missed":
      return beyond(r.hard ? "it must hold" : "not met, nor settled");
    case "unknown":
      return beyond("not settled yet");
    case "near":
      return beyond("not certified");
    case "held":
    case "met":
      return {
        question,
        answer: "Nothing",
        detail: r.said.built ? `${name} holds by construction` : "",
        tone: verdict,
      };
    case "pending":
      return { question, answer: "not known yet", detail: "the threshold is chosen when training is over" };
    case "open":
    case "watched":
    case "unreadable":
      return { question, answer: "not known yet", detail: "known once the run is certified" };
  }
}

/** As the card has it where that is known; what is not settled misses its level by so much so far. */
const byHowMuch = ([name, r]: Entry): string => {
  const by = r.said.gave === "?" || r.hard ? held(gaveBy(r), r.level) : r.said.gave;
  return `${name} by ${by}`;
};

type Cost = Omit<Answer, "question">;

function costOf([name, r]: Entry, tone: Verdict, context: RunContext): Cost {
  const { insisting, said, unsettled, pending } = r;
  if (r.hard === true && tone === "missed")
    return { answer: "not known", detail: "prices settle once everything that must hold does" };
  if (pending) return { answer: "not known", detail: "measured once the threshold is chosen" };
  if (unsettled) return { answer: "not known", detail: "measured after a run that is certified" };
  if (tone === "held" || tone === "met")
    return { answer: "0", detail: joined("nothing gave way", priceWords(name, r, context)) };
  if (!insisting || !said.insisting)
    return { answer: "not measured", detail: joined(said.insisting, priceWords(name, r, context)) };
  if (!insisting.had) return { answer: insisting.in ? "out of reach" : "not known", detail: said.insisting };
  const { costs, within, others: moved } = insisting;
  const detail = `to insist on ${name}${insisting.in ? ", at the same scores" : ""}`;
  if (costs < 0 && Object.keys(moved).length > 0)
    return { answer: `others give way${besides(moved)}`, detail };
  // Below what can be told it is nothing; a loss that falls by more shows that the run was not at its best.
  if (within !== undefined && costs < -Math.max(5e-6, within))
    return { answer: `${number(-costs, 2)} lower${give(within)}`, detail, tone: "unknown" };
  const amount = insisting.in && costs > 5e-6 ? `${number(costs, 2)} of ${insisting.in}` : saved(costs);
  return { answer: `${amount}${costs > (within ?? 0) ? give(within) : ""}${besides(moved)}`, detail };
}

const joined = (...parts: readonly string[]): string =>
  parts
    .filter(Boolean)
    .map((part) => part.replace(/\.$/, ""))
    .join("; ");

/** What a step of its level costs, where that is known and not 0. */
function priceWords(name: string, { said }: ToldResult, { currency = "loss" }: RunContext): string {
  const { price, known = 0, sides } = said;
  if (!(known > 0)) return "";
  const quoted = Number.isFinite(Number(price)) ? `${price} of ${currency} per unit of its level` : price;
  return `the price of ${name} is ${sides && !Number.isFinite(Number(price)) ? `${sides.tighter} ${sides.looser}` : quoted}`;
}

/** What else is paid: how much more others give way. */
export const besides = (others: Readonly<Record<string, number>>): string =>
  Object.entries(others)
    .filter(([, by]) => by > 0)
    .map(([name, by]) => `; ${name} ${signed(by, 2)}`)
    .join("");

/** In a few words, beside other runs. */
export const insistingCost = (name: string, r: ToldResult, tolerance = 1e-3): string =>
  costOf([name, r], verdictOf(r, tolerance), {}).answer;

/** How exactly it is known. */
const give = (within: number | undefined): string => (within ? ` ± ${number(within, 1)}` : "");

/** Whether it holds on rows that were not trained on. */
function onTest(
  requirements: Readonly<Record<string, RequirementResult>>,
  { over = true, testRows }: RunContext,
): { words: string; holds: boolean } {
  const all = Object.entries(requirements).filter(([, { cost }]) => cost !== "free");
  if (!all.some(([, { test }]) => test)) {
    const untested = testRows ? "not measured on test rows" : "not tested: no test rows were kept";
    return { words: over ? untested : "on test data: measured when the run is finished", holds: true };
  }
  const by = (verdict: TestVerdict): string[] =>
    all.flatMap(([key, { test }]) => ((test?.verdict ?? "not told") === verdict ? [key] : []));
  const [holding, missed, near, untold] = (
    ["holds", "missed", "missed, within chance", "not told"] as const
  ).map(by);
  const barely = all.flatMap(([key, { test }]) => (test?.withinChance ? [key] : []));
  const named = (words: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${words} ${listed(names)}`];
  const parts = [
    ...named("missed:", missed),
    ...named("missed within chance:", near),
    ...named("holds within chance:", barely),
    ...named("no verdict on", untold),
  ];
  const counted = `on test data ${holding.length} of ${all.length}`;
  const words = `${counted}${parts.length > 0 ? `: ${parts.join("; ")}` : ""}`;
  return { words, holds: missed.length + near.length === 0 };
}
