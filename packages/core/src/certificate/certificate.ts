// The certificate: an error estimate for every number that a report states, from one Newton step of the KKT system. It holds where each
// error is within the tolerance of the number's own size, the point is a minimum as far as its curvature and displaced starts show, and
// prices are determined.

import { inspectGround } from "./curvature.js";
import type { LocalModel } from "./local-model.js";
import { type KktStep, kktStep, type Point, solved, taken } from "./newton-kkt.js";
import { naturalSizes } from "./scales.js";
import { fallsForEver, isFlatBottom } from "./unbounded.js";
import { determined } from "./undetermined.js";
import { larger, square, type Vector, vector } from "./vectors.js";
import { type Failure, sentences } from "./words.js";

/** Which kind of minimum is claimed. */
export type Kind = "global" | "local" | "stationary";

/** The largest error of each sort of number, in units of the number's own size or, where it is about 0, of its natural one. */
export interface RelativeErrors {
  readonly objective: number;
  readonly prices: number;
  readonly relaxations: number;
  /** What requirements reach, and by how much they miss their relaxed levels. */
  readonly values: number;
  /** The Newton step itself, relative to the parameters. */
  readonly parameters: number;
}

/** Error estimates in the units of the numbers themselves; one vector over all elements of all requirements. */
export interface Errors {
  readonly objective: number;
  readonly prices: Vector;
  readonly relaxations: Vector;
  readonly values: Vector;
  /** What each value is measured by. */
  readonly sizes: Vector;
}

/** What is known of a solution. */
export interface Certificate {
  readonly tolerance: number;
  readonly holds: boolean;
  /**
   * "global" where the problem is said to be convex and nothing contradicts it, "local" by the second-order conditions, "stationary" where
   * they decide nothing, as in flat valleys, or curvature is only sampled: larger networks, counted metrics, kinks.
   */
  readonly kind: Kind;
  readonly errors: RelativeErrors;
  /** The error of the objective, in its own units; those of requirements are in the report. */
  readonly objectiveError: number;
  /**
   * ℓ₀(θ) + h([g]₊) minus the dual value ℓ₀(θ) + λ·g − h*(λ). For a convex problem, at a minimum of the Lagrangian, it bounds how far the
   * objective with the cost of giving way is from the best.
   */
  readonly gap: number;
  /** Requirements whose prices are determined only together. */
  readonly together?: readonly (readonly string[])[];
  /** The objective falls as long as the parameters grow: there is no minimum. */
  readonly withoutMinimum?: true;
  /** Requirements that must hold, and cannot by themselves or together. */
  readonly infeasible?: readonly string[];
  /** Why it does not hold; empty where it does. */
  readonly short: readonly string[];
}

/** What one check found. */
export interface Checked {
  readonly certificate: Omit<Certificate, "gap">;
  readonly errors: Errors;
  readonly failures: readonly Failure[];
  readonly step: KktStep;
  /** Elements whose prices are known only together. */
  readonly undetermined: readonly (readonly number[])[];
  /** A point where the augmented Lagrangian is lower, to go on from. */
  readonly lower?: Vector;
}

export interface CheckOptions {
  readonly tolerance: number;
  /** The smallest change that each element can show; 0 for what is not counted. */
  readonly resolutions: Vector;
  /** What prices follow. */
  readonly priced: Vector;
  readonly convex: boolean;
  readonly rounding: number;
  /** What counts as much of each counted element. */
  readonly usual: Vector;
  /** 1 where nothing may give way. */
  readonly firm: Vector;
  readonly name: (element: number) => string;
  /** What prices follow at other parameters, where some of it is counted. */
  readonly pricedAt?: (x: Vector) => Promise<Vector>;
  /** The curvature is that of a part of the data, or of surrogates for counts. */
  readonly sampled: boolean;
}

/** The system is not solved where more than this is left of its right side. */
const unsolved = 0.05;
/** A number that the step takes below this share of itself is on its way to 0. */
const vanishing = 0.1;

