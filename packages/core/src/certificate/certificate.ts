// The certificate: how far a state is from the conditions that an equilibrium meets exactly, each free of units, so that a
// tolerance means the same for losses of 10⁻³ and of 10³. One unit of a requirement is its scale σ; one unit of a price is what
// moves the objective by a unit U of it when the requirement moves by σ.
import { type DType, grad, leaves, mapTree, type Tensor, where } from "@pliant/engine";
import { pricedOf, type Values } from "../algorithms/algorithms.js";
import { fenchelGap } from "../costs/conjugacy.js";
import type { Cost } from "../costs/cost.js";
import { hard } from "../costs/linear.js";
import { epsilonOf } from "../costs/weight.js";
import { lengthOf } from "../dual-rates/dual-step-size.js";
import type { Traced } from "../problem/problem.js";
import type { Standstill } from "./stall-diagnosis.js";

/**
 * How far a solution is from the equilibrium, each residual in units of its requirement's scale σ and of the objective's U; 0
 * at it.
 */
export interface Residuals {
  /** |u − prox_{th}(u + tλ)|/σ with t = σ²/U: is λ the slope of the cost at u? */
  readonly equilibrium: number;
  /** [g − u]₊/σ: is every requirement met as relaxed? */
  readonly feasibility: number;
  /**
   * |min(λσ/U, (u − g)/σ)|: is each requirement tight, or its price 0? Both distances are small in their own units, not their
   * product alone; beyond a scale from its level that is small too. Includes feasibility. What counts in steps of a resolution is tight
   * within one of them.
   */
  readonly complementarity: number;
  /**
   * ‖∇(ℓ₀ + λ·g)‖ relative to ‖∇ℓ₀‖ + ‖∇λ·g‖, here or at the start: is the model a stationary point at these prices? Or, if
   * larger, how much the Lagrangian would change if all parameters grew by their own size, relative to the objective: where data
   * can be separated and nothing holds the parameters, the slope vanishes on the way to infinity, this does not. Of a problem
   * that is said to have kinks both are of the least slope between those nearby (kinks.ts). Where all of it would be certified,
   * what steps of another kind still gain counts too (remaining.ts).
   */
  readonly stationarity: number;
  /**
   * ℓ₀(θ) + h([g]₊) minus the dual value ℓ₀(θ) + λ·g − h*(λ): for a convex problem priced by its losses, and a model that
   * minimises the Lagrangian, how far the objective with what giving way costs is from the best. What must hold, or is insisted on,
   * has no h: of it |λ·g| counts.
   */
  readonly gap: number;
}

/** What the conditions are measured by. */
export interface Units<T> {
  /** The objective at the start, its slope there, and the objective without parameters. */
  readonly start: T;
  readonly slope: T;
  readonly without: T;
  readonly scales: readonly T[];
  readonly resolutions: readonly T[];
}

/** The residuals of each element, and of the model, where they can be looked at one by one. */
export interface Distances<T = Tensor> {
  readonly equilibrium: readonly T[];
  readonly feasibility: readonly T[];
  readonly complementarity: readonly T[];
  readonly slope: T;
  readonly growth: T;
  /** 1 where the Lagrangian is less, by more than rounding, when all parameters are a tenth larger, and far out; 0 where it is not. */
  readonly falls: T;
  readonly gap: T;
  /** The smallest change that each element can show here. */
  readonly resolutions: readonly T[];
  /** ‖∇ℓ₀‖ + ‖∇λ·g‖, or what it was at the start, as much less as the root of a unit is than what the objective fell by. */
  readonly parts: T;
  /** U, one unit of the objective; what it ranges over; what a change along the parameters is measured by. */
  readonly unit: T;
  readonly range: T;
  readonly reach: T;
}

export interface Judged {
  readonly costs: readonly Cost[];
  readonly units: Units<Tensor>;
  readonly signed: readonly Tensor[];
  readonly insisted: readonly Tensor[];
  readonly priceCap?: number;
  /** What an objective of nothing is measured by is a part of what it ranges over. */
  readonly tolerance: number;
}

/** By how much parameters are larger where it is tried whether that is for the better. */
const grown = 0.1;
/** What falls as far out as this has no minimum on the way. */
export const manyTimes = 1024;
/** Of the sums that a Lagrangian is, in units of it. */
export const roundings = 8;

