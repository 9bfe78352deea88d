// Costs users write. The value is enough for a separable one: its gradient comes from the engine, and since the gradient of
// a convex function only rises, minimisers are found by bisection, for all requirements at once.
import { grad, jvp, type Tensor, where } from "@pliant/engine";
import { PliantError } from "../errors.js";
import { bisect, geometric } from "./bisect.js";
import type { Cost, StepSize } from "./cost.js";
import { beside } from "./weight.js";

/** What is known of a cost. Whatever is missing is derived from `value`; a closed form is faster. */
export interface CustomCost extends Partial<Cost> {
  /** h(u), one number. It must work for every shape of `u` whose last axis is the requirements. */
  value(u: Tensor): Tensor;
}

/**
 * A cost from its value, such as `customCost({ value: (u) => u.exp().sub(u).sub(1).sum() })`. Separable unless it says
 * otherwise; one that is not must bring its own `conjugateGradient` and `prox`. See `checkCost`.
 */
export function customCost(given: CustomCost): Cost {
  const { name = "custom", separable = true, value } = given;
  if (typeof value !== "function")
    throw new PliantError("customCost: `value`, a function of the relaxations, is missing.");
  for (const needed of ["conjugateGradient", "prox"] as const) {
    if (!separable && !given[needed]) {
      throw new PliantError(
        `customCost: ${name} is not separable, so its \`${needed}\` cannot be derived from \`value\`; write it.`,
      );
    }
  }
  const gradient = given.gradient ?? grad(value);
  const conjugateGradient = given.conjugateGradient ?? ((lambda: Tensor) => inverse(gradient, lambda));
  return {
    name,
    separable,
    value,
    gradient,
    conjugateGradient,
    conjugate: given.conjugate ?? ((lambda) => conjugateFrom(value, conjugateGradient, lambda)),
    prox: given.prox ?? ((v, t) => resolvent(gradient, v, t)),
    projectDual:
      given.projectDual ?? ((lambda) => (separable ? upToSteepest(gradient, lambda) : lambda.relu())),
  };
}

type OfTensor = (u: Tensor) => Tensor;

/** Relaxations are looked for between these, and are 0 or +∞ beyond; squares and cubes of both still have their dtype. */
const range = ({ dtype }: Tensor) => (dtype === "float64" ? [2 ** -68, 2 ** 60] : [2 ** -34, 2 ** 30]);

const spread = (like: Tensor, value: number): Tensor => beside(like, value).broadcastTo(like.shape);

/** u ≥ 0 with h'(u) = λ. */
function inverse(gradient: OfTensor, lambda: Tensor): Tensor {
  const [smallest, largest] = range(lambda).map((value) => spread(lambda, value));
  const excess: OfTensor = (u) => gradient(u).sub(lambda);
  // A hundred octaves, halved until one is left, then that octave.
  const octave = bisect(excess, { low: smallest, high: largest }, { rounds: 7, middle: geometric });
  const { low, high } = bisect(excess, octave);
  const found = where(excess(smallest).ge(0), 0, low.add(high).mul(0.5));
  return where(excess(largest).lt(0), beside(lambda, Infinity), found);
}

/** u ≥ 0 with u + t h'(u) = v, which lies between 0 and v. */
function resolvent(gradient: OfTensor, v: Tensor, t: StepSize): Tensor {
  const step = beside(v, t);
  const zero = spread(v, 0);
  const excess: OfTensor = (u) => gradient(u).mul(step).add(u).sub(v);
  const { low, high } = bisect(excess, { low: zero, high: v.relu() });
  // One Newton step from the root: next to nothing of its value, and all of its derivative, which halvings do not have.
  const u = low.add(high).mul(0.5).stopGradient();
  const slope = jvp(excess)(u, u.mul(0).add(1)).tangent.stopGradient();
  return where(excess(zero).ge(0), 0, u.sub(excess(u).div(slope)).relu());
}

/** λ·u − h(u) at its maximiser. */
function conjugateFrom(value: OfTensor, conjugateGradient: OfTensor, lambda: Tensor): Tensor {
  const u = conjugateGradient(lambda);
  const attained = u.lt(Infinity);
  const finite = where(attained, u, 0);
  const unbounded = where(attained, beside(u, 0), Infinity).sum();
  return lambda.mul(finite).sum().sub(value(finite)).add(unbounded);
}

/** Prices above the steepest slope of h, as good as reached at the largest relaxation, are not admissible. */
function upToSteepest(gradient: OfTensor, lambda: Tensor): Tensor {
  const steepest = gradient(spread(lambda, range(lambda)[1]));
  return where(lambda.gt(steepest), steepest, lambda).relu();
}
