// The results of requirements, in words for a reader who has not seen the table. Only known facts are stated: prices and relaxations at
// an equilibrium only; a price is a slope, and the cost of insisting was measured by a separate solve.
import { excessOf, type RequirementReport, type Status } from "@pliant/core";
import { amount, beside, figure, large, listed, quoted } from "../format/figure.js";
import { isUnreported, isWithinOne, missedByPart } from "../problem/resolution.js";
import {
  type Insisting,
  type Looser,
  type Neighbours,
  type Unit,
  type Unmet,
  unitOf,
} from "../questions/answers.js";
import { giveWords, insistedByThreshold, paidWords, unmetWords } from "./paid-text.js";

/**
 * A requirement as a sentence tells it, in the units of its level; levels that are not plain numbers bring their own words. The
 * price of what is counted weighs what stands for it, and is no cost of a unit.
 */
export interface RequirementWords
  extends Pick<
    RequirementReport,
    | "sense"
    | "level"
    | "reached"
    | "relaxation"
    | "price"
    | "status"
    | "pricedBy"
    | "allowance"
    | "resolution"
    | "unit"
  > {
  /** Instead of the level. */
  readonly asked?: string;
  /** The unit for which a price is quoted; default: a part of the level. */
  readonly quoted?: Unit;
  /** For the worst of several groups: which it is. */
  readonly group?: string;
  /** For a requirement on every example: how many there are, and how many gave way. */
  readonly examples?: { readonly all: number; readonly gave: number };
  /** For what decisions decide: the rows that chose the threshold. */
  readonly decidedOn?: "train" | "validation" | "folds";
  readonly neighbours?: Neighbours;
  readonly insisting?: Insisting;
  /** For a violated hard rate: why no threshold meets it. */
  readonly unmet?: Unmet;
  /** Why what it costs was not measured, where it was not. */
  readonly unmeasured?: string;
}

/** The input of sentences about a run: its requirements and whether it is certified. */
export interface Judgement {
  readonly requirements: Readonly<Record<string, RequirementWords>>;
  readonly certificate: { readonly holds: boolean; readonly short: readonly string[] };
  /** Those that must hold and pull against each other, where one is violated. */
  readonly opposed?: readonly string[];
  /** Whether each of these was met without the others, if tried. */
  readonly alone?: Readonly<Record<string, boolean>>;
}

/** Whether what must hold can, one by one, and not together. */
const inConflict = ({ opposed = [], alone = {} }: Judgement): boolean =>
  opposed.length > 1 && opposed.every((name) => alone[name]);

const rounded = (x: number): string => String(Number(x.toPrecision(1)));

/** A number in the units of the level. */
const fixedFor =
  ({ unit }: RequirementWords) =>
  (x: number): string =>
    figure(x, unit);

/** As it was asked: no digit of it is left out. */
const levelWords = (r: RequirementWords): string =>
  r.asked ??
  [r.level]
    .flat()
    .map((level) => {
      const shown = fixedFor(r)(level);
      return Number(shown.replaceAll(",", "")) === level ? shown : large(level);
    })
    .join(" and ");

/** With enough digits to differ from the level, and its group. */
const reachedWords = (r: RequirementWords): string => {
  const level = r.sense === "at least" ? r.reached + excessOf(r) : r.reached - excessOf(r);
  return `${beside(r.reached, level, fixedFor(r)(r.reached), r.unit)}${r.group === undefined ? "" : ` [${r.group}]`}`;
};

/** Without a certificate, of all that may give way: once, not of each. */
const costsUnknown = "Relaxations and prices are unknown.";