export function distances<P>(
  evaluate: (params: Traced<P>) => Values,
  {
    params,
    relaxations,
    prices,
  }: { params: Traced<P>; relaxations: readonly Tensor[]; prices: readonly Tensor[] },
  { costs, units, signed, insisted, priceCap, tolerance }: Judged,
): Distances & { readonly values: Values } {
  const values = evaluate(params);
  const { scales } = units;
  const resolutions = units.resolutions.map((always, i) => {
    const here = values.resolutions?.[i];
    return here ? always.maximum(here) : always;
  });
  const { unit, range, fell } = unitOf(values.objective, units, prices, tolerance);
  const objective = (p: Traced<P>): Tensor => evaluate(p).objective;
  const burdenOf = ({ slacks }: Values): Tensor =>
    slacks.map((g, i) => prices[i].mul(g).sum()).reduce((a, b) => a.add(b));
  const burden = (p: Traced<P>): Tensor => burdenOf(evaluate(p));
  const [own, pulled] = [grad(objective)(params), grad(burden)(params)].map((tree) =>
    leaves(tree).map(({ leaf }) => leaf as Tensor),
  );
  const slopes = own.map((g, i) => g.add(pulled[i]));
  const parts = lengthOf(own).add(lengthOf(pulled));
  const least = units.slope.mul(unit.div(fell.maximum(1e-30)).maximum(tolerance).minimum(1).sqrt());
  const reach = range.mul(Math.sqrt(tolerance)).maximum(unit);
  const growth = leaves(params)
    .map(({ leaf }, i) => (leaf as Tensor).mul(slopes[i]).sum())
    .reduce((a, b) => a.add(b))
    .abs()
    .div(reach);

  const [little, far] = [1 + grown, manyTimes].map((by) => {
    const grownBy = evaluate(mapTree(params, (p: Tensor) => p.mul(by)) as Traced<P>);
    return grownBy.objective.sub(values.objective).add(burdenOf(grownBy).sub(burdenOf(values)));
  });
  const summed = values.slacks.reduce(
    (sum, g, i) => sum.add(prices[i].mul(g).abs().sum()),
    values.objective.abs(),
  );
  const rounded = summed.mul(-roundings * epsilonOf(summed));
  const falls = where(little.lt(rounded).and(far.lt(rounded)), 1, 0).cast(little.dtype);

  const each = pricedOf(values).map((g, i) => {
    const [u, scale] = [relaxations[i], scales[i]];
    const either = signed[i].gt(0);
    const price = prices[i].abs();
    const pull = where(either.and(prices[i].lt(0)), g.neg(), g);
    const coarse = (x: Tensor): Tensor => x.sub(resolutions[i]).relu().div(scale);
    const feasibility = coarse(where(either, g.abs(), g).sub(u));
    // Where there is less than no room, feasibility says so. What is more than its scale from its level has no price to speak of only
    // where the two together are nothing beside the objective: far from any minimum that may be larger than any price.
    const room = coarse(u.sub(pull));
    const natural = price.mul(scale).div(unit).mul(room.maximum(1)).minimum(room);
    return { feasibility, complementarity: natural.maximum(feasibility), equilibrium: equilibriumOf(i) };
  });

  /** Where a price is at its cap, giving way further costs the cap a unit; what is insisted on has no cost to follow. */
  function equilibriumOf(i: number): Tensor {
    const [u, price, scale] = [relaxations[i], prices[i].abs(), scales[i]];
    const t = scale.mul(scale).div(unit);
    const off = u.sub(costs[i].prox(u.add(price.mul(t)), t));
    const capped = priceCap === undefined ? off : where(price.ge(priceCap), off.neg().relu(), off);
    return where(insisted[i].gt(0), u, capped).abs().div(scale);
  }

  const gap = costs
    .map((cost, i) => {
      const g = values.slacks[i];
      const exceeded = where(signed[i].gt(0), g.abs(), g.relu());
      const price = prices[i].abs();
      // What must hold cannot give way: of it only what its price makes of its slack is between the two.
      const firm = cost === hard ? insisted[i].ge(0) : insisted[i].gt(0);
      const bound = fenchelGap(cost, where(firm, 0, exceeded), where(firm, 0, price));
      const paid = g.mul(prices[i]);
      return bound.add(where(firm, paid.abs(), exceeded.mul(price).sub(paid)).sum());
    })
    .reduce((a, b) => a.add(b));
  return {
    values,
    equilibrium: each.map((e) => e.equilibrium),
    feasibility: each.map((e) => e.feasibility),
    complementarity: each.map((e) => e.complementarity),
    slope: lengthOf(slopes).div(parts.maximum(least).maximum(1e-30)),
    growth,
    falls,
    gap,
    resolutions,
    parts: parts.maximum(least),
    unit,
    range,
    reach,
  };
}