export async function check(model: LocalModel, point: Point, options: CheckOptions): Promise<Checked> {
  const { tolerance } = options;
  const first = await kktStep(model, point);
  const hasCounts = model.followed.some((f) => f === 0);
  const bought = hasCounts ? await model.bought(point, first.scales.t) : point.relaxations;
  const by = (step: KktStep) => ({ step, ...errorsOf(model, { ...point, bought }, step, options) });
  const failing = (e: Vector): string[] => beyond(e, options);
  const shown = ({ relative, counted }: ReturnType<typeof by>): Failure[] => [
    ...(["objective", "parameters"] as const).flatMap((what) =>
      relative[what] <= tolerance ? [] : [{ what, by: relative[what] }],
    ),
    ...(["missed", "prices", "relaxations", "values"] as const).flatMap((what) => {
      const names = failing(relative[what]);
      return names.length > 0 ? [{ what, names }] : [];
    }),
    ...(counted.length > 0
      ? [{ what: "counted" as const, names: [...new Set(counted.map(options.name))] }]
      : []),
  ];
  let found = by(first);
  let failures = shown(found);
  if (failures.length === 0 && first.further) {
    found = by(await first.further());
    failures = shown(found);
  }
  const { step, errors, relative, roundedBeside } = found;
  const isKnown = step.left <= unsolved || small(step, tolerance);
  if (!isKnown && failures.length === 0) failures.push({ what: "unsolved", by: step.left });
  // Only where all of this passes is the ground around worth a look.
  let lower: Vector | undefined;
  let isBowl = false;
  let together: number[][] = [];
  if (failures.length === 0) {
    const known = await determined(model, step, (await taken(model, step, step.scales)).left);
    together = known.together;
    for (const [i, left] of known.left.entries()) {
      if (left === 0) continue;
      errors.prices[i] += left;
      relative.prices[i] += left / roundedBeside[i];
    }
    const names =
      known.hanging <= tolerance ? failing(relative.prices) : [...new Set(together.flat().map(options.name))];
    if (names.length > 0) failures.push({ what: "prices", names });
    const ground = await inspectGround(model, point, step, options);
    ({ lower, isBowl } = ground);
    if (ground.kind !== "minimum") failures.push({ what: ground.kind });
    else if (!step.scales.bends && !(await isFlatBottom(model, step))) failures.push({ what: "flat" });
    else {
      const how = await fallsForEver(model, step);
      if (how) failures.push({ what: how });
    }
  }
  const holds = failures.length === 0;
  const isStationary = !isKnown || !step.scales.bends || options.sampled;
  const names = together.map((set) => [...new Set(set.map(options.name))]);
  const worst = (e: Vector): number => e.reduce(larger, 0);
  return {
    certificate: {
      tolerance,
      holds,
      kind: isStationary ? "stationary" : options.convex ? "global" : isBowl ? "local" : "stationary",
      errors: {
        objective: relative.objective,
        prices: worst(relative.prices),
        relaxations: worst(relative.relaxations),
        values: larger(worst(relative.values), worst(relative.missed)),
        parameters: relative.parameters,
      },
      objectiveError: errors.objective,
      ...(names.length > 0 && { together: names }),
      ...(failures.some(({ what }) => what.startsWith("falls")) && { withoutMinimum: true as const }),
      short: sentences(failures),
    },
    errors,
    failures,
    step,
    undetermined: together,
    ...(lower && { lower }),
  };
}

/** What the system leaves unsolved is nothing beside the tolerance. */
const small = ({ left, length, scales }: KktStep, tolerance: number): boolean =>
  left * length <= tolerance * Math.sqrt(2 * scales.gain);

/** The requirements of which an error is beyond the tolerance. */
export const beyond = (errors: Vector, { tolerance, name }: CheckOptions): string[] => [
  ...new Set([...errors.keys()].filter((i) => !(errors[i] <= tolerance)).map(name)),
];