/** The first line, for a reader of nothing else. */
export function headline(judgement: Judgement, rows = ""): string {
  const { requirements, certificate, opposed = [] } = judgement;
  const all = Object.entries(requirements);
  const of = (status: Status) => all.filter(([, r]) => r.status === status);
  const violated = of("violated").map(
    ([name, r]) => `${quoted(name)} must be ${r.sense} ${levelWords(r)} and is ${reachedWords(r)}`,
  );
  if (inConflict(judgement)) {
    const reached = opposed.map((name) => {
      const r = requirements[name];
      return `${quoted(name)} ${reachedWords(r)} (must be ${r.sense} ${levelWords(r)})`;
    });
    const both = opposed.length === 2 ? "both" : "all";
    return `Violated: ${listed(opposed.map(quoted))} conflict. Each can be met alone, but not ${both} together. The best found together is ${listed(reached)}.`;
  }
  if (violated.length > 0)
    return `Violated: ${violated.join("; ")}.${certificate.holds ? "" : ` The run is also not certified: ${certificate.short.join("; ")}. ${costsUnknown}`}`;
  if (!certificate.holds)
    return `Not certified: ${certificate.short.join("; ") || "the steps ended before convergence"}. ${costsUnknown}`;
  const gave = of("gave way").map(
    ([name, r], i) =>
      `${quoted(name)} ${i === 0 ? "gave way " : ""}${r.examples ? `on ${r.examples.gave} of ${r.examples.all} examples` : `by ${fixedFor(r)(gaveBy(r))}`}`,
  );
  const unreported = all.flatMap(([name, r]) => (isUnreported(r) ? [name] : []));
  const held = all.filter(([, r]) => r.status !== "gave way" && !isUnreported(r)).map(([, r]) => r);
  // Among several with their own units, the one farthest away in its unit.
  const farthest = held.reduce(
    (a, b) => (excessOf(b) / (b.unit ?? 1) > excessOf(a) / (a.unit ?? 1) ? b : a),
    held[0],
  );
  const off = farthest && fixedFor(farthest)(excessOf(farthest));
  const over =
    farthest === undefined || excessOf(farthest) <= 0 || Number(off) === 0
      ? ""
      : missedByPart(farthest) > 0 && isWithinOne(farthest)
        ? ` to within one example (${off} at most)`
        : ` to within ${off}`;
  const who =
    gave.length + unreported.length > 0
      ? `the other ${held.length === 1 ? "requirement" : `${held.length} requirements`}`
      : held.length === 1
        ? "the requirement"
        : held.length === 2
          ? "both requirements"
          : `all ${held.length} requirements`;
  const holds = `${who} ${held.length === 1 ? "holds" : "hold"}${over}`;
  const unknown =
    unreported.length === 0
      ? ""
      : `there are too few examples to tell whether ${listed(unreported.map(quoted))} ${unreported.length === 1 ? "holds" : "hold"}`;
  const [first, ...others] = [listed(gave), unknown, held.length > 0 ? holds : ""].filter(
    (text) => text !== "",
  );
  const opening = rows === "" ? capitalised(first) : `On ${rows}, ${first}`;
  return `Certified. ${[opening, ...others.map(capitalised)].join(". ")}.`;
}

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A sentence a requirement, after its name. */
export const sentences = (judgement: Judgement): string[] =>
  sentencesByName(judgement).map(([name, sentence]) => `${name}: ${sentence}`);

/** What is violated first, then what gave way, then what costs. */
export function sentencesByName(judgement: Judgement): [name: string, sentence: string][] {
  const { requirements, certificate, opposed = [] } = judgement;
  const against = (name: string): string | undefined =>
    inConflict(judgement) && opposed.includes(name)
      ? listed(opposed.filter((other) => other !== name).map(quoted))
      : undefined;
  const order: readonly Status[] = ["violated", "gave way", "unknown", "at its level", "met"];
  return Object.entries(requirements)
    .sort(
      ([, a], [, b]) =>
        order.indexOf(a.status) - order.indexOf(b.status) || b.relaxation - a.relaxation || b.price - a.price,
    )
    .map(([name, r]) => [
      name,
      sentence(r, certificate.holds || r.decidedOn !== undefined, remedyOf(name, judgement, against(name))),
    ]);
}

/** By what is reached beyond the level; the relaxation is that to within a tolerance, and of every example the sum. Nothing where it did not. */
export const gaveBy = (r: RequirementWords): number =>
  r.status !== "gave way" ? 0 : r.examples ? r.relaxation : excessOf(r);

/** The remedy for a violated requirement. */
function remedyOf(name: string, judgement: Judgement, against?: string): string {
  const { certificate, alone } = judgement;
  if (against)
    return `It can be met alone, but not together with ${against}. Loosen one of them, or let one give way.`;
  if (alone?.[name] === false)
    return "It was not met alone either. Try another model, more steps, or a looser level.";
  const r = judgement.requirements[name];
  if (r?.decidedOn !== undefined) return `${unmetWords(r.unmet)}. Try another model, or a looser level.`;
  const why = certificate.holds
    ? "It cannot be met here"
    : "The steps ended before it was met, or it cannot be met";
  return `${why}. Try another model, more steps, or a looser level.`;
}

