// One Newton step of the KKT system at (θ, u, λ). How far it would move each number that a report states is that number's error:
//
//   [ H   Jᵀ ] [dθ]     [ ∇L  ]      H = ∇²(ℓ₀ + λ·g),  J = ∇g of what is active,
//   [ J  −C  ] [dλ] = − [ g−u ]      C the curvature of the conjugate cost, 0 for what is hard.
//
// Solved in natural units (scales.ts) and multiplied by D = ∂λ⁺/∂λ, so that it is symmetric and knows by itself what is active:
//
//   [ Ĥ    ĴᵀD     ] [dθ̂]   [ −∇L̂ + Ĵᵀr̂ ]
//   [ DĴ  −D(I−D) ] [ y ] = [ Dr̂          ],   r̂ = √t(λ − λ⁺),   dλ̂ = Dy − r̂.

import { isFiniteArray } from "../problem/finite-array.js";
import { dense, host, minres } from "./krylov.js";
import { type Augmented, type LocalModel, NotSmoothError } from "./local-model.js";
import { type At, measureScales, type Scales } from "./scales.js";
import { dot, norm, plus, quotient, roots, type Vector, vector } from "./vectors.js";

/** A point of the problem: parameters, prices and relaxations. */
export interface Point {
  readonly x: Vector;
  readonly prices: Vector;
  readonly relaxations: Vector;
}

export interface KktStep {
  readonly scales: Scales;
  readonly at: At;
  readonly augmented: Augmented;
  readonly dx: Vector;
  readonly dPrices: Vector;
  readonly dRelaxations: Vector;
  /** J dθ: how far the value of each requirement would move. */
  readonly dValues: Vector;
  readonly dObjective: number;
  /** ‖residual‖ of the system relative to its right side, and that side's own length. */
  readonly left: number;
  readonly length: number;
  /** ½ dθᵀH dθ. */
  readonly bend: number;
  /** The diagonal of D. */
  readonly active: Vector;
  /** The length of a slope that was taken for rounding. */
  readonly dropped: number;
  /** What slacks that were taken for rounding come to at their prices. */
  readonly unpaid: number;
  /** The same step, solved further; absent where it is solved, or as far as it may be. */
  readonly further?: () => Promise<KktStep>;
}

/** The residual at which the system is solved. */
export const solved = 1e-4;
/**
 * Products for a first solution, and for a further one of up to so many parameters. A step that is cut short is too small, never too large:
 * a number that it shows to be off is off, and only where it shows none is it worth solving to the end.
 */
const [products, furtherProducts, furtherMost] = [60, 400, 10_000];

/** The Lagrangian ℓ₀ + λ·g at a point, and the natural sizes there. */
export async function scalesAt(
  model: LocalModel,
  { x, prices }: Pick<Point, "x" | "prices">,
  penalty?: number,
): Promise<{ at: At; scales: Scales }> {
  const ones = new Float64Array(model.m).fill(1);
  const { slacks, objective, gradient } = await model.augmented(x, prices, ones, { atPrices: true });
  if (!isFiniteArray({ data: gradient })) throw new NotSmoothError("The gradient");
  const at = { x, prices, slacks, objective, gradient, penalty };
  return { at, scales: await measureScales(model, at) };
}