function errorsOf(
  model: LocalModel,
  { x, relaxations: u, bought }: Point & { readonly bought: Vector },
  step: KktStep,
  { tolerance, resolutions, priced, firm, usual }: CheckOptions,
) {
  const { m, signed, followed, levels } = model;
  const { scales, at, augmented, dx, dPrices, dRelaxations, dValues, left, length } = step;
  const { d, t, gain, bent, worth } = scales;
  const { slacks, prices, objective } = at;
  const { unit, sigma } = naturalSizes(scales, model.epsilon);
  // What the system leaves unsolved changes the objective by no more than this while the parameters move by their own size. A step that
  // is cut short is too small, never too large: without this it would flatter.
  const unknown = left > solved ? left * length * Math.sqrt(Math.max(square(x, d), 2 * worth)) : 0;
  const objectiveError = Math.abs(step.dObjective) + step.unpaid + unknown;
  const ratio = (error: number, size: number): number =>
    error === 0 ? 0 : Math.abs(error) / size || Number.POSITIVE_INFINITY;
  const isCounted = (i: number): boolean => followed[i] === 0;
  // u⁺ moved by the step, less u as it is.
  const moved = vector(m, (i) => {
    if (isCounted(i)) return bought[i];
    if (firm[i] > 0) return u[i];
    const own = augmented.relaxations[i];
    const sideways = signed[i] > 0 && augmented.slacks[i] + t[i] * prices[i] < 0 ? -1 : 1;
    return own > 0 || signed[i] > 0 ? Math.max(0, own + sideways * dRelaxations[i]) : 0;
  });
  const relaxationErrors = vector(m, (i) => Math.abs(moved[i] - u[i]));
  /** A number's own size, here or where the step leads; the natural one where that is about 0. */
  const sized = (own: number, next: number, natural: number): number =>
    Math.abs(next) > vanishing * Math.abs(own)
      ? Math.max(Math.abs(own), Math.abs(next))
      : Math.max(Math.abs(own), natural);
  const priceSizes = vector(m, (i) => sized(prices[i], prices[i] + dPrices[i], unit / sigma[i]));
  // What rounding makes of a price that is worth no more than rounding is beside the natural size.
  const roundedBeside = vector(m, (i) =>
    0.5 * prices[i] ** 2 * t[i] > model.epsilon * worth
      ? priceSizes[i]
      : Math.max(priceSizes[i], unit / sigma[i]),
  );
  const amount = (i: number): number =>
    isCounted(i)
      ? Math.abs(levels[i]) || usual[i]
      : levels[i] === 0
        ? Math.max(Math.abs(slacks[i]), sigma[i])
        : Math.max(Math.abs(levels[i]), Math.abs(slacks[i] + levels[i]));
  const missed = vector(m, (i) => {
    const g = isCounted(i) ? priced[i] : slacks[i];
    const over = Math.max(0, (signed[i] > 0 ? Math.abs(g) : g) - u[i] - resolutions[i]);
    return isCounted(i) ? 0 : ratio(over, amount(i));
  });
  // A count is at its level within one step of it; a price on what is further below buys nothing.
  const counted = vector(m, (i) => {
    if (!isCounted(i)) return 0;
    const off = (signed[i] > 0 && prices[i] < 0 ? -priced[i] : priced[i]) - (firm[i] > 0 ? 0 : u[i]);
    const over = Math.max(0, off - resolutions[i]) / amount(i);
    const under = prices[i] === 0 ? 0 : Math.max(0, -off - resolutions[i]) / amount(i);
    return Math.max(over, under) > tolerance ? 1 : 0;
  });
  const curvature = square(dx, d);
  return {
    roundedBeside,
    counted: [...counted.keys()].filter((i) => counted[i] > 0),
    errors: {
      objective: objectiveError,
      prices: vector(m, (i) => (isCounted(i) ? Number.NaN : Math.abs(dPrices[i]))),
      relaxations: relaxationErrors,
      values: vector(m, (i) => (isCounted(i) ? resolutions[i] : Math.abs(dValues[i]))),
      sizes: vector(m, amount),
    },
    relative: {
      objective: ratio(objectiveError, Math.max(Math.abs(objective), gain, tolerance ** 2 * bent)),
      prices: vector(m, (i) => (isCounted(i) ? 0 : ratio(dPrices[i], priceSizes[i]))),
      relaxations: vector(m, (i) => ratio(relaxationErrors[i], sized(u[i], moved[i], amount(i)))),
      values: vector(m, (i) => (isCounted(i) ? 0 : ratio(dValues[i], amount(i)))),
      missed,
      parameters: curvature === 0 ? 0 : Math.sqrt(curvature / Math.max(square(x, d), 2 * gain)),
    },
  };
}

/** Whether further steps have nothing to add: it holds, or there is no minimum to reach. */
export const isSettled = ({ holds, withoutMinimum }: Certificate): boolean =>
  holds || withoutMinimum === true;

/** One number for a person: the largest relative error that is known. */
export const residualOf = ({ errors }: Pick<Certificate, "errors">): number =>
  Object.values(errors).reduce((most: number, e: number) => (e > most ? e : most), 0);
