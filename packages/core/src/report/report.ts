// The answer in the user's words: what each requirement asked, what was reached, how far it gave way and at what price.
import type { NdArray } from "@pliant/engine";
import { type Certificate, type Errors, residualOf } from "../certificate/certificate.js";
import { unravel, type Vector } from "../certificate/vectors.js";
import type { Arrangement } from "../layout/constraint-layout.js";
import type { Asked, Problem, Sense } from "../problem/problem.js";
import type { Inspected, Inspection } from "./inspection.js";
import { inColumns } from "./text-table.js";

/**
 * What became of a requirement. Within its tolerance and resolution of its level it is "at its level", on the right side of it "met".
 * One that must not bend and does not hold is "violated". One that may bend "gave way" if the certificate holds; if not, how far it
 * has to is "unknown".
 */
export type Status = "met" | "at its level" | "gave way" | "violated" | "unknown";

/** One element of a requirement that has several. */
export interface ElementReport {
  readonly level: number | readonly number[];
  readonly reached: number;
  readonly relaxation: number;
  readonly price: number;
}

/**
 * One requirement's part of a report; levels, reached values and relaxations in its own units, the price in units of the
 * objective per unit of it.
 */
export interface RequirementReport {
  readonly sense: Sense;
  /** As asked, or as it was in these terms. */
  readonly level: number | readonly number[];
  /** Where elements have levels of their own: that of the one which is reported as reached. */
  readonly worstLevel?: number;
  readonly status: Status;
  /** The level reached by what prices follow: the loss, or the strict metric. Of several elements, that of the worst. */
  readonly reached: number;
  readonly pricedBy: "loss" | "strict";
  /** The level reached by the loss: what the parameters follow. */
  readonly loss: number;
  /** The strict metric, where there is one. */
  readonly strict?: number;
  /** How far it had to give way; of several elements, the sum. */
  readonly relaxation: number;
  /**
   * The slope of the objective at the equilibrium: what a little less relaxation would cost, per unit; of several elements the sum, as
   * the levels of all move together. Known where certified.
   */
  readonly price: number;
  readonly cost: string;
  /** Must not bend. */
  readonly hard: boolean;
  /** What counts as much of it, for tolerances. */
  readonly scale: number;
  /** What its cost counts it in, where that is not 1. */
  readonly unit?: number;
  /** How far from its level still counts as at it: the tolerance of its size, and one step of what is counted. */
  readonly allowance: number;
  /** Of what is counted: by how much one example moves it. Part of the allowance. */
  readonly resolution?: number;
  /** Error estimates of the numbers above, in their units; a price that is known only together with others, or by counts, has none. */
  readonly errors?: { readonly price?: number; readonly relaxation: number; readonly reached: number };
  /** Of a requirement with several elements, each; none where there are very many. */
  readonly elements?: readonly ElementReport[];
}

/** By how much a level is missed: negative where it is met. */
export function excessOf({
  sense,
  level: stated,
  worstLevel,
  reached,
}: Pick<RequirementReport, "sense" | "level" | "worstLevel" | "reached">): number {
  const level = worstLevel ?? stated;
  if (typeof level !== "number") return Math.max(level[0] - reached, reached - level[1]);
  if (sense === "equal to") return Math.abs(reached - level);
  return sense === "at least" ? level - reached : reached - level;
}

/** The answer of a solve, by the names of the requirements: what gave way, by how much, and what it costs. */
export interface Report<Names extends string> {
  readonly objective: number;
  readonly requirements: Record<Names, RequirementReport>;
  readonly certificate: Certificate;
  readonly steps: number;
  /** A table, violated and dearest requirements first, and what is known of it. */
  readonly text: string;
}

/** Elements are listed up to so many. */
const mostElements = 1000;

