// A requirement of a report in the units that a reader knows, and its price. Pages tell of runs by this too: nothing here, nor in what
// it takes from others, needs Node.
import type { Outcome } from "../evaluate/evaluate.js";
import { amount, beside, figure } from "../format/figure.js";
import { short } from "../format/table.js";
import { isUnreported, isWithinOne, missedByPart } from "../problem/resolution.js";
import { unitOf } from "../questions/answers.js";
import { currencyWords } from "./paid-text.js";
import type { TrainReport, TrainRequirement } from "./report.js";
import { gaveBy, quotedFor, type RequirementWords } from "./sentences.js";

type Rows = TrainReport["judgedOn"] | "folds";

/** What of a requirement's report is needed to tell of it. */
export interface Tellable
  extends Pick<
      TrainRequirement,
      | "cost"
      | "hard"
      | "relative"
      | "perExample"
      | "few"
      | "fewIn"
      | "byConstruction"
      | "decidedOn"
      | "insisting"
      | "neighbours"
      | "unmeasured"
      | "isShare"
    >,
    Omit<RequirementWords, "asked" | "quoted" | "examples"> {
  /** The requirement of the spec that it is of. */
  readonly of?: string;
  readonly metric?: string;
  /** The name of the strict metric. */
  readonly strictly?: string;
  readonly train?: SeenOn;
  readonly folds?: SeenOn;
  readonly validation?: SeenOn;
}

type SeenOn = Pick<Outcome, "surrogate" | "asked" | "group"> & {
  readonly strict: Pick<Outcome["strict"], "value" | "examples">;
};

/** Relaxations and prices are known where the certificate holds. */
export interface Known {
  readonly certificate: { readonly holds: boolean };
  readonly judgedOn: Rows;
}

/** The rows that evaluate a requirement: training rows for trained metrics, and for counts if other rows are too few. */
export const heldTo = (
  { pricedBy, few, decidedOn }: Pick<Tellable, "pricedBy" | "few" | "decidedOn">,
  judgedOn: Rows,
): Rows => decidedOn ?? (pricedBy === "strict" && few === undefined ? judgedOn : "train");

/** A requirement in the units of its metric: the solver saw a difference from the overall one, or of two sides the worse. */
export function told(r: Tellable, judgedOn: Rows): RequirementWords {
  const counted = r.pricedBy === "strict";
  const outcome = r[heldTo(r, judgedOn)];
  const rate = counted && r.isShare !== false;
  const own: RequirementWords = {
    ...r,
    quoted: unitOf(rate ? "rate" : "other", [r.level].flat()[0]),
    ...(outcome?.group !== undefined && { group: outcome.group }),
  };
  if (!outcome) return own;
  if (r.perExample) {
    const { value, examples } = outcome.strict;
    return { ...own, examples: { all: examples, gave: Math.round(value * examples) } };
  }
  const reached = counted ? outcome.strict.value : outcome.surrogate;
  if (r.sense === "between") return { ...own, ...nearerSide(r.level as readonly number[], reached) };
  const level = counted ? outcome.asked?.strict : outcome.asked?.surrogate;
  if (r.relative === undefined || level === undefined) return own;
  return { ...own, level, reached, asked: `${r.relative} (${figure(level, r.unit)})` };
}

/** The side of the two that a value misses, or else is nearer to. */
function nearerSide([low, high]: readonly number[], reached: number): Partial<RequirementWords> {
  return low - reached > reached - high
    ? { reached, sense: "at least", level: low, asked: `${low} and at most ${high}` }
    : { reached, sense: "at most", level: high, asked: `${high} and at least ${low}` };
}

/** Amounts in units of their own are as sentences have them. */
const amountOf = (x: number, { unit }: Tellable): string => (unit === undefined ? short(x) : figure(x, unit));

/** With enough digits to differ from the level. */
export function reachedOf({ judgedOn }: Pick<Known, "judgedOn">, r: Tellable): string {
  const { reached, level } = told(r, judgedOn);
  const shown = amountOf(reached, r);
  return typeof level === "number" ? beside(reached, level, shown, r.unit) : shown;
}

