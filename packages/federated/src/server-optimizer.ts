// How the server moves by the mean update Δ of a communication round: by Δ itself unless one of these is given. They see the mean
// alone, as the server does, so they run wherever sums do. Read: Hsu, Qi, Brown, "Measuring the effects of non-identical data
// distribution for federated visual classification" (2019); Reddi et al., "Adaptive federated optimization" (ICLR 2021).
import { InputError } from "@pliant/core";
import { full, mapTree, type NdArray, type Tensor, zipTrees } from "@pliant/engine";

/** A tree of the form of the parameters, or of several such trees. */
type Params = unknown;

/** How the server moves by mean updates: what is remembered, and the step. */
export interface ServerOptimizer {
  readonly name: string;
  /** What it remembers before the first step, for parameters on the host. */
  init(params: Params): Params;
  /** From the mean update to what is added to the model. */
  step(mean: Params, memory: Params): { readonly step: Params; readonly memory: Params };
}

const filled = (params: Params, value: number): Params =>
  mapTree(params, (p: NdArray) => full(p.shape, value, p.dtype));
const each = (f: (...x: Tensor[]) => Tensor, first: Params, ...more: Params[]): Params =>
  zipTrees(f, first, ...more);

/** Of `fedAvgM`. */
export interface FedAvgMOptions {
  /** η; default: 1. */
  readonly rate?: number;
  /** β; 0.9 unless given. With 0 and rate 1 it is FedAvg. */
  readonly momentum?: number;
}

/** m ← β m + Δ,  θ ← θ + η m. */
export function fedAvgM({ rate = 1, momentum = 0.9 }: FedAvgMOptions = {}): ServerOptimizer {
  checkRate("FedAvgM", rate);
  checkDecay("FedAvgM", "momentum", momentum);
  return {
    name: "FedAvgM",
    init: (params) => filled(params, 0),
    step: (mean, memory) => {
      const m = each((m, d) => m.mul(momentum).add(d), memory, mean);
      return { step: each((x) => x.mul(rate), m), memory: m };
    },
  };
}

/** Of `fedAdam` and `fedYogi`. */
export interface AdaptiveOptions {
  /** η. */
  readonly rate: number;
  /** β₁ and β₂; 0.9 and 0.99 unless given, as in the paper. */
  readonly betas?: readonly [number, number];
  /** τ, the degree of adaptivity: the smaller, the more; 0.001 unless given. */
  readonly tau?: number;
}

interface Moments {
  readonly m: Params;
  readonly v: Params;
}

/** m ← β₁ m + (1 − β₁) Δ,  v by the method's own rule,  θ ← θ + η m/(√v + τ); v is τ² at first, and nothing corrects for that. */
function adaptive(
  name: string,
  { rate, betas = [0.9, 0.99], tau = 1e-3 }: AdaptiveOptions,
  second: (v: Tensor, square: Tensor, beta: number) => Tensor,
): ServerOptimizer {
  checkRate(name, rate);
  for (const beta of betas) checkDecay(name, "betas", beta);
  if (!(tau > 0 && Number.isFinite(tau)))
    throw new InputError(`${name}: tau must be a positive number, got ${tau}.`);
  return {
    name,
    init: (params) => ({ m: filled(params, 0), v: filled(params, tau * tau) }),
    step: (mean, memory) => {
      const before = memory as Moments;
      const m = each((m, d) => m.mul(betas[0]).add(d.mul(1 - betas[0])), before.m, mean);
      const v = each((v, d) => second(v, d.mul(d), betas[1]), before.v, mean);
      return { step: each((m, v) => m.mul(rate).div(v.sqrt().add(tau)), m, v), memory: { m, v } };
    },
  };
}

/** v ← β₂ v + (1 − β₂) Δ². */
export const fedAdam = (options: AdaptiveOptions): ServerOptimizer =>
  adaptive("FedAdam", options, (v, square, beta) => v.mul(beta).add(square.mul(1 - beta)));

/** v ← v − (1 − β₂) Δ² sign(v − Δ²), which falls no faster than it rises. */
export const fedYogi = (options: AdaptiveOptions): ServerOptimizer =>
  adaptive("FedYogi", options, (v, square, beta) => v.sub(square.mul(1 - beta).mul(v.sub(square).sign())));

function checkRate(name: string, rate: number): void {
  if (!(rate > 0 && Number.isFinite(rate)))
    throw new InputError(`${name}: the rate must be a positive number, got ${rate}.`);
}

function checkDecay(name: string, what: string, beta: number): void {
  if (!(beta >= 0 && beta < 1))
    throw new InputError(`${name}: ${what} must be at least 0 and below 1, got ${beta}.`);
}
