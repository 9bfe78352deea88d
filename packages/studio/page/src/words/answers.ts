// The five questions that a reader brings to a run: what gave way, by how much, at what price, what insisting costs, and whether it holds
// on data that was not trained on.
import { noPrice, noSlope, saved, type Verdict as TestVerdict, unmeasured } from "@pliant/train/words";
import type { RequirementResult } from "../../../src/api.js";
import { held, number, signed } from "../lib/format.js";
import type { ToldResult } from "./said.js";
import { askedOf, byPrice, gaveBy, isNear, listed, unseenWords, type Verdict, verdictOf } from "./verdict.js";

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
): { chosen: Entry | undefined; alike: number } {
  const all = byPrice(requirements);
  for (const verdict of ["missed", "unknown", "gave", "pending", "open", "held", "met"] as const) {
    const found = all.filter(([, r]) => verdictOf(r, tolerance) === verdict);
    if (found.length === 0) continue;
    const near = found.filter(([, r]) => isNear(r, tolerance));
    if (near.length > 0) return { chosen: farthest(near), alike: near.length - 1 };
    const byGiving = verdict === "missed" || verdict === "unknown" || verdict === "gave";
    const chosen = byGiving ? farthest(found) : found[0];
    return { chosen, alike: found.length - 1 };
  }
  return { chosen: undefined, alike: 0 };
}

const farthest = (all: readonly Entry[]): Entry =>
  all.reduce((a, b) => (gaveBy(b[1]) > gaveBy(a[1]) ? b : a));

const others = (count: number): string => (count === 1 ? "and 1 other" : `and ${count} others`);

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
  const { chosen, alike } = foremost(requirements, tolerance);
  if (!chosen) return [];
  const [name, r] = chosen;
  const tone = verdictOf(r, tolerance);
  const near = isNear(r, tolerance);
  const [what, detail] = subject(name, r, near ? "near" : tone, alike);
  const insisted = insistingAnswer(r, tone);
  const price: Answer = isViolated(r, tone)
    ? { question: "At what price", answer: "?", detail: "prices settle once all that must hold does" }
    : priceAnswer(r, context);
  return [
    { question: "What gave way", answer: what, detail, tone },
    howMuch(r, tone, near),
    // What a threshold gave costs what insisting costs: the same number would stand twice.
    ...(r.decidedOn && tone === "gave" && r.insisting ? [] : [price]),
    insisted,
    testAnswer(requirements, name, r, context),
  ];
}

const isViolated = ({ hard }: ToldResult, tone: Verdict): boolean => hard === true && tone === "missed";

function subject(name: string, r: ToldResult, tone: Verdict | "near", alike: number): [string, string] {
  const more = alike > 0 ? others(alike) : "";
  switch (tone) {
    case "gave":
      return [name, more];
    case "missed":
      return [
        name,
        `${r.hard ? "violated, though it must not bend" : "not met, nor settled"}${more && `, ${more}`}`,
      ];
    case "unknown":
      return [name, `not settled${more && `, ${more}`}`];
    case "held":
      return ["Nothing", heldWords(name, r)];
    case "met":
      return ["Nothing", "every requirement is met with room"];
    case "pending":
      return ["Not known yet", "the threshold is chosen when training is over"];
    case "near":
      return [name, `beyond its level, not certified${more && `, ${more}`}`];
    case "open":
    case "watched":
    case "unreadable":
      return ["Not known yet", "known once the run is certified"];
  }
}

const heldWords = (name: string, { said }: ToldResult): string =>
  said.built
    ? `${name} holds by construction`
    : (said.known ?? 0) > 0
      ? `dearest: ${name}`
      : "every requirement holds";

function howMuch(r: ToldResult, tone: Verdict, near: boolean): Answer {
  const question = "By how much";
  const unit = r.surrogate && r.strictly ? ` ${r.strictly}` : "";
  const detail = `asked ${askedOf(r)}, reached ${held(r.reached, r.level)}${unit}${r.said.group}${r.said.rows}`;
  if (r.examples)
    return {
      question,
      answer: held(r.relaxation, r.level),
      detail: `on ${r.examples.gave} of ${r.examples.all} examples`,
      tone,
    };
  // What is at an equilibrium gave what the report's table says; what is not is missed by so much so far.
  const unsettled = tone === "missed" || tone === "unknown" || near;
  return { question, answer: unsettled ? held(gaveBy(r), r.level) : r.said.gave, detail, tone };
}

function priceAnswer(r: ToldResult, context: RunContext): Answer {
  const question = "At what price";
  const { price, sides } = r.said;
  // A price on either side is a number for two levels; a reader asks what a step of the level costs.
  if (sides && !r.decidedOn && (r.said.known ?? 0) > 0 && !Number.isFinite(Number(price)))
    return { question, answer: sides.tighter, detail: sides.looser };
  return { question, answer: price, detail: priceDetail(r, context) };
}