/** Relaxations are known at an equilibrium only; a violated hard requirement has not given way. */
export function gaveOf({ certificate, judgedOn }: Known, r: Tellable): string {
  if (r.status === "violated") return "violated";
  // Nothing was asked, so nothing gave way.
  if (r.cost === "free") return "not enforced";
  if (!certificate.holds && !r.decidedOn) return "?";
  const own = told(r, judgedOn);
  if (isUnreported(own)) return "?";
  if (missedByPart(own) > 0) return isWithinOne(own) ? "≤ 1 example" : `≤ ${amountOf(r.allowance, r)}`;
  const gave = gaveBy(own);
  return gave === 0 ? "0" : amountOf(gave, r);
}

/** For a unit of the level: the slope of what is trained, or what was measured of what is counted. The price of a violated level is unknown. */
export function priceOf({ certificate, judgedOn }: Known, r: Tellable): string {
  if (r.status === "violated") return "?";
  if (!certificate.holds && !r.decidedOn) return "?";
  if (r.decidedOn) return paidOf(r, judgedOn);
  if (r.insisting?.least !== undefined) return "cannot be met";
  if (r.insisting?.alone) return "not met alone";
  const price = measuredPrice(r);
  if (price === undefined) return unmeasured;
  const sides = sidesOf(r);
  if ((price === 0 && !sides) || r.unit === undefined) return sides ? sidesWords(sides) : short(price);
  // A dollar is next to nothing beside a level of thousands.
  const { size, name } = quotedFor(told(r, judgedOn));
  return `${sides ? sidesWords(sides, size) : short(price * size)} per ${name.replace(/^one /, "")}`;
}

/** The change if a requirement that gave way is made hard. */
const ifHard = (change: string): string => `${change}${hardEnding}`;
export const hardEnding = " if hard";

/** For decisions, in the unit in which they are paid; 0 if the threshold would be there without the requirement. */
function paidOf(r: Tellable, judgedOn: Rows): string {
  const { neighbours, insisting } = r;
  if (insisting?.missed) return "out of reach";
  if (r.status === "violated") return "?";
  if (insisting)
    return insisting.costs < 0
      ? ifHard("others would give way")
      : ifHard(`+${amount(insisting.costs)} ${currencyWords(insisting.in!)}`);
  const tighter = neighbours?.tighter ?? neighbours?.looser;
  if (!neighbours || tighter === undefined || Math.abs(tighter) < 5e-6)
    return r.cost === "free" ? unmeasured : "0";
  const { name } = quotedFor({ ...told(r, judgedOn), quoted: neighbours.unit });
  return `${amount(tighter)} ${currencyWords(neighbours.in!)} per ${name.replace(/^one /, "")}`;
}

/** What was measured on either side, per unit of the level, where that is not the same: a mean of the two is a price on neither. */
function sidesOf({ pricedBy, price, neighbours }: Tellable): Sides | undefined {
  if (pricedBy === "loss" || price === 0 || !neighbours) return undefined;
  const { looser, tighter, unit } = neighbours;
  const [a, b] = [looser, tighter].map((x) => (x === undefined ? undefined : Math.max(0, x) / unit.size));
  if (a !== undefined && b !== undefined && Math.abs(a - b) <= 0.1 * Math.max(a, b)) return undefined;
  return { looser: a, tighter: b };
}

type Sides = Readonly<Record<"looser" | "tighter", number | undefined>>;

const sidesWords = (sides: Sides, size = 1): string =>
  (["looser", "tighter"] as const)
    .flatMap((side) => (sides[side] === undefined ? [] : `${short(sides[side] * size)} ${side}`))
    .join(", ");

/** As a number, where it is one. */
export function measuredPrice({
  pricedBy,
  price,
  neighbours,
  byConstruction,
}: Pick<Tellable, "pricedBy" | "price" | "neighbours" | "byConstruction">): number | undefined {
  if (byConstruction) return undefined;
  if (pricedBy === "loss" || price === 0) return price;
  const { looser, tighter } = neighbours ?? {};
  const found = [looser, tighter].filter((x) => x !== undefined);
  if (found.length === 0) return undefined;
  // A gain on one side does not hide a loss on the other.
  return found.reduce((sum, x) => sum + Math.max(0, x), 0) / found.length / neighbours!.unit.size;
}

/** Where a price would stand, and why none does. */
export const unmeasured = "–";
/** Why a requirement that is counted has no price. */
export const noSlope = "a count has no slope, so it has no price";
/** Why one that cannot but hold has no price. */
export const noPrice = "holds by construction, so it has no price; its cost was not measured";
