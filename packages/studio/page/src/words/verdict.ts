// What became of a requirement, in a few words, and of a run, in a sentence.
import type { RequirementResult, Unseen } from "../../../src/api.js";
import { gaveBy, isBeyond, type Verdict, verdictOf } from "../../../src/verdict.js";
import { held, level, number, whole } from "../lib/format.js";
import type { ToldResult } from "./said.js";

export { gaveBy, type Verdict, verdictOf };

/** Not certified, and beyond its level by less than its allowance: nobody says that it holds. */
export const isNear = (r: RequirementResult, tolerance = 1e-3): boolean =>
  verdictOf(r, tolerance) === "open" && isBeyond(r);

const gaveWords = (r: RequirementResult): string => held(gaveBy(r), r.level);
const reachedWords = (r: RequirementResult): string => held(r.reached, r.level);

export function verdictWords(r: RequirementResult, tolerance = 1e-3): string {
  switch (verdictOf(r, tolerance)) {
    case "gave":
      return `gave way by ${gaveWords(r)}`;
    case "missed":
      return r.hard ? `violated by ${gaveWords(r)}` : "not met";
    case "unknown":
      return "not settled";
    case "held":
      return "at its level";
    case "met":
      return "met with room";
    case "open":
      return isBeyond(r) ? `beyond by ${gaveWords(r)}, not certified` : "holds, not certified";
    case "watched":
      return "only watched";
    case "pending":
      return "decided after training";
    case "unreadable":
      return "unreadable";
  }
}

export const askedOf = ({
  sense,
  level: at,
  asked,
}: Pick<RequirementResult, "sense" | "level" | "asked">): string =>
  `${sense} ${asked ? `${asked} (${level(at, 3)})` : level(at)}`;

/** Of the worst group, which one it is. */
export const groupWords = (group: string | undefined): string => (group === undefined ? "" : ` [${group}]`);

/** What it is on data that was not trained on, and whether it holds there as far as so many examples can tell. */
export function unseenWords(unseen: Unseen | undefined): string {
  if (!unseen) return "";
  const { value, interval, group, verdict, withinChance } = unseen;
  const range = interval ? ` (${interval.map((end) => number(end, 3)).join("–")})` : "";
  return `${number(value, 3)}${range}${groupWords(group)}, ${verdict}${withinChance ? ", within chance" : ""}`;
}

/** Dearest first, by prices that are known: the weight of a count in training is none. Among equals what gave most. */
export function byPrice<R extends ToldResult>(requirements: Readonly<Record<string, R>>): [string, R][] {
  const priceOf = ({ said }: R): number => said.known ?? Number.NEGATIVE_INFINITY;
  return Object.entries(requirements).sort(
    ([, a], [, b]) => inReverse(priceOf(a), priceOf(b)) || inReverse(a.relaxation, b.relaxation),
  );
}

const verdictsInOrder: readonly Verdict[] = [
  ...(["unreadable", "missed", "unknown", "gave", "held", "open", "pending", "met", "watched"] as const),
];

/** What is violated and what gave way before what holds; of each the dearest first. */
export function foremostFirst(
  requirements: Readonly<Record<string, ToldResult>>,
  tolerance = 1e-3,
): [string, ToldResult][] {
  const rank = ([, r]: Told): number =>
    verdictsInOrder.indexOf(verdictOf(r, tolerance)) - (isNear(r, tolerance) ? 0.5 : 0);
  /** Of what holds, or is only watched, the price decides. */
  const missing = ([, r]: Told): number => (rank(["", r]) < verdictsInOrder.indexOf("held") ? gaveBy(r) : 0);
  return byPrice(requirements).sort((a, b) => rank(a) - rank(b) || missing(b) - missing(a));
}

/** Larger first; two that are not known are alike. */
const inReverse = (a: number, b: number): number => (a === b ? 0 : b - a || 0);

type Told = readonly [name: string, result: ToldResult];
type Headline = [subject: string, rest: string];

/** As many names as a sentence bears. */
const mostNamed = 4;

