// One Newton step of the KKT system at (θ, u, λ). How far it would move each number that a report states is that number's error:
//
//   [ H   Jᵀ ] [dθ]     [ ∇L  ]      H = ∇²(ℓ₀ + λ·g),  J = ∇g of what is active,
//   [ J  −C  ] [dλ] = − [ g−u ]      C the curvature of the conjugate cost, 0 for what is hard.
//
// Solved in natural units (scales.ts) and multiplied by D = ∂λ⁺/∂λ, so that it is symmetric and knows by itself what is active:
//
//   [ Ĥ    ĴᵀD     ] [dθ̂]   [ −∇L̂ + Ĵᵀr̂ ]
//   [ DĴ  −D(I−D) ] [ y ] = [ Dr̂          ],   r̂ = √t(λ − λ⁺),   dλ̂ = Dy − r̂.
import { minres } from "./krylov.js";
import { type Augmented, type LocalModel, NotSmoothError } from "./local-model.js";
import { type At, measureScales, type Scales } from "./scales.js";
import { norm, square, type Vector, vector } from "./vectors.js";

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
  const { d, t, slope } = scales;
  const augmented = await model.augmented(x, prices, t);
  const [rd, rt] = [d.map(Math.sqrt), t.map(Math.sqrt)];
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
  const system = async (z: Vector): Promise<Vector> => {
    const Dy = await activate(z.subarray(n));
    const { Hv, Jv } = await scales.products({
      v: vector(n, (j) => z[j] / rd[j]),
      w: vector(m, (i) => Dy[i] / rt[i]),
    });
    const [DJ, DDy] = [await activate(vector(m, (i) => Jv[i] / rt[i])), await activate(Dy)];
    return vector(n + m, (k) => (k < n ? Hv[k] / rd[k] : DJ[k - n] - Dy[k - n] + DDy[k - n]));
  };
  const { Hv: Jr } = await scales.products({ w: vector(m, (i) => r[i] / rt[i]) });
  const Dr = await activate(r);
  const right = vector(n + m, (k) => (k < n ? (Jr[k] - at.gradient[k]) / rd[k] : Dr[k - n]));
  // A slope that rounding alone explains moves nothing.
  if (norm(right.subarray(0, n)) <= roundings * model.epsilon * Math.sqrt(2 * scales.bent))
    right.fill(0, 0, n);
  const most = Math.max(products, n <= 96 ? 4 * (n + m) : 0);
  const { z, left } = await minres(system, right, { products: most, solved: n <= 96 ? 1e-10 : solved });
  const dx = vector(n, (j) => z[j] / rd[j]);
  const Dy = await activate(z.subarray(n));
  const dPrices = vector(m, (i) => (Dy[i] - r[i]) / rt[i]);
  const { Hv: Hdx, Jv: dValues } = await scales.products({ v: dx });
  const bend = 0.5 * dx.reduce((sum, step, j) => sum + step * Hdx[j], 0);
  const dObjective = slope.reduce((sum, s, j) => sum + s * dx[j], bend);
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
  const off = vector(prices.length, (i) => prices[i] - next.prices[i]);
  return Math.sqrt(
    square(
      gradient,
      d.map((x) => 1 / x),
    ) + square(off, t),
  );
}