export function createReport<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  arranged: Arrangement<P, D, N>,
  { state, terms, seen }: Inspected,
): Report<N> {
  const { certificate, objective, strict } = seen;
  const named = {
    slack: arranged.owned(seen.slacks),
    priced: arranged.owned(seen.priced),
    relaxation: arranged.owned(state.relaxations),
    price: arranged.owned(state.prices, "prices"),
    level: arranged.byName(terms.levels as readonly NdArray[]),
    insisted: arranged.byName(terms.insisted as readonly NdArray[]),
    scale: arranged.owned(arranged.scales),
    resolution: arranged.owned(seen.resolutions),
  };
  const sizes = seen.errors && arranged.owned(unravel([...arranged.signed], seen.errors.sizes));
  const errors = seen.errors && errorsByName(arranged, seen.errors, seen.undetermined);
  const requirements = {} as Record<N, RequirementReport>;
  const several: string[] = [];
  for (const { names, cost } of arranged.groups) {
    for (const name of names) {
      const requirement = task.requirements[name];
      const sides = requirement.sense === "between" ? 2 : 1;
      if (named.priced[name].length > sides) several.push(name);
      const { sense, pricedBy = "loss", unit } = requirement;
      const at = (slacks: readonly number[], i: number): number =>
        valueAt(requirement, named.level[name], slacks, i);
      const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);
      const worst = worstOf(sense, named.priced[name]);
      const firm = named.insisted[name].some((x) => x > 0);
      const resolution = named.resolution[name][worst];
      const size = sizes?.[name][worst] ?? named.scale[name][0];
      const allowance = certificate.tolerance * size + resolution;
      const entry = {
        sense,
        ...levelsIn(requirement, named.level[name], worst),
        reached: at(named.priced[name], worst),
        pricedBy,
        loss: at(named.slack[name], worstOf(sense, named.slack[name])),
        ...(strict[name] ? { strict: strict[name].item() } : {}),
        relaxation: sum(named.relaxation[name]),
        price: sum(named.price[name]),
        cost: cost.name,
        hard: firm,
        scale: named.scale[name][0],
        ...(unit !== undefined && { unit }),
        allowance,
        ...(resolution > 0 && { resolution }),
      };
      const worstExcess =
        sense === "equal to" ? Math.abs(named.priced[name][worst]) : named.priced[name][worst];
      requirements[name] = {
        ...entry,
        status: statusOf(worstExcess, {
          allowance,
          firm,
          certified: certificate.holds,
          sense,
        }),
        ...(errors && { errors: errorsIn(errors, name, worst) }),
        ...elementsOf(requirement, named, name),
      };
    }
  }
  const report = { objective, requirements, certificate, steps: state.step };
  return { ...report, text: table(report, several) };
}

type NamedErrors<N extends string> = Record<"prices" | "relaxations" | "values", Record<N, number[]>>;

function errorsByName<P, D, N extends string>(
  arranged: Arrangement<P, D, N>,
  { prices, relaxations, values }: Errors,
  undetermined: Inspection["undetermined"],
): NamedErrors<N> {
  const known = Float64Array.from(prices);
  for (const i of undetermined.flat()) known[i] = Number.NaN;
  const split = (flat: Vector): NdArray[] => unravel([...arranged.signed], flat);
  return {
    prices: arranged.owned(split(known), "prices"),
    relaxations: arranged.owned(split(relaxations)),
    values: arranged.owned(split(values)),
  };
}

/** Errors of sums add up. */
function errorsIn<N extends string>(
  { prices, relaxations, values }: NamedErrors<N>,
  name: N,
  worst: number,
): RequirementReport["errors"] {
  const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);
  const price = sum(prices[name]);
  return {
    ...(Number.isFinite(price) && { price }),
    relaxation: sum(relaxations[name]),
    reached: values[name][worst],
  };
}

/** Of an equality the farthest element, else the one that exceeds its level most. */
function worstOf(sense: Sense, slacks: readonly number[]): number {
  const size = (i: number): number => (sense === "equal to" ? Math.abs(slacks[i]) : slacks[i]);
  return slacks.reduce((worst, _, i) => (size(i) > size(worst) ? i : worst), 0);
}

/** The value of an element, from its slack: of a two-sided requirement the first half is below the lower level. */
function valueAt({ sense }: Asked, levels: readonly number[], slacks: readonly number[], i: number): number {
  const below = sense === "at least" || (sense === "between" && i < slacks.length / 2);
  return below ? levels[i] - slacks[i] : levels[i] + slacks[i];
}

function levelsIn(
  { sense, level }: Asked,
  levels: readonly number[],
  worst: number,
): Pick<RequirementReport, "level" | "worstLevel"> {
  if (sense === "between") return { level: [levels[0], levels[levels.length - 1]] };
  return typeof level === "number" && levels.every((x) => x === levels[0])
    ? { level: levels[0] }
    : { level: levels, worstLevel: levels[worst] };
}

