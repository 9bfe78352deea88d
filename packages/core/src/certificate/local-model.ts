// A problem around a point, on flat vectors: θ of all parameters, λ, u and g of all requirements. Two compiled programs give all
// that is needed, so that nothing of the size of the data or of a matrix leaves the device:
//
//   the augmented Lagrangian   A(θ; λ, t) = ℓ₀ + min_w h([w]₊) + λ·(g − w) + Σ (gᵢ − wᵢ)²/2tᵢ,   ∇A = ∇ℓ₀ + Jᵀλ⁺,
//   products                   Hv + Jᵀ(w + c ⊙ Jv)  and  Jv,   H = ∇²(ℓ₀ + λ·g),  J = ∇g.
//
// λ⁺ = (g + tλ − w)/t is the price after a proximal step of size 1/t, and D = ∂λ⁺/∂λ says what is active without a rule: 0 for what is
// slack, 1 for what is tight and hard, between for what gives way.
import { PliantError } from "../errors.js";
import type { Lowest, Solved } from "./krylov.js";
import type { Vector } from "./vectors.js";

/** The augmented Lagrangian at a point. */
export interface Augmented {
  readonly merit: number;
  /** ∇ℓ₀ + Jᵀλ⁺, or at the prices given. */
  readonly gradient: Vector;
  /** λ⁺ and the relaxations u⁺ that belong to it. */
  readonly prices: Vector;
  readonly relaxations: Vector;
  readonly objective: number;
  readonly slacks: Vector;
  /** The diagonal of D. */
  readonly active: Vector;
}

export interface Along {
  readonly v?: Vector;
  readonly w?: Vector;
  readonly c?: Vector;
  /** Jv is not asked for: with v alone it takes a shorter program, and is 0. */
  readonly withoutJv?: true;
}

export interface LocalModel {
  /** How many parameters and how many elements of requirements. */
  readonly n: number;
  readonly m: number;
  /** The sizes of the arrays of parameters. */
  readonly arrays: readonly number[];
  /** Numbers below the first have underflowed; the second is the distance between 1 and the next number. */
  readonly tiny: number;
  readonly epsilon: number;
  /** 1 where a price may have either sign, and where it follows the loss itself. */
  readonly signed: Vector;
  readonly followed: Vector;
  /** What an element is asked to reach, in units of the requirement. */
  readonly levels: Vector;
  /** With `atPrices` the gradient is that of ℓ₀ + λ·g at the prices given. */
  augmented(x: Vector, prices: Vector, t: Vector, how?: { readonly atPrices?: boolean }): Promise<Augmented>;
  /** Hv + Jᵀ(w + c ⊙ Jv), and Jv. */
  products(x: Vector, prices: Vector, along: Along): Promise<{ Hv: Vector; Jv: Vector }>;
  /** u after a proximal step from the relaxed levels themselves: u where λ is a slope of h at u, 0 where it must hold. */
  bought(at: { readonly prices: Vector; readonly relaxations: Vector }, t: Vector): Promise<Vector>;
  /** Krylov methods whose vectors stay where the data lies; absent where they lie on the host, or are short. */
  readonly krylov?: KrylovPrograms;
  /** ∂λ⁺/∂g·y for costs that see several requirements together; absent where D is diagonal. */
  readonly answer?: (at: { slacks: Vector; prices: Vector; t: Vector }, y: Vector) => Promise<Vector>;
}

export interface Where {
  readonly x: Vector;
  readonly prices: Vector;
}

/** Those of krylov.ts, for the matrices of scales.ts, newton-kkt.ts and curvature.ts. */
export interface KrylovPrograms {
  rows(at: Where, random: Vector, probes: readonly number[]): Promise<Vector>;
  minres(
    at: Where & { readonly slacks: Vector },
    of: { readonly d: Vector; readonly t: Vector; readonly active: Vector },
    right: Vector,
    how: { readonly products: number; readonly solved: number },
  ): Promise<Solved>;
  lowest(
    at: Where,
    of: { readonly d: Vector; readonly c: Vector },
    start: Vector,
    products: number,
  ): Promise<Lowest>;
}

/** A derivative that is not a finite number where the losses themselves are. */
export class NotSmoothError extends PliantError {
  override readonly name = "NotSmoothError";
  constructor(readonly derivative: "The gradient" | "A second derivative") {
    super(`${derivative} is not a finite number here.`);
  }
}
