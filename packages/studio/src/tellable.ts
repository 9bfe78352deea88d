// A report as the words about it take it: what @pliant/train tells of its own reports is told of what lies in a file, of which nothing is
// known. What is missing is left out; what cannot be read is no requirement.
import type { Insisting, Neighbours, Tellable, TellableReport } from "@pliant/train/words";
import { measuredPrice } from "@pliant/train/words";
import { certificateOf } from "./certificate.js";
import { type Fields, fields, isLevel, isNumber, text, textsOf } from "./fields.js";
import { whyUnreadable } from "./readable.js";

type Status = Tellable["status"];
const statuses: readonly Status[] = ["met", "at its level", "gave way", "violated", "unknown"];
const senses: readonly Tellable["sense"][] = ["at most", "at least", "equal to", "between"];

/** `fallback` is the status of one whose report has none. */
export function tellableOf(report: unknown, fallback: (name: string) => Status): TellableReport {
  const { requirements, judgedOn, alone, byConstruction } = fields(report);
  const certificate = certificateOf(report);
  const tried = Object.entries(fields(alone)).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === "boolean",
  );
  const all = Object.entries(fields(requirements)).flatMap(([name, value]) => {
    const r = tellable(fields(value), () => fallback(name));
    return r ? [[name, r] as const] : [];
  });
  return {
    certificate: { holds: certificate?.holds === true, short: certificate?.reasons ?? [] },
    judgedOn: judgedOn === "validation" ? "validation" : "train",
    requirements: Object.fromEntries(all),
    ...(tried.length > 0 && { alone: Object.fromEntries(tried) }),
    byConstruction: textsOf(byConstruction),
  };
}

/** The loss that a unit of each requirement's level costs, where that is known. A threshold is paid for in wrong decisions instead. */
export function pricesOf(report: unknown): Record<string, number | undefined> {
  const { certificate, requirements } = tellableOf(report, () => "unknown");
  return Object.fromEntries(
    Object.entries(requirements).map(([name, r]) => [
      name,
      r.status === "violated" ? undefined : priceIn(r, certificate.holds),
    ]),
  );
}

function priceIn(r: Tellable, certified: boolean): number | undefined {
  if (r.decidedOn) return r.price === 0 ? 0 : undefined;
  return certified ? measuredPrice(r) : undefined;
}

/** What was asked, as rows are held against it. */
export const askedIn = ({ sense, level, pricedBy, strict, perExample }: Fields) => ({
  sense: senses.find((one) => one === sense) ?? "at most",
  level: isLevel(level) ? level : Number.NaN,
  pricedBy: pricedBy === "strict" ? ("strict" as const) : ("loss" as const),
  ...(isNumber(strict) && { strict }),
  ...(perExample === true && { perExample: true }),
});

/** A level that was kept in single precision, as it was asked for: 0.15, not 0.15000000596046448. */
const asAsked = (x: number): number => (Math.fround(x) === x ? Number(x.toPrecision(7)) : x);

function tellable(r: Fields, fallback: () => Status): Tellable | undefined {
  if (whyUnreadable(r) !== undefined || !isLevel(r.level) || !isNumber(r.price)) return undefined;
  const sense = senses.find((one) => one === r.sense) ?? "at most";
  const [train, validation, folds] = [r.train, r.validation, r.folds].map(seenOn);
  const decidedOn = decidedOnOf(r);
  return {
    // Two sides need two levels.
    sense: sense === "between" && typeof r.level === "number" ? "at most" : sense,
    level: typeof r.level === "number" ? asAsked(r.level) : r.level.map(asAsked),
    reached: isNumber(r.reached) ? r.reached : Number.NaN,
    relaxation: isNumber(r.relaxation) ? r.relaxation : 0,
    price: r.price,
    cost: text(r.cost) ?? "",
    hard: r.hard === true || r.cost === "hard",
    status: statuses.find((one) => one === r.status) ?? fallback(),
    pricedBy: r.pricedBy === "strict" ? "strict" : "loss",
    allowance: isNumber(r.allowance) ? r.allowance : 0,
    ...(isNumber(r.resolution) && r.resolution > 0 && { resolution: r.resolution }),
    ...(isNumber(r.unit) && r.unit > 0 && { unit: r.unit }),
    ...(text(r.of) && { of: text(r.of) }),
    ...(text(r.metric) && { metric: text(r.metric) }),
    ...(text(r.strictly) && { strictly: text(r.strictly) }),
    ...(text(r.relative) && { relative: text(r.relative) }),
    ...(text(r.unmeasured) && { unmeasured: text(r.unmeasured) }),
    ...(r.perExample === true && { perExample: true }),
    ...(r.byConstruction === true && { byConstruction: true }),
    ...(isNumber(r.few) && { few: r.few }),
    ...(text(r.fewIn) && { fewIn: text(r.fewIn) }),
    ...(train && { train }),
    ...(validation && { validation }),
    ...(folds && { folds }),
    ...(decidedOn && { decidedOn }),
    ...insistingOf(r),
    ...neighboursOf(r),
  };
}

