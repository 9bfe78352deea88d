// Optimisers as small transforms of gradients, after optax: each keeps its state as plain data and is chained with others.
import { full, leaves, type NdArray, type Replace, type Tensor } from "@pliant/engine";
import { positive } from "../errors.js";
import { mapTrees, zerosLike } from "../problem/trees.js";
import { onlyNames } from "../problem/validate.js";

/** A tree of tensors or arrays of one form. */
type Leaves = unknown;

/** What a solver's step knows of the function whose gradient it gives. */
export interface Around {
  /** Its Hessian times a tree, where the gradient is taken. */
  curvature(v: Leaves): Leaves;
  /** Its gradient at other parameters. */
  slopeAt?(params: Leaves): Leaves;
}

/** How parameters follow gradients, as two functions over plain state; `chain` puts several one after another. */
export interface Optimizer {
  /** The state before the first step, for parameters on the host. */
  init(params: Leaves): unknown;
  /** From gradients to what is added to the parameters. */
  update(
    gradient: Leaves,
    state: never,
    params: Leaves,
    around?: Around,
  ): { updates: Leaves; state: unknown };
  /** How many ordinary steps one of these is worth to the pace of prices; 1 unless given. */
  readonly strides?: number;
  /** Whether steps go by the curvature around; not so unless given. */
  readonly byCurvature?: boolean;
}

/** One transform after another. */
export function chain(...parts: readonly Optimizer[]): Optimizer {
  return {
    init: (params) => parts.map((part) => part.init(params)),
    strides: Math.max(1, ...parts.map(({ strides = 1 }) => strides)),
    byCurvature: parts.some(({ byCurvature }) => byCurvature),
    update: (gradient, state: unknown[], params, around) => {
      let updates = gradient;
      const next = parts.map((part, i) => {
        const done = part.update(updates, state[i] as never, params, around);
        updates = done.updates;
        return done.state;
      });
      return { updates, state: next };
    },
  };
}

const stateless = (transform: (gradient: Leaves, params: Leaves) => Leaves): Optimizer => ({
  init: () => [],
  update: (gradient, state, params) => ({ updates: transform(gradient, params), state }),
});

/** A rate that changes with the step, which counts from 0. */
export type Schedule = (step: Tensor) => Tensor;
/** A step size: a number, or a schedule by the number of the step. */
export type Rate = number | Schedule;

/** Down to 0, or to a floor, along half a cosine in so many steps. */
export const cosine =
  (rate: number, steps: number, { floor = 0 }: { floor?: number } = {}): Schedule =>
  (step) =>
    step
      .div(steps)
      .clip(0, 1)
      .mul(Math.PI)
      .cos()
      .add(1)
      .mul((rate - floor) / 2)
      .add(floor);

/** rate · factor^(step/every). */
export const exponential =
  (rate: number, factor: number, every = 1): Schedule =>
  (step) =>
    step
      .mul(Math.log(factor) / every)
      .exp()
      .mul(rate);

/** Up from 0 in so many steps, then as the rate says. */
export const warmUp =
  (rate: Rate, steps: number): Schedule =>
  (step) => {
    const rise = step.add(1).div(steps).minimum(1);
    return typeof rate === "number" ? rise.mul(rate) : rate(step).mul(rise);
  };

/** Against the gradient by the rate. */
function descend(name: string, rate: Rate): Optimizer {
  if (typeof rate !== "function") {
    positive(`${name}: the rate`, rate);
    return stateless((g) => mapTrees((x) => x.mul(-rate), g));
  }
  return {
    init: (params) => full([], 0, (leaves(params)[0].leaf as NdArray).dtype),
    update: (gradient, state: never) => {
      const step = state as Tensor;
      const factor = rate(step).neg();
      return { updates: mapTrees((x) => x.mul(factor), gradient), state: step.add(1) };
    },
  };
}

/** v ← μv + g. */
const momentum = (mu: number): Optimizer => ({
  init: zerosLike,
  update: (gradient, velocity: Leaves) => {
    const next = mapTrees((v, g) => v.mul(mu).add(g), velocity, gradient);
    return { updates: next, state: next };
  },
});

/** Gradients no longer, all together, than `norm`; of a stack of models along the first axis, each model's own. */
export const clip = (norm: number, { stacked = false }: { stacked?: boolean } = {}): Optimizer =>
  stateless((gradient) => {
    const square = (g: Tensor): Tensor => {
      const models = stacked ? g.shape[0] : 1;
      return g
        .mul(g)
        .reshape([models, g.size / models])
        .sum({ axis: 1 });
    };
    const squares = leaves(gradient).map(({ leaf }) => square(leaf as Tensor));
    const length = squares.reduce((a, b) => a.add(b)).sqrt();
    const factor = length.add(1e-6).pow(-1).mul(norm).minimum(1);
    const beside = (g: Tensor): Tensor =>
      factor.reshape(stacked ? g.shape.map((_, i) => (i === 0 ? factor.size : 1)) : []);
    return mapTrees((g) => g.mul(beside(g)), gradient);
  });