function sentence(r: RequirementWords, certified: boolean, remedy: string): string {
  const fixed = fixedFor(r);
  const excess = excessOf(r);
  const misses = excess > r.allowance;
  const resolution =
    r.resolution === undefined ? `of ${fixed(r.allowance)}` : `(one example is ${fixed(r.resolution)})`;
  const everywhere = r.examples ? " of every example" : "";
  const asked = `(asked ${r.sense} ${levelWords(r)}${everywhere}, ${r.examples ? "at worst" : "reached"} ${reachedWords(r)})`;
  if (r.status === "violated")
    return `violated by ${fixed(excess)}: it must be ${r.sense} ${levelWords(r)}${everywhere} and is ${reachedWords(r)}. ${remedy}`;
  if (!certified) {
    if (misses) return `misses its level by ${fixed(excess)} ${asked}. The run is not certified.`;
    const near = r.resolution !== undefined && !isWithinOne(r);
    const how =
      excess <= 0
        ? "holds"
        : near
          ? `misses its level by ${fixed(excess)}, ${withinBoth(r)}`
          : `is within its resolution ${resolution}`;
    return `${how} ${asked}. The run is not certified.`;
  }
  if (r.status === "gave way") {
    if (r.examples)
      return `gave way on ${r.examples.gave} of ${r.examples.all} examples, by ${fixed(r.relaxation)} in all ${asked}.${r.unmeasured ? ` The cost of insisting was not measured${because(r)}.` : ""}`;
    return `gave way by ${fixed(gaveBy(r))} ${asked}.${slope(r)} ${insistingWords(r)}`;
  }
  if (r.status === "unknown") return `its cost is unknown ${asked}.`;
  if (isUnreported(r)) return `${unreportedWords(r)} ${asked}.${trainedWords(r)}`;
  const close = excess > 0 && !misses ? `, within its resolution ${resolution}` : "";
  if (r.decidedOn !== undefined && r.status === "at its level" && r.price === 0)
    return `met at no cost ${asked}.`;
  if (r.status === "at its level" && r.price === 0 && -excess >= 5e-4 * (r.unit ?? 1))
    return `met, by less than its resolution ${resolution} ${asked}. ${unpriced}.`;
  if (missedByPart(r) > 0)
    return `counts as at its level ${asked}. It misses it by ${fixed(excess)}, ${isWithinOne(r) ? `no more than one example (${fixed(r.resolution!)})` : withinBoth(r)}. ${costWords(r)}.`;
  if (r.status === "at its level") return `at its level${close} ${asked}. ${costWords(r)}.`;
  const spare = -excess > r.allowance && -excess >= 5e-4 * (r.unit ?? 1);
  const met = `met${spare ? ` with ${fixed(-excess)} to spare` : close}`;
  // Levels of decisions come in steps, so one that holds with something to spare may have a cost.
  return r.price > 0 && r.neighbours
    ? `${met} ${asked}. ${costWords(r)}.`
    : `${met}${spare || close ? "," : ""} at no cost ${asked}.`;
}

/** For a count that is trained: a miss of more than one example, within the tolerance of training. */
const withinBoth = (r: RequirementWords): string =>
  `within ${fixedFor(r)(r.allowance)}, the sum of one example (${fixedFor(r)(r.resolution!)}) and the tolerance of training`;

const unreportedWords = (r: RequirementWords): string =>
  `too few examples to tell whether it holds: one example is ${fixedFor(r)(r.resolution!)} of it`;

/** What training did about a requirement on so few examples, which all others feel. */
function trainedWords(r: RequirementWords): string {
  if (r.price === 0) return "";
  const gave = r.relaxation > 0 ? `gave way by ${fixedFor(r)(r.relaxation)}` : "was held";
  return ` In training it ${gave} at a price of ${amount(r.price)}, which changes the model for all rows.`;
}

export const quotedFor = ({ quoted, level }: RequirementWords): Unit =>
  quoted ?? unitOf("other", [level].flat()[0]);

/** At its level without a price: the certificate says that no price holds it there. */
const unpriced = "It costs nothing: the model would be there without it";

/** The slope at what it gave; where a price is one. */
function slope(r: RequirementWords): string {
  const { pricedBy, price } = r;
  const unit = quotedFor(r);
  // An infeasible requirement has no slope of the loss: its price is the slope of its cost.
  if (pricedBy === "strict" || r.insisting?.outOfReach) return "";
  return ` Loosening it by ${unit.name} would lower the total (loss plus cost of giving way) by ${amount(price * unit.size)}.`;
}

function costWords(r: RequirementWords): string {
  const { pricedBy, price, neighbours } = r;
  const unit = quotedFor(r);
  if (price === 0) return unpriced;
  if (neighbours) return neighbours.in === undefined ? lossWords(neighbours) : paidWords(neighbours);
  if (pricedBy === "loss")
    return `Loosening it slightly would lower the loss at a rate of ${amount(price * unit.size)} per ${unit.name.replace(/^one /, "")}`;
  return `Its cost was not measured${because(r)}`;
}

/** Measured by solving again at neighbouring levels, where others may give way more or less in its place. */
function lossWords({ looser, tighter, unit, relieved }: Neighbours): string {
  const total = relieved ? "total (loss plus cost of giving way)" : "loss";
  const less = Object.entries(relieved ?? {}).map(
    ([name, by], i) => `${quoted(name)} ${i === 0 ? "give way " : ""}by ${figure(by, 0)} less`,
  );
  const change = (verb: string, x: number): string =>
    isSeen(x) ? `${verb} the ${total} by ${amount(x)}` : "leave the loss unchanged";
  const gains = [
    ...(looser === undefined ? [] : [change("lower", looser)]),
    ...(less.length > 0 ? [`let ${listed(less)}`] : []),
  ];
  return [
    ...(gains.length > 0 ? [`Loosening it by ${unit.name} would ${gains.join(" and ")}`] : []),
    ...(tighter === undefined ? [] : [`Tightening it by ${unit.name} would ${change("raise", tighter)}`]),
  ].join(". ");
}

