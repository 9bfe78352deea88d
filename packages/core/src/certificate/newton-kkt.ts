// One Newton step of the KKT system at (θ, u, λ). How far it would move each number that a report states is that number's error:
//
//   [ H   Jᵀ ] [dθ]     [ ∇L  ]      H = ∇²(ℓ₀ + λ·g),  J = ∇g of what is active,
//   [ J  −C  ] [dλ] = − [ g−u ]      C the curvature of the conjugate cost, 0 for what is hard.
//
// Solved in natural units (scales.ts) and multiplied by D = ∂λ⁺/∂λ, so that it is symmetric and knows by itself what is active:
//
//   [ Ĥ    ĴᵀD     ] [dθ̂]   [ −∇L̂ + Ĵᵀr̂ ]
//   [ DĴ  −D(I−D) ] [ y ] = [ Dr̂          ],   r̂ = √t(λ − λ⁺),   dλ̂ = Dy − r̂.
import { dense, minres } from "./krylov.js";
import { type Augmented, type LocalModel, NotSmoothError } from "./local-model.js";
import { type At, measureScales, type Scales } from "./scales.js";
import { add, dot, norm, quotient, roots, type Vector, vector } from "./vectors.js";

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
}

/** The most products that the system may take, and the residual at which it is solved. */
const products = 60;
export const solved = 1e-4;

/** What rounding makes of a slope, in units of it. */
const roundings = 16;

export async function kktStep(model: LocalModel, { x, prices }: Point, penalty?: number): Promise<KktStep> {
  const { n, m } = model;
  const at = await atPoint(model, x, prices, penalty);
  const scales = await measureScales(model, at);
  const { d, t } = scales;
  const augmented = await model.augmented(x, prices, t);
  const [rd, rt] = [roots(d), roots(t)];
  const followed = model.followed;
  // What is counted has no derivative: its price stays, and its level is judged by its resolution.
  const r = vector(m, (i) => (followed[i] > 0 ? (prices[i] - augmented.prices[i]) * rt[i] : 0));
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
  const v = new Float64Array(n);
  const system = async (z: Vector, into: Vector): Promise<Vector> => {
    const Dy = await activate(z.subarray(n));
    const along = { v: quotient(z, rd, v), w: quotient(Dy, rt) };
    const { Hv, Jv } = await scales.products(along, into.subarray(0, n));
    const [DJ, DDy] = [await activate(quotient(Jv, rt)), await activate(Dy)];
    quotient(Hv, rd, into);
    for (let i = 0; i < m; i++) into[n + i] = DJ[i] - Dy[i] + DDy[i];
    return into;
  };
  const right = new Float64Array(n + m);
  const { Hv: pulled } = await scales.products({ w: quotient(r, rt) });
  add(pulled, at.gradient, -1);
  quotient(pulled, rd, right);
  right.set(await activate(r), n);
  // A slope that rounding alone explains moves nothing: along a direction of no curvature it would move everything.
  const slope = norm(right.subarray(0, n));
  const dropped = slope <= roundings * model.epsilon * Math.sqrt(2 * scales.bent) ? slope : 0;
  if (dropped > 0) right.fill(0, 0, n);
  const most = Math.max(products, n <= dense ? 4 * (n + m) : 0);
  const { z, left } = await minres(system, right, { products: most, solved: n <= dense ? 1e-10 : solved });
  const dx = quotient(z, rd);
  const Dy = await activate(z.subarray(n));
  const dPrices = vector(m, (i) => (Dy[i] - r[i]) / rt[i]);
  const { Hv: Hdx, Jv: dValues } = await scales.products({ v: dx });
  const bend = 0.5 * dot(dx, Hdx);
  const dObjective = bend + dot(scales.slope, dx);
  // w moves by (I − D)ŷ with ŷ = Ĵdθ̂ + dλ̂, and u is its positive part.
  const y = vector(m, (i) => dValues[i] / rt[i] + dPrices[i] * rt[i]);
  const Dyy = await activate(y);
  const dRelaxations = vector(m, (i) => (y[i] - Dyy[i]) * rt[i]);
  return {
    scales,
    at,
    augmented,
    dx,
    dPrices,
    dRelaxations,
    dValues,
    dObjective,
    left,
    length: norm(right),
    bend,
    active,
    dropped,
  };
}

/** The Lagrangian ℓ₀ + λ·g at a point. */
async function atPoint(model: LocalModel, x: Vector, prices: Vector, penalty?: number): Promise<At> {
  const ones = new Float64Array(model.m).fill(1);
  const { slacks, objective, gradient } = await model.augmented(x, prices, ones, { atPrices: true });
  if (!gradient.every(Number.isFinite)) throw new NotSmoothError("The gradient");
  return { x, prices, slacks, objective, gradient, penalty };
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