function priceDetail(
  { said, strictlyPriced, decidedOn, pending }: ToldResult,
  { currency = "loss" }: RunContext,
): string {
  const { price, known, built, quoted } = said;
  if (pending) return "known once the threshold is chosen";
  if (decidedOn) return known === 0 ? "asking for it costs nothing" : byThreshold;
  if (price === unmeasured) return built ? noPrice : noSlope;
  if (known === undefined) return "known once the run is certified";
  if (known === 0) return "asking for it costs nothing";
  // A unit of a rate is all of it; people reckon in points.
  const inUnits =
    quoted?.name.includes("point") && Number.isFinite(Number(price))
      ? `, ${number(known * quoted.size, 2)} for ${quoted.name}`
      : "";
  return `of ${currency} per unit of its level${inUnits}${strictlyPriced ? ", as measured" : ""}`;
}

function insistingAnswer(r: ToldResult, tone: Verdict): Answer {
  const { insisting, said, unsettled, pending } = r;
  const question = "What insisting costs";
  if (isViolated(r, tone)) return { question, answer: "insisted on", detail: "it must hold, and does not" };
  if (pending) return { question, answer: "not known", detail: "measured once the threshold is chosen" };
  if (unsettled) return { question, answer: "not known", detail: "measured after a run that is certified" };
  if (tone === "held" || tone === "met")
    return { question, answer: "0", detail: "nothing gave way: it is as if insisted on" };
  const detail = said.insisting || "measured after a run that is certified";
  if (!insisting || !said.insisting) return { question, answer: "not measured", detail };
  if (!insisting.had) return { question, answer: insisting.in ? "out of reach" : "not known", detail };
  const { costs, within, others: moved } = insisting;
  if (costs < 0 && Object.keys(moved).length > 0) return { question, answer: "others give way", detail };
  // Below what can be told it is nothing; a loss that falls by more shows that the run was not at its best.
  if (within !== undefined && costs < -Math.max(5e-6, within))
    return { question, answer: `${number(-costs, 2)} lower${give(within)}`, detail, tone: "unknown" };
  const amount = insisting.in && costs > 5e-6 ? `${number(costs, 2)} of ${insisting.in}` : saved(costs);
  return {
    question,
    answer: `${amount}${costs > (within ?? 0) ? give(within) : ""}${besides(moved)}`,
    detail,
  };
}

/** What else is paid: how much more others give way. */
export const besides = (others: Readonly<Record<string, number>>): string =>
  Object.entries(others)
    .filter(([, by]) => by > 0)
    .map(([name, by]) => `; ${name} ${signed(by, 2)}`)
    .join("");

const byThreshold = "in wrong decisions, by moving the threshold at the same scores";

/** In a few words, beside other runs. */
export const insistingCost = (r: ToldResult, tolerance = 1e-3): string =>
  insistingAnswer(r, verdictOf(r, tolerance)).answer;

/** How exactly it is known. */
const give = (within: number | undefined): string => (within ? ` ± ${number(within, 1)}` : "");

function testAnswer(
  requirements: Readonly<Record<string, RequirementResult>>,
  name: string,
  r: RequirementResult,
  { over = true, testRows }: RunContext,
): Answer {
  const question = "Does it hold on test data";
  const all = Object.entries(requirements).filter(([, { cost }]) => cost !== "free");
  if (!all.some(([, { test }]) => test))
    return over
      ? {
          question,
          answer: "not tested",
          detail: testRows ? "not measured on test rows" : "no test rows were kept",
        }
      : { question, answer: "not yet", detail: "measured when the run is finished" };
  const verdicts = all.map(([key, { test }]) => [key, test?.verdict ?? "not told"] as const);
  const by = (verdict: TestVerdict): string[] =>
    verdicts.flatMap(([key, found]) => (found === verdict ? [key] : []));
  const [holding, missed, untold] = [by("holds"), by("missed"), by("not told")];
  const rest = (names: readonly string[]): string[] => names.filter((key) => key !== name);
  const too = r.test?.verdict === "missed" ? " too" : "";
  const near = rest(by("missed, within chance"));
  const barely = rest(all.flatMap(([key, { test }]) => (test?.withinChance ? [key] : [])));
  const soAre = near.length > 1 ? "so are" : "so is";
  const nearWords = r.test?.verdict === "missed, within chance" ? soAre : "missed, within chance:";
  const detail = [
    ...(r.test ? [`${name}: ${unseenWords(r.test)}`] : []),
    ...(rest(missed).length > 0 ? [`missed${too}: ${listed(rest(missed))}`] : []),
    ...(near.length > 0 ? [`${nearWords} ${listed(near)}`] : []),
    ...(barely.length > 0 ? [`holds within chance: ${listed(barely)}`] : []),
    ...(rest(untold).length > 0 ? [`no verdict: ${listed(rest(untold))}`] : []),
  ].join("; ");
  if (untold.length === all.length) return { question, answer: "not told", detail };
  const counted = holding.length === all.length ? "yes" : `${holding.length} of ${all.length}`;
  const unsure = all.some(([, { test }]) => test?.withinChance);
  return {
    question,
    answer: `${counted}${counted === "yes" && unsure ? ", within chance" : ""}`,
    detail,
    tone: missed.length > 0 ? "missed" : holding.length + untold.length === all.length ? "met" : "gave",
  };
}