const because = ({ unmeasured }: Pick<RequirementWords, "unmeasured">): string =>
  unmeasured ? `: ${unmeasured}` : "";

/** Below what a solve can tell, nothing. */
const isSeen = (x: number): boolean => x >= 5e-6;
/** So much less loss, in words. */
export const saved = (x: number): string => (isSeen(x) ? `${amount(x)} of loss` : "nothing measurable");

/** The cost of insisting, in a sentence. */
export function insistingWords(r: RequirementWords): string {
  const { insisting, pricedBy, price, relaxation, asked } = r;
  if (!insisting)
    return pricedBy === "loss"
      ? `Insisting would cost at least ${amount(price * relaxation)} of loss if the problem is convex and the level can be met; this was not measured${because(r)}.`
      : `The cost of insisting was not measured${because(r)}.`;
  return insistedWords(insisting, asked !== undefined);
}

/** For a relative level, \`reached\` is a difference, which means nothing to a reader. */
export function insistedWords(insisting: Insisting, relative = false): string {
  if (insisting.in !== undefined) return insistedByThreshold(insisting, relative);
  if (insisting.least !== undefined)
    return `It cannot be met: the lowest value that this model can reach is ${figure(insisting.least, 0)}.`;
  if (insisting.alone)
    return `Training for it alone did not meet it either, and reached ${figure(insisting.reached, 0)}. Try another model, more steps, or another level.`;
  const { had, missed, short, outOfReach, costs, within, others, reached, broken = [], looser } = insisting;
  const give = giveWords(others, broken);
  if (missed > 0) {
    const ended = relative ? `it still misses by ${figure(missed, 0)}` : `it reached ${figure(reached, 0)}`;
    const known = outOfReach
      ? "It is likely infeasible: it hardly moved while its price doubled"
      : "Whether it can be met is unknown";
    return `Insisting did not meet it: ${ended}${give.length > 0 ? `, and would ${listed(give)}` : ""}. ${known}.`;
  }
  if (broken.length > 0)
    return `Insisting would ${listed(give)}. No model was found that satisfies them together.`;
  if (!had) return "Insisting met it but did not converge, so its cost is unknown.";
  const seen = isSeen(costs) || costs < -5e-6;
  const near =
    short === undefined
      ? []
      : [
          `where it is ${figure(short, 0)} from the level, which counts as met; meeting it exactly may cost slightly more`,
        ];
  const about = within === undefined || !isSeen(costs) ? [] : [`± ${rounded(within)}`];
  const notes = [...about, ...near];
  const how = notes.length > 0 ? ` (${notes.join(", ")})` : "";
  if (looser?.thanReached) return looserWords(looser, costs, others, how);
  const still = looser ? ` This level is looser than the run's (${looser.than}).` : "";
  // Giving way was an option before too, so a lower loss is paid for by what gives way in its place.
  if (costs < -5e-6 && give.length > 0)
    return `Insisting would lower the loss by ${amount(-costs)}, but only because it would ${listed(give)}${how}.${still}`;
  if (within !== undefined && costs < -Math.max(5e-6, within))
    return `Insisting lowered the loss by ${amount(-costs)} ± ${rounded(within)}, so the run had not reached its minimum.${still}`;
  const cost = seen && costs > 0 ? `raise the loss by ${amount(costs)}` : "cost nothing measurable";
  return `Insisting would ${cost}${give.length > 0 ? ` and ${listed(give)}` : ""}${how}.${still}`;
}

/** The loss may be higher at a looser level too, because others then give way less. */
function looserWords(
  { than, relieved }: Looser,
  costs: number,
  others: Insisting["others"],
  how: string,
): string {
  const loss =
    Math.abs(costs) < 5e-6
      ? "the loss does not change measurably"
      : `the loss is ${amount(Math.abs(costs))} ${costs < 0 ? "lower" : "higher"}`;
  const moves = [
    ...Object.entries(relieved).map(([name, less]) => `${quoted(name)} gives way by ${figure(less, 0)} less`),
    ...Object.entries(others).map(([name, more]) => `${quoted(name)} gives way by ${figure(more, 0)} more`),
  ];
  const rest = moves.length > 0 ? moves : ["no other requirement gives way less or more"];
  return `This level is looser than the run's (${than}): ${listed([loss, ...rest])}${how}.`;
}
