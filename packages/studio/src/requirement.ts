// One requirement's numbers read as a person does: is it met, by how much is it missed.
import { beyondLevel, isTrained, verdictBy } from "@pliant/train/words";
import type { Measure, RequirementResult, Unseen } from "./api.js";
import { certificateOf } from "./certificate.js";
import { type Fields, fields, isLevel, isNumber, text } from "./fields.js";
import { whyUnreadable } from "./readable.js";
import { askedIn, decidedOnOf, insistingOf } from "./tellable.js";

/** More requirements than this are shown all at once; there are not more colours that people tell apart. */
export const few = 8;

type Levels = RequirementResult["level"];

/** By how much a value misses the level asked for: negative where it holds. (Here, so that pages need not load the core.) */
export function excessOf({
  sense,
  level,
  reached,
}: Pick<RequirementResult, "sense" | "level" | "reached">): number {
  const levels = typeof level === "number" ? [level] : level;
  if (sense === "equal to") return Math.min(...levels.map((at) => Math.abs(reached - at)));
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  // Of elements with levels of their own, the loosest is all that one number can be held against.
  if (sense === "between") return Math.max(low - reached, reached - high);
  return sense === "at least" ? low - reached : reached - high;
}

/** What must hold and does not, in the report's own word or by its numbers. */
export const isViolated = (r: RequirementResult): boolean =>
  r.status === undefined
    ? r.hard && !r.examples && excessOf(r) > Math.max(1e-3, r.allowance ?? 0)
    : r.status === "violated";

/** By how much what its price follows misses its level: the surrogate, where there is one and the report does not say otherwise. */
export const slackOf = (r: RequirementResult): number =>
  excessOf(r.strictlyPriced ? r : { ...r, ...r.surrogate });

export function measureOf(value: unknown): Measure | undefined {
  const { value: number, interval } = fields(value);
  if (!isNumber(number)) return undefined;
  return Array.isArray(interval) && interval.length === 2 && interval.every(isNumber)
    ? { value: number, interval: interval as [number, number] }
    : { value: number };
}

/**
 * The requirements of a report or a line of metrics, by name and nothing else (a name may be one that every object has). One that
 * cannot be read is among them, and says so.
 */
export function requirementsOf(report: unknown): Record<string, RequirementResult> {
  const found: Record<string, RequirementResult> = Object.create(null);
  const rows = text(fields(report).judgedOn) ?? "train";
  const certificate = certificateOf(report);
  for (const [name, value] of Object.entries(fields(fields(report).requirements))) {
    const r = fields(value);
    const unreadable = whyUnreadable(value);
    if (unreadable !== undefined) {
      found[name] = { ...noNumbers(r), unreadable };
      continue;
    }
    const decidedOn = decidedOnOf(r);
    // A threshold is counted on held-out rows, whether or not the scores are at an equilibrium.
    const unsettled = certificate?.holds !== true && (decidedOn === undefined || r.unsettled === true);
    found[name] = {
      sense: text(r.sense) ?? "at most",
      level: r.level as Levels,
      reached: r.reached as number,
      relaxation: r.relaxation as number,
      price: r.price as number,
      cost: text(r.cost) ?? "",
      hard: isHard(r),
      ...(r.pricedBy === "strict" && { strictlyPriced: true }),
      ...(text(r.status) && { status: text(r.status) }),
      ...(unsettled && { unsettled }),
      ...(decidedOn && { decidedOn }),
      ...(text(r.strictly) && !isOfLoss(r) && { strictly: text(r.strictly) }),
      ...(text(r.relative) && { asked: text(r.relative) }),
      ...allowanceOf(r),
      ...(r.perExample === true
        ? onExamples(r)
        : strictly(r, fields(r[decidedOn ?? (isCountedOn(rows, r) ? rows : "train")]))),
      ...unseen(r, "test"),
      ...(isCountedOn("validation", r) || decidedOn === "validation" ? {} : unseen(r, "validation")),
      ...errorsOf(r),
      ...insistingOf(r),
    };
  }
  return found;
}