/** Parts of the parameters by name, each with an optimiser of its own. */
export function separately(parts: Readonly<Record<string, Optimizer>>): Optimizer {
  const names = Object.keys(parts);
  const each = (of: (name: string) => unknown): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, of(name)]));
  const part = (tree: Leaves, name: string): Leaves => (tree as Record<string, Leaves>)[name];
  return {
    init: (params) => each((name) => parts[name].init(part(params, name))),
    update: (gradient, state: never, params) => {
      const done = each((name) =>
        parts[name].update(part(gradient, name), part(state, name) as never, part(params, name)),
      ) as Record<string, ReturnType<Optimizer["update"]>>;
      return { updates: each((name) => done[name].updates), state: each((name) => done[name].state) };
    },
  };
}

interface Moments {
  m: Leaves;
  v: Leaves;
  /** β₁ᵗ and β₂ᵗ. */
  decay: [Tensor, Tensor];
}

/** m̂/(√v̂ + ε) with the moments m, v of the gradient. */
const adamDirection = (b1: number, b2: number, epsilon: number): Optimizer => ({
  init: (params) => {
    const { dtype } = leaves(params)[0].leaf as NdArray;
    return { m: zerosLike(params), v: zerosLike(params), decay: [full([], 1, dtype), full([], 1, dtype)] };
  },
  update: (gradient, state: never) => {
    const { m, v, decay } = state as Moments;
    const nextM = mapTrees((m, g) => m.mul(b1).add(g.mul(1 - b1)), m, gradient);
    const nextV = mapTrees((v, g) => v.mul(b2).add(g.mul(g).mul(1 - b2)), v, gradient);
    const [d1, d2] = [decay[0].mul(b1), decay[1].mul(b2)];
    const updates = mapTrees(
      (m, v) => m.div(d1.neg().add(1)).div(v.div(d2.neg().add(1)).sqrt().add(epsilon)),
      nextM,
      nextV,
    );
    return { updates, state: { m: nextM, v: nextV, decay: [d1, d2] } };
  },
});

/** + decay·parameter: a quadratic penalty where it comes before the moments, AdamW's decay where after. */
export const addDecay = (decay: number): Optimizer =>
  stateless((g, params) => mapTrees((g, p) => g.add(p.mul(decay)), g, params));

/** A rate, or a rate among the other options: adam(0.01, { epsilon: 1e-6 }) and adam({ rate: 0.01, epsilon: 1e-6 }) are the same. */
type Rated<Options> = Rate | (Options & { rate: Rate });

function rated<Options extends object>(
  name: string,
  given: Rated<Options>,
  more: Options,
  known: Readonly<Record<keyof Options & string, true>>,
): Options & { rate: Rate } {
  const options =
    typeof given === "object" && given !== null ? { ...given, ...more } : { ...more, rate: given };
  onlyNames(`${name}: `, "an option", options, { ...known, rate: true });
  return options;
}

interface SgdOptions {
  momentum?: number;
  decay?: number;
}

/** Gradient descent, with momentum if given. */
export function sgd(given: Rated<SgdOptions>, more: SgdOptions = {}): Optimizer {
  const { rate, momentum: mu = 0, decay = 0 } = rated("sgd", given, more, { momentum: true, decay: true });
  return chain(
    ...(decay > 0 ? [addDecay(decay)] : []),
    ...(mu > 0 ? [momentum(mu)] : []),
    descend("sgd", rate),
  );
}

/** β₁, β₂ and ε of Adam; 0.9, 0.999 and 1e-8 unless given. */
export interface AdamOptions {
  betas?: readonly [number, number];
  epsilon?: number;
}

/** Adam (Kingma and Ba, 2015): steps of about `rate` in every parameter, whatever the size of its gradient. */
export function adam(given: Rated<AdamOptions>, more: AdamOptions = {}): Optimizer {
  const {
    rate,
    betas = [0.9, 0.999],
    epsilon = 1e-8,
  } = rated("adam", given, more, { betas: true, epsilon: true });
  return chain(adamDirection(betas[0], betas[1], epsilon), descend("adam", rate));
}

/** Adam with weight decay beside, not inside, the moments. */
export function adamw(
  given: Rated<AdamOptions & { decay?: number }>,
  more: AdamOptions & { decay?: number } = {},
): Optimizer {
  const {
    rate,
    decay = 0.01,
    betas = [0.9, 0.999],
    epsilon = 1e-8,
  } = rated("adamw", given, more, { decay: true, betas: true, epsilon: true });
  return chain(adamDirection(betas[0], betas[1], epsilon), addDecay(decay), descend("adamw", rate));
}

/** Parameters after an update. */
export const applyUpdates = <P>(params: P, updates: Leaves): Replace<P, Tensor> =>
  mapTrees((p, u) => p.add(u), params, updates) as Replace<P, Tensor>;