/**
 * One unit of the objective: what it is here or, if that is less, what it is apart from the objective without parameters, which a
 * constant in it does not change. Where it started says little: one parameter that began far off makes that as large as it likes. An
 * objective that is nothing here has the tolerance of what its requirements are worth, and its square of what it ranges over: from
 * where there are no parameters or, if it is the same there and nothing is priced beside it, from the start (and remaining.ts).
 */
function unitOf(
  objective: Tensor,
  { start, without, scales }: Units<Tensor>,
  prices: readonly Tensor[],
  tolerance: number,
): { unit: Tensor; range: Tensor; fell: Tensor } {
  const [fell, apart] = [start, without].map((there) => there.sub(objective).abs());
  const worth = prices.map((price, i) => price.abs().mul(scales[i]).sum()).reduce((a, b) => a.add(b));
  const isSame = apart.lt(fell.mul(tolerance ** 2)).and(worth.lt(apart.mul(tolerance)).or(apart.le(0)));
  const range = where(isSame, fell, apart);
  const unit = apart
    .minimum(objective.abs())
    .maximum(worth.mul(tolerance))
    .maximum(range.mul(tolerance ** 2))
    .maximum(objective.abs().mul(roundings * epsilonOf(objective)))
    .maximum(1e-30);
  return { unit, range, fell };
}

/**
 * What is known of a solution: the residuals of the equilibrium ∇h(u*) = λ*, free of scale, and whether they are within the
 * tolerance. Without one that holds no price is known.
 */
export interface Certificate extends Residuals {
  readonly tolerance: number;
  /** Whether equilibrium, complementarity and stationarity are all within the tolerance, and there is a minimum. */
  readonly holds: boolean;
  /** They are, and there is none: the objective is next to nothing, and falls as long as the parameters grow (endless.ts). */
  readonly withoutMinimum?: true;
  /** What is not yet so, in words; empty where the certificate holds. */
  readonly short: readonly string[];
}

/** Where the elements of a requirement are known by its name. */
export type ByName = (vectors: readonly { readonly data: ArrayLike<number> }[]) => Record<string, number[]>;

interface Seen {
  readonly data: ArrayLike<number>;
  item(): number;
}

/** What is known of the way to a state. */
interface Way {
  /** Whether the objective has stood still over the last looks. */
  readonly still?: boolean;
  /** Why, where that was looked for. */
  readonly because?: Standstill;
  /** Whether losses are said to have kinks. */
  readonly kinks?: boolean;
  /** Whether steps go by curvature; not known unless given. */
  readonly newton?: boolean;
  readonly dtype?: DType;
}

export function certify(
  found: Distances<Seen>,
  tolerance: number,
  byName: ByName,
  way: Way = {},
): Certificate {
  const largest = (vectors: readonly Seen[]): number =>
    vectors.reduce((most, { data }) => Array.from(data).reduce(larger, most), 0);
  const residuals = {
    equilibrium: largest(found.equilibrium),
    feasibility: largest(found.feasibility),
    complementarity: largest(found.complementarity),
    stationarity: larger(found.slope.item(), found.growth.item()),
    gap: found.gap.item(),
  };
  const holds = residualOf(residuals) <= tolerance;
  return {
    ...residuals,
    tolerance,
    holds,
    short: holds ? [] : shortOf(found, tolerance, byName, way),
  };
}

const stillFalls =
  "the objective still falls as the parameters grow: a decay, or a larger one, gives it a minimum";

export const withoutMinimum = (certificate: Certificate): Certificate => ({
  ...certificate,
  holds: false,
  withoutMinimum: true,
  short: [stillFalls],
});

