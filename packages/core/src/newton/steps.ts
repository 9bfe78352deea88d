// Newton–KKT steps for problems whose data is seen whole: the default up to some ten thousand parameters.
//
// A step tries one Newton step of the whole KKT system (certificate/newton-kkt.ts) and takes it where it halves the residual. Elsewhere it
// minimises the augmented Lagrangian A(θ; λ, t) by Newton's method with conjugate gradients in a trust region, which survives negative
// curvature, and moves the prices to λ⁺. Scales d and t are measured anew, so that no units enter; where prices do not contract the
// penalty 1/t grows.

import { tangentPenalty } from "../certificate/curvature.js";
import { steihaug } from "../certificate/krylov.js";
import type { Augmented, LocalModel } from "../certificate/local-model.js";
import { type KktStep, kktStep, residual, scalesAt, taken } from "../certificate/newton-kkt.js";
import type { Scales } from "../certificate/scales.js";
import { dot, plus, square, type Vector, vector } from "../certificate/vectors.js";

/** What a run carries from step to step. */
export interface NewtonState {
  readonly x: Vector;
  readonly prices: Vector;
  readonly relaxations: Vector;
  /** The response scale t of the last step; 0 before the first. */
  readonly t: Vector;
  /** By how much t is smaller than measured. */
  readonly shrink: number;
  /** The residual after the last step, in units that change little from step to step. */
  readonly residual: number;
}

/** t may change so much from one measurement to the next, so that it does not run away with prices that do. */
const drift = 5;
/** The share of the objective that requirements bend by before prices are known. */
const penalty = 0.01;
/** Newton steps on the augmented Lagrangian at one set of prices, besides one for each requirement that may start or cease to bind; where they end. */
const [innerSteps, innerEnough] = [30, 0.1];
/** Where prices contract by less than this, the penalty grows by that, until rounding is all that it shows. */
const [contracts, stiffens] = [0.3, 0.2];
const stiffest = ({ epsilon }: LocalModel): number => Math.cbrt(epsilon) ** 2;
/** A residual that grows by this is that of another minimum. */
const strays = 2;

export interface Stepped extends NewtonState {
  /** The largest relative change that the last whole KKT step made: small once it has converged. */
  readonly converged: boolean;
}

export async function newtonStep(model: LocalModel, state: NewtonState, tolerance: number): Promise<Stepped> {
  const { m } = model;
  const step = await kktStep(model, state, penalty);
  const scales = step.scales;
  const t = vector(m, (i) => {
    const before = state.t[i] || scales.t[i];
    return Math.min(drift * before, Math.max(before / drift, scales.t[i]));
  });
  const units = { d: scales.d, t };
  const now = residual(step.at, await model.augmented(state.x, state.prices, t), units);
  const whole = await wholeStep(model, step, units, now);
  if (whole) return { ...whole, t, shrink: state.shrink };
  const hard = t.map((x) => x * state.shrink);
  const { x, at, solved } = await minimise(model, state, step, hard);
  // Prices follow a minimum: elsewhere the slack says little about them.
  const prices = solved ? at.prices : state.prices;
  const after = await model.augmented(x, prices, t);
  const there = await model.augmented(x, prices, t, { atPrices: true });
  const left = residual({ gradient: there.gradient, prices }, after, units);
  const slow = m > 0 && solved && left > contracts * Math.min(state.residual, now);
  const next = {
    t,
    shrink: slow ? Math.max(state.shrink * stiffens, stiffest(model)) : state.shrink,
  };
  // A penalty that is too weak has minima elsewhere: what makes the residual grow is taken back.
  if (slow && left > strays * now) return { ...state, ...next, converged: false };
  return {
    ...next,
    x,
    prices,
    relaxations: after.relaxations,
    residual: left,
    converged: left <= 0.1 * tolerance * unitOf(step),
  };
}