export async function kktStep(
  model: LocalModel,
  { x, prices }: Pick<Point, "x" | "prices">,
  penalty?: number,
): Promise<KktStep> {
  const { n, m } = model;
  const { at, scales } = await scalesAt(model, { x, prices }, penalty);
  const { d, t, rounding } = scales;
  const augmented = await model.augmented(x, prices, t);
  const [rd, rt] = [roots(d), roots(t)];
  const followed = model.followed;
  // What is counted has no derivative: its price stays, and its level is judged by its resolution.
  let unpaid = 0;
  const r = vector(m, (i) => {
    const off = (prices[i] - augmented.prices[i]) * rt[i];
    if (followed[i] > 0 && Math.abs(off) * rt[i] > rounding.slack[i]) return off;
    if (followed[i] > 0) unpaid += Math.abs(off * rt[i] * prices[i]);
    return 0;
  });
  const active = vector(m, (i) => (followed[i] > 0 ? augmented.active[i] : 0));
  const activate = async (y: Vector): Promise<Vector> => {
    if (!model.answer) return vector(m, (i) => active[i] * y[i]);
    const own = { slacks: at.slacks, prices, t };
    const moved = await model.answer(
      own,
      vector(m, (i) => y[i] * rt[i]),
    );
    return vector(m, (i) => moved[i] * rt[i]);
  };
  const both = (x: Vector, y: Vector): Vector => {
    const z = new Float64Array(n + m);
    z.set(x);
    z.set(y, n);
    return z;
  };
  const system = async (z: Vector): Promise<Vector> => {
    const Dy = await activate(z.subarray(n));
    const { Hv, Jv } = await scales.products({ v: quotient(z, rd), w: quotient(Dy, rt) });
    const [DJ, DDy] = [await activate(quotient(Jv, rt)), await activate(Dy)];
    return both(
      quotient(Hv, rd),
      DJ.map((x, i) => x - Dy[i] + DDy[i]),
    );
  };
  const { Hv: pulled } = await scales.products({ w: quotient(r, rt) });
  const right = both(quotient(plus(pulled, at.gradient, -1), rd), await activate(r));
  // A slope that rounding alone explains moves nothing: along a direction of no curvature it would move everything.
  const slope = right.subarray(0, n);
  const isRounding = slope.every((s, j) => Math.abs(s) * rd[j] <= rounding.slope[j]);
  const dropped = isRounding ? norm(slope) : 0;
  if (isRounding) right.fill(0, 0, n);
  const stepBy = async (most: number, further?: () => Promise<KktStep>): Promise<KktStep> => {
    const how = { products: most, solved: n <= dense ? 1e-10 : solved, orthogonal: n <= dense };
    const { z, left } = model.krylov
      ? await model.krylov.minres(at, { d, t, active }, right, how)
      : await minres(host, system, right, how);
    const dx = quotient(z, rd);
    const Dy = await activate(z.subarray(n));
    const dPrices = vector(m, (i) => (Dy[i] - r[i]) / rt[i]);
    const { Hv: Hdx, Jv: dValues } = await scales.products({ v: dx });
    const bend = 0.5 * dot(dx, Hdx);
    // w moves by (I − D)ŷ with ŷ = Ĵdθ̂ + dλ̂, and u is its positive part.
    const y = vector(m, (i) => dValues[i] / rt[i] + dPrices[i] * rt[i]);
    const Dyy = await activate(y);
    return {
      scales,
      at,
      augmented,
      dx,
      dPrices,
      dRelaxations: vector(m, (i) => (y[i] - Dyy[i]) * rt[i]),
      dValues,
      dObjective: bend + dot(scales.slope, dx),
      left,
      length: norm(right),
      bend,
      active,
      dropped,
      unpaid,
      ...(further && left > solved && { further }),
    };
  };
  if (n <= dense) return stepBy(n + m);
  const most = Math.min(furtherProducts, 4 * (n + m));
  return stepBy(products, n <= furtherMost && most > products ? () => stepBy(most) : undefined);
}

/** Where a step leads, and the residual that it leaves there since the system bends. */
export interface Taken {
  readonly x: Vector;
  readonly prices: Vector;
  readonly next: Augmented;
  readonly left: number;
}

export async function taken(
  model: LocalModel,
  { at, dx, dPrices }: KktStep,
  units: Pick<Scales, "d" | "t">,
): Promise<Taken> {
  const x = plus(at.x, dx);
  const prices = vector(model.m, (i) => {
    const next = at.prices[i] + dPrices[i];
    return model.signed[i] > 0 ? next : Math.max(0, next);
  });
  const next = await model.augmented(x, prices, units.t, { atPrices: true });
  return { x, prices, next, left: residual({ gradient: next.gradient, prices }, next, units) };
}

/** ‖∇L‖ in units of d⁻¹ and ‖λ − λ⁺‖ in units of t: 0 at an equilibrium. */
export function residual(
  { gradient, prices }: { gradient: Vector; prices: Vector },
  next: Augmented,
  { d, t }: Pick<Scales, "d" | "t">,
): number {
  let sum = 0;
  for (let j = 0; j < d.length; j++) sum += (gradient[j] * gradient[j]) / d[j];
  for (let i = 0; i < t.length; i++) sum += (prices[i] - next.prices[i]) ** 2 * t[i];
  return Math.sqrt(sum);
}