function statusOf(
  excess: number,
  {
    allowance,
    firm,
    certified,
    sense,
  }: { allowance: number; firm: boolean; certified: boolean; sense: Sense },
): Status {
  if (excess > allowance) return firm ? "violated" : certified ? "gave way" : "unknown";
  return excess < -allowance && sense !== "equal to" ? "met" : "at its level";
}

function elementsOf<N extends string>(
  requirement: Asked,
  named: Record<"priced" | "relaxation" | "price" | "level", Record<N, number[]>>,
  name: N,
): { elements?: ElementReport[] } {
  const [priced, levels] = [named.priced[name], named.level[name]];
  const sides = requirement.sense === "between" ? 2 : 1;
  const n = priced.length / sides;
  if (n === 1 || n > mostElements) return {};
  const both = (of: readonly number[], i: number): number => (sides === 2 ? of[i] + of[i + n] : of[i]);
  return {
    elements: Array.from({ length: n }, (_, i) => ({
      level: sides === 2 ? [levels[i], levels[i + n]] : levels[i],
      reached: valueAt(requirement, levels, priced, i),
      relaxation: both(named.relaxation[name], i),
      price: both(named.price[name], i),
    })),
  };
}

/** Four digits; what is nothing for a reader is 0. */
const number = (x: number): string => (Math.abs(x) < 1e-6 ? "0" : String(Number(x.toPrecision(4))));
const small = (x: number): string => (x === 0 ? "0" : Number.isFinite(x) ? x.toExponential(1) : "unknown");

/** A number and its error, which shows two digits; none where it would not be seen. */
function withError(x: number, error: number | undefined): string {
  if (error === undefined || !(error > 5e-5 * Math.abs(x)) || Math.abs(x) < 1e-6) return number(x);
  const digits = Math.max(0, Math.ceil(-Math.log10(error)) + 1);
  return digits > 12 ? number(x) : `${number(x)} ± ${Number(error.toPrecision(1))}`;
}

const levelWords = ({ sense, level }: RequirementReport): string => {
  const levels = [level].flat();
  if (sense === "between") return levels.map(number).join(" and ");
  return levels.length > 2 ? "levels of their own" : levels.map(number).join(", ");
};

function table(
  { objective, requirements, certificate, steps }: Omit<Report<string>, "text">,
  /** Those of more than one element. */
  several: readonly string[],
): string {
  const rows = Object.entries(requirements).sort(
    ([, a], [, b]) =>
      Number(b.status === "violated") - Number(a.status === "violated") ||
      Math.abs(b.price) - Math.abs(a.price),
  );
  // What is not certified is in brackets: where things stand, not what they are. What is certified is so within its allowance.
  const known = (x: number, allowance: number, error?: number): string =>
    certificate.holds ? withError(Math.abs(x) < allowance ? 0 : x, error) : `(${number(x)})`;
  const hasLoss = rows.some(([, { pricedBy }]) => pricedBy === "strict");
  const hasStrict = rows.some(([, { pricedBy, strict }]) => pricedBy === "loss" && strict !== undefined);
  const cells = [
    [
      "requirement",
      "asked",
      "reached",
      "",
      "gave",
      "price",
      ...(hasLoss ? ["stand-in"] : []),
      ...(hasStrict ? ["strict"] : []),
    ],
    ...rows.map(([name, r]) => [
      name,
      `${r.sense} ${levelWords(r)}`,
      number(r.reached),
      r.status,
      known(r.relaxation, r.allowance, r.errors?.relaxation),
      known(r.price, 0, r.errors?.price),
      ...(hasLoss ? [r.pricedBy === "strict" ? number(r.loss) : ""] : []),
      ...(hasStrict ? [r.pricedBy === "loss" && r.strict !== undefined ? number(r.strict) : ""] : []),
    ]),
  ];
  const state = certificate.holds
    ? `certified to ${certificate.tolerance}`
    : `not certified to ${certificate.tolerance}; numbers in brackets are not known yet`;
  return [
    inColumns(cells, (column) => [0, 1, 3].includes(column)),
    "",
    `objective ${number(objective)} after ${steps} steps, ${state}`,
    ...certificate.short.map((sentence) => `– ${sentence}`),
    ...(several.length > 0
      ? [`reached is that of the worst element, gave and price are sums over all: ${several.join(", ")}`]
      : []),
    ...(certificate.together ?? []).map(
      (names) => `only the sum of their prices is determined: ${names.join(", ")}`,
    ),
    `largest error: ${small(residualOf(certificate))} of a number's size`,
  ].join("\n");
}