const unitOf = ({ scales }: KktStep): number => Math.sqrt(2 * Math.max(scales.worth, scales.gain));

/** The whole KKT step where it halves the residual. */
async function wholeStep(
  model: LocalModel,
  step: KktStep,
  units: Pick<Scales, "d" | "t">,
  now: number,
): Promise<Pick<Stepped, "x" | "prices" | "relaxations" | "residual" | "converged"> | undefined> {
  const { scales } = step;
  if (!(step.left < 1e-2)) return undefined;
  const { x, prices, next, left } = await taken(model, step, units);
  if (!Number.isFinite(next.merit)) return undefined;
  if (!(left < 0.5 * now || left === 0)) return undefined;
  // A saddle's residual falls as well: what stays free of the requirements bends up, in all directions where matrices are at hand, or
  // along the step.
  const c = tangentPenalty(step.active, scales.t);
  const held = step.dValues.reduce((sum, v, i) => sum + 0.5 * c[i] * v * v, 0);
  if (!(scales.preconditioner(c).isPositive ?? step.bend + held >= 0)) return undefined;
  return {
    x,
    prices,
    relaxations: next.relaxations,
    residual: left,
    converged: left <= 1e-5 * unitOf(step) || left === 0,
  };
}

/** min over θ of A(θ; λ, t). */
export async function minimise(
  model: LocalModel,
  { x: from, prices }: Pick<NewtonState, "x" | "prices">,
  { scales }: Pick<KktStep, "scales">,
  t: Vector,
): Promise<{ x: Vector; at: Augmented; solved: boolean }> {
  const { n } = model;
  let x = from;
  let at = await model.augmented(x, prices, t);
  let solved = false;
  let radius = Number.POSITIVE_INFINITY;
  const worth = scales.worth || Math.abs(at.objective);
  for (let k = 0; k < innerSteps + t.length; k++) {
    const c = vector(t.length, (i) => at.active[i] / t[i]);
    const precondition = scales.preconditioner(c);
    const b = at.gradient.map((g) => -g);
    // Small beside what prices still move by, or beside the objective.
    const slope = Math.abs(dot(b, precondition(b)));
    const moved = vector(t.length, (i) => at.prices[i] - prices[i]);
    solved = slope <= innerEnough ** 2 * square(moved, t) || slope <= 1e-16 * worth;
    if (solved && k > 0) break;
    if (radius === Number.POSITIVE_INFINITY)
      radius = 100 * Math.max(Math.sqrt(slope), Math.sqrt(square(x, scales.d)), Math.sqrt(worth));
    const times = async (v: Vector): Promise<Vector> => (await model.products(x, at.prices, { v, c })).Hv;
    const { step, length, change } = await steihaug(times, b, precondition, {
      radius,
      products: Math.min(2 * n, 100),
      solved: 1e-3,
    });
    if (!(change < 0)) break;
    const y = plus(x, step);
    const there = await model.augmented(y, prices, t);
    const fall = at.merit - there.merit;
    const rounding = 1e-14 * Math.abs(at.merit);
    const good = fall / -change;
    if (!(fall >= -rounding) || !Number.isFinite(there.merit) || good < 1e-4) {
      if (-change <= rounding) {
        solved = true;
        break;
      }
      radius = 0.25 * length;
      continue;
    }
    if (good > 0.75 && length > 0.9 * radius) radius *= 4;
    else if (good < 0.25) radius = Math.min(radius, 0.5 * length);
    [x, at] = [y, there];
  }
  return { x, at, solved };
}

/** min over θ of ℓ₀ + λ·g: with a t so large that prices stay. */
export async function atPrices(model: LocalModel, state: NewtonState): Promise<Stepped> {
  const { scales } = await scalesAt(model, state, penalty);
  const { x } = await minimise(
    model,
    state,
    { scales },
    scales.t.map((t) => t * 1e12),
  );
  return { ...state, x, converged: false };
}