/** NaN certifies nothing, wherever it is. */
export const withoutNumber = (certificate: Certificate, names: readonly string[]): Certificate =>
  names.length === 0
    ? certificate
    : {
        ...certificate,
        holds: false,
        short: [...certificate.short, `its strict metric is no number: ${names.join(", ")}`],
      };

/** Whether further steps have nothing to add: it holds, or there is no minimum to come to. */
export const isSettled = ({ holds, withoutMinimum }: Certificate): boolean =>
  holds || withoutMinimum === true;

/** What is no number is larger than any. */
const larger = (a: number, b: number): number => (Number.isNaN(b) || b > a ? b : a);

function shortOf(found: Distances<Seen>, tolerance: number, byName: ByName, way: Way): string[] {
  const fails = (x: number): boolean => !(x <= tolerance);
  const failing = (vectors: readonly Seen[]): string[] =>
    Object.entries(byName(vectors))
      .filter(([, each]) => each.some(fails))
      .map(([name]) => name);
  const [missed, unpriced, unbalanced] = [found.feasibility, found.complementarity, found.equilibrium].map(
    (vectors) => failing(vectors).join(", "),
  );
  // Above 0 for what is counted.
  const steps = byName(found.resolutions);
  const counted = failing(found.complementarity).filter((name) => steps[name]?.some((x) => x > 0));
  // While a price still moves the parameters do with it, and what it makes of an objective may fall without end.
  const growing = fails(found.growth.item()) && !missed && !unpriced;
  // What grows for the better has been tried; a slope along the parameters alone may be that of one side of a kink.
  const falls = found.falls.item() > 0;
  const slope = larger(found.slope.item(), growing && !falls ? found.growth.item() : 0);
  const atSlope = fails(slope);
  const sentences = [
    atSlope && slopeWords(slope, way),
    growing && falls && stillFalls,
    missed && `not met as relaxed: ${missed}`,
    unpriced && unpriced !== missed && `the price has not settled: ${unpriced}`,
    unbalanced && `the relaxation does not answer its price yet: ${unbalanced}`,
    // The model rests and the count is still not at its level: it may have no step there.
    counted.length > 0 &&
      !fails(found.slope.item()) &&
      `examples that are alike are counted all at once, so that a level between two counts may be out of reach: ${counted.join(", ")}`,
  ];
  return sentences.filter((x) => typeof x === "string" && x !== "") as string[];
}

function slopeWords(
  slope: number,
  { still = false, kinks = false, because = "unknown", newton, dtype }: Way,
): string {
  const smooth = "a loss without kinks in its place, such as squares for absolute values,";
  if (!still) {
    const ways = [
      "more steps",
      // Newton's steps have none.
      ...(newton ? [] : ["a smaller rate"]),
      ...(newton === false ? ["newton where losses are convex"] : []),
      ...(kinks ? [smooth.slice(0, -1)] : []),
    ];
    const any = ways.length > 1 ? `${ways.slice(0, -1).join(", ")}, or ${ways.at(-1)},` : ways[0];
    return `the model is still moving: ${any} may settle it`;
  }
  const there = `the objective stands still at a slope of ${atLeast(slope)}`;
  const alike = "columns of one size around 0, may settle it";
  if (because === "slow") {
    const instead = !newton
      ? "newton where losses are convex"
      : dtype === "float32"
        ? "float64"
        : "more steps";
    return `${there}, and other steps still lower it: ${instead}, or ${alike}`;
  }
  if (because === "rounding" && !kinks) return `${there}, as far as float32 shows: float64, or ${alike}`;
  return kinks || because !== "kink"
    ? `${there}, as next to a kink of a loss: ${smooth} may settle`
    : `${there}, next to a kink of a loss: kinks: true asks for any slope between its sides`;
}

/** In two digits, not less than it is. */
function atLeast(x: number): number {
  const unit = 10 ** (Math.floor(Math.log10(x)) - 1);
  return Number((Math.ceil(x / unit - 1e-9) * unit).toPrecision(2));
}

/** One number for a person: the largest of the residuals that the tolerance is compared with. */
export const residualOf = ({ equilibrium, complementarity, stationarity }: Residuals): number =>
  [equilibrium, complementarity, stationarity].reduce(larger, 0);
