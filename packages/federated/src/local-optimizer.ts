// How a client's local steps follow its gradients: straight unless one of these is given. What is remembered begins anew with every
// communication round, since the model does; of a client that waits for others in a stack it stays as it is.
import { InputError } from "@pliant/core";
import { constant, full, mapTree, type Tensor, where, zipTrees } from "@pliant/engine";
import { beside } from "./stacked.js";

/** Trees of tensors, of one client or stacked. */
type Params = unknown;

/** How local steps follow gradients: what is remembered, and the direction of a step. */
export interface LocalOptimizer {
  readonly name: string;
  /** What it remembers before the first step; `clients` has the shape of one number a client. */
  init(params: Params, clients: Tensor): Params;
  /** From the gradient to what is stepped against. */
  step(gradient: Params, memory: Params): { readonly direction: Params; readonly memory: Params };
}

const each = (f: (...x: Tensor[]) => Tensor, first: Params, ...more: Params[]): Params =>
  zipTrees(f, first, ...more);
const filled = (like: Tensor, value: number): Tensor =>
  constant(full([], value, like.dtype)).broadcastTo(like.shape);
const zeros = (params: Params): Params => mapTree(params, (p: Tensor) => filled(p, 0));

/** v ← μ v + g, against v. */
export function localMomentum(mu: number): LocalOptimizer {
  if (!(mu >= 0 && mu < 1)) throw new InputError(`Local momentum must be at least 0 and below 1, got ${mu}.`);
  return {
    name: "momentum",
    init: zeros,
    step: (gradient, memory) => {
      const v = each((v, g) => v.mul(mu).add(g), memory, gradient);
      return { direction: v, memory: v };
    },
  };
}

/** Of `localAdam`. */
export interface LocalAdamOptions {
  /** 0.9 and 0.999 unless given. */
  readonly betas?: readonly [number, number];
  /** Default: 1e-8. */
  readonly epsilon?: number;
}

interface Moments {
  readonly m: Params;
  readonly v: Params;
  /** β₁ᵗ and β₂ᵗ of each client. */
  readonly decay: readonly [Tensor, Tensor];
}

/** Against m̂/(√v̂ + ε), with the moments of the gradient corrected for their beginning. */
export function localAdam({ betas = [0.9, 0.999], epsilon = 1e-8 }: LocalAdamOptions = {}): LocalOptimizer {
  for (const beta of betas)
    if (!(beta >= 0 && beta < 1))
      throw new InputError(`Local Adam's betas must be at least 0 and below 1, got ${beta}.`);
  if (!(epsilon > 0 && Number.isFinite(epsilon)))
    throw new InputError(`Local Adam's epsilon must be a positive number, got ${epsilon}.`);
  const [b1, b2] = betas;
  return {
    name: "Adam",
    init: (params, clients) => ({
      m: zeros(params),
      v: zeros(params),
      decay: [filled(clients, 1), filled(clients, 1)],
    }),
    step: (gradient, memory) => {
      const before = memory as Moments;
      const m = each((m, g) => m.mul(b1).add(g.mul(1 - b1)), before.m, gradient);
      const v = each((v, g) => v.mul(b2).add(g.mul(g).mul(1 - b2)), before.v, gradient);
      const [d1, d2] = [before.decay[0].mul(b1), before.decay[1].mul(b2)];
      const corrected = (moment: Tensor, decay: Tensor) => moment.div(beside(decay.neg().add(1), moment));
      const direction = each((m, v) => corrected(m, d1).div(corrected(v, d2).sqrt().add(epsilon)), m, v);
      return { direction, memory: { m, v, decay: [d1, d2] } };
    },
  };
}

/** What the clients that took a step remember now, and what the others did before. */
export const keptWhere = (active: Tensor, after: Params, before: Params): Params =>
  each((now, then) => where(beside(active, now), now, then), after, before);