function errorsOf(r: Fields): Pick<RequirementResult, "errors"> {
  const { price, relaxation, reached } = fields(r.errors);
  const errors = {
    ...(isNumber(price) && { price }),
    ...(isNumber(relaxation) && { relaxation }),
    ...(isNumber(reached) && { reached }),
  };
  return Object.keys(errors).length > 0 ? { errors } : {};
}

const isHard = (r: Fields): boolean => r.hard === true || r.cost === "hard";

const noNumbers = (r: Fields): RequirementResult => ({
  sense: text(r.sense) ?? "at most",
  level: isLevel(r.level) ? r.level : Number.NaN,
  reached: Number.NaN,
  relaxation: Number.NaN,
  price: Number.NaN,
  cost: text(r.cost) ?? "",
  hard: isHard(r),
});

/** Whether the level is one of the loss, and what is counted another quantity: how steeply it goes wrong, and how often it does. */
const isOfLoss = (r: Fields): boolean => r.pricedBy === "loss" && isNumber(r.strict);

/** What is trained is held to the rows learnt from, and so is what is counted where others are too few. */
const isCountedOn = (rows: string, r: Fields): boolean =>
  rows === "train" || (r.pricedBy !== "loss" && !isNumber(r.few));

/** The strict metric takes the place of the loss, where it is what the level is about. A relative level is solved for as a difference; a reader knows the quantity itself. */
function strictly(r: Fields, judged: Fields): Partial<RequirementResult> {
  const asked = fields(judged.asked);
  const value = measureOf(judged.strict)?.value;
  const level = isLevel(asked.strict) ? asked.strict : (r.level as Levels);
  const reached = value !== undefined && (!text(r.relative) || isLevel(asked.strict)) ? value : r.strict;
  const loss = isNumber(judged.surrogate) ? judged.surrogate : isNumber(r.loss) ? r.loss : r.reached;
  if (!isNumber(reached)) return {};
  if (isOfLoss(r)) {
    const test = measureOf(fields(r.test).strict)?.value;
    return {
      level: isLevel(asked.surrogate) ? asked.surrogate : (r.level as Levels),
      ...(isNumber(loss) && { reached: loss }),
      beside: { what: text(r.strictly) ?? "strictly", reached, ...(test !== undefined && { test }) },
    };
  }
  // What is trained as it is counted has nothing that stands in for it.
  const own = r.pricedBy === "loss" && isTrained(askedIn(r));
  return {
    level,
    reached,
    ...(isNumber(loss) &&
      !own && {
        surrogate: { reached: loss, level: isLevel(asked.surrogate) ? asked.surrogate : (r.level as Levels) },
      }),
  };
}

/** Where it is not told: one step of what is counted. */
function allowanceOf({ allowance, train, perExample }: Fields): Partial<RequirementResult> {
  if (isNumber(allowance)) return { allowance };
  const { examples } = fields(fields(train).strict);
  return perExample !== true && isNumber(examples) && examples > 0 ? { allowance: 1 / examples } : {};
}

function onExamples({ train }: Fields): Partial<RequirementResult> {
  const { value, examples } = fields(fields(train).strict);
  if (!isNumber(value) || !isNumber(examples)) return {};
  return { examples: { all: examples, gave: Math.round(value * examples) } };
}

function unseen<On extends "test" | "validation">(r: Fields, on: On): { [on in On]?: Unseen } {
  const { strict: counted, surrogate, asked: askedThere, group: name } = fields(r[on]);
  const measure = isOfLoss(r) ? measureOf({ value: surrogate }) : measureOf(counted);
  if (!measure) return {};
  const { strict } = fields(askedThere);
  const asked = isNumber(strict) ? { strict } : {};
  const beyond = isOfLoss(r) ? undefined : beyondLevel(askedIn(r), { strict: measure, asked });
  const group = text(name);
  const found: Unseen = {
    ...measure,
    verdict: verdictBy(beyond),
    ...(beyond && { beyond: beyond.value }),
    ...(beyond && beyond.value <= 0 && beyond.high > 0 && { withinChance: true }),
    ...(group && { group }),
  };
  return { [on]: found } as { [on in On]?: Unseen };
}