const parts = ["train", "validation", "folds"] as const;

/** The rows that a threshold was chosen on, where a decision settles the requirement. */
export const decidedOnOf = ({ decidedOn }: Fields): Tellable["decidedOn"] =>
  parts.find((part) => part === decidedOn);

function seenOn(value: unknown): Tellable["train"] {
  const { strict, surrogate, asked, group } = fields(value);
  const { value: number, examples } = fields(strict);
  if (!isNumber(number)) return undefined;
  const level = fields(asked);
  return {
    strict: { value: number, examples: isNumber(examples) ? examples : 0 },
    surrogate: isNumber(surrogate) ? surrogate : number,
    ...(isNumber(level.surrogate) && {
      asked: { surrogate: level.surrogate, ...(isNumber(level.strict) && { strict: level.strict }) },
    }),
    ...(text(group) && { group: text(group) }),
  };
}

export function insistingOf({ insisting, level: asked }: Fields): { insisting?: Insisting } {
  const {
    level,
    had,
    missed,
    short,
    outOfReach,
    least,
    alone,
    reached,
    costs,
    within,
    others,
    broken,
    pays,
  } = fields(insisting);
  const currency = text(fields(insisting).in);
  if (typeof had !== "boolean" || !isNumber(missed) || !isNumber(reached) || !isNumber(costs)) return {};
  const firm = textsOf(broken);
  return {
    insisting: {
      level: isLevel(level) ? level : isLevel(asked) ? asked : Number.NaN,
      had,
      missed,
      reached,
      costs,
      others: numbersIn(others),
      ...(currency !== undefined && { in: currency, pays: numbersIn(pays) }),
      ...(isNumber(within) && { within }),
      ...(isNumber(short) && { short }),
      ...(outOfReach === true && { outOfReach }),
      ...(isNumber(least) && { least }),
      ...(alone === true && { alone }),
      ...(firm.length > 0 && { broken: firm }),
    },
  };
}

const numbersIn = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(fields(value)).filter((entry): entry is [string, number] => isNumber(entry[1])),
  );

function neighboursOf({ neighbours }: Fields): { neighbours?: Neighbours } {
  const { unit, looser, tighter, relieved, pays } = fields(neighbours);
  const currency = text(fields(neighbours).in);
  const { size, name } = fields(unit);
  if (!isNumber(size) || typeof name !== "string") return {};
  return {
    neighbours: {
      unit: { size, name },
      ...(isNumber(looser) && { looser }),
      ...(isNumber(tighter) && { tighter }),
      ...(relieved !== undefined && { relieved: numbersIn(relieved) }),
      ...(currency !== undefined && { in: currency, pays: sidesOf(pays) }),
    },
  };
}

function sidesOf(pays: unknown): NonNullable<Neighbours["pays"]> {
  const { looser, tighter } = fields(pays);
  return {
    ...(looser !== undefined && { looser: numbersIn(looser) }),
    ...(tighter !== undefined && { tighter: numbersIn(tighter) }),
  };
}