export function listed(names: readonly string[]): string {
  if (names.length > mostNamed)
    return `${names.slice(0, mostNamed - 1).join(", ")} and ${names.length - mostNamed + 1} others`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const namesOf = (all: readonly Told[]): string => listed(all.map(([name]) => name));

export interface HeadlineContext {
  /** Requirements that can hold one by one, and not together. */
  readonly conflict?: readonly string[];
  /** The steps of a run that used them all and did not converge. */
  readonly stopped?: number;
}

/** The whole run in a sentence or two: whom it is about, and the rest. */
export function headline(
  requirements: Readonly<Record<string, ToldResult>>,
  tolerance = 1e-3,
  { conflict = [], stopped }: HeadlineContext = {},
): Headline {
  const all = byPrice(requirements);
  const of = (verdict: Verdict) => all.filter(([, r]) => verdictOf(r, tolerance) === verdict);
  const unreadable = of("unreadable");
  if (unreadable.length > 0)
    return [
      namesOf(unreadable),
      ` cannot be read in the report, so no verdict is given: ${whyNot(unreadable)}.`,
    ];
  if (of("watched").length === all.length)
    return ["Nothing was asked", ": every requirement is free, and only watched."];
  if (conflict.length > 1) {
    const together = conflict.length === 2 ? "both" : "all";
    // A run that still moves shows what it did not reach, not what cannot be reached.
    const moving = all.some(([, r]) => r.unsettled);
    return [
      listed(conflict),
      moving
        ? ` did not ${together} hold, though each did by itself; the run is not certified, so whether they can is not known.`
        : ` cannot ${together} hold here, though each can by itself.`,
    ];
  }
  const violated = of("missed").filter(([, r]) => r.hard);
  if (violated.length > 0) return [namesOf(violated), violatedLine(violated)];
  const missed = [...of("missed"), ...of("unknown")];
  const one = missed.length === 1;
  if (missed.length > 0 && stopped !== undefined)
    return [
      namesOf(missed),
      ` ${one ? "does" : "do"} not hold yet: ${tooEarly(stopped)}, so whether ${one ? "it" : "they"} can is not known.`,
    ];
  if (missed.length > 0)
    return [
      namesOf(missed),
      ` ${one ? "is" : "are"} not met yet, or cannot be: how far ${one ? "it has" : "they have"} to give way is not settled.`,
    ];
  const gave = of("gave").sort(([, a], [, b]) => gaveBy(b) - gaveBy(a));
  if (gave.length > 0) return gaveLine(gave);
  const pending = of("pending");
  if (pending.length > 0)
    return [
      namesOf(pending),
      ` ${pending.length === 1 ? "is" : "are"} decided by the threshold, which is chosen when training is over.`,
    ];
  const open = of("open");
  if (open.length > 0) {
    const why = stopped === undefined ? "nothing is certified" : tooEarly(stopped);
    const rest = `; ${why}, so what they cost is not known.`;
    const near = open.filter(([, r]) => isBeyond(r));
    return near.length === 0
      ? ["Every requirement holds", rest]
      : [namesOf(near), `${nearWords(near)}${rest}`];
  }
  return heldLine(of("held"));
}

function nearWords(near: readonly Told[]): string {
  const [, most] = near.reduce((a, b) => (gaveBy(b[1]) > gaveBy(a[1]) ? b : a));
  const by = `by ${gaveWords(most)}${near.length === 1 ? "" : " at most"}`;
  return ` ${near.length === 1 ? "is beyond its level" : "are beyond their levels"} ${by}, no more than counting and training allow for`;
}

const tooEarly = (steps: number): string =>
  `the run stopped too early, after its ${whole(steps)} steps and before it converged`;

const whyNot = (all: readonly Told[]): string =>
  all.length === 1
    ? `it ${all[0][1].unreadable}`
    : all.map(([name, r]) => `${name} ${r.unreadable}`).join("; ");

function violatedLine(violated: readonly Told[]): string {
  const each = violated
    .slice(0, mostNamed - 1)
    .map(
      ([name, r]) =>
        `asked ${askedOf(r)}, ${violated.length === 1 ? "it" : name} reached ${reachedWords(r)}${r.said.group}`,
    );
  return ` must hold and ${violated.length === 1 ? "does" : "do"} not: ${each.join("; ")}.`;
}

function gaveLine([[name, most], ...others]: readonly Told[]): Headline {
  const next = others[0] && gaveWords(others[0][1]);
  const rest =
    others.length === 0
      ? ""
      : others.length === 1
        ? `, and so did ${others[0][0]}, by ${next}`
        : `, and so did ${others.length} others, by ${next} at most`;
  if (most.examples)
    return [name, ` gave way on ${most.examples.gave} of ${most.examples.all} examples${rest}.`];
  const { group, rows } = most.said;
  return [
    name,
    ` gave way by ${gaveWords(most)}: asked ${askedOf(most)}, it reached ${reachedWords(most)}${group}${rows}${rest}.`,
  ];
}

function heldLine([dearest]: readonly Told[]): Headline {
  if (!dearest) return ["Every requirement is met", " with room to spare."];
  const [name, { said }] = dearest;
  if (said.built) return ["Every requirement held", `; ${name} by construction.`];
  const known = (said.known ?? 0) > 0;
  const price = Number.isFinite(Number(said.price)) ? `, at a price of ${said.price}` : "";
  return ["Every requirement held", known ? `; ${name} was the dearest${price}.` : "."];
}
