// An optimiser whose steps become as short as they have to be. Steps of Adam are as long as its rate says however small gradients have
// become, unless it remembers how large they were, and with a long memory it creeps. So it may forget, and its steps are shortened where
// they overshoot: the gradient after a step that went too far points along it.
//
//   c = cos(∇, last step),   share ← share · e^(−0.1 c) where c > 0, and e^(0.03 |c|) else, up to 1.
import { full, leaves, type NdArray, type Tensor } from "@pliant/engine";
import { dotOf, lengthOf, mapTrees, zerosLike } from "../problem/trees.js";
import type { Optimizer } from "./optimizer.js";

interface Settling {
  readonly inner: unknown;
  /** The share of the inner steps that is taken, and the last one as taken. */
  readonly share: Tensor;
  readonly last: unknown;
}

const [overshooting, advancing] = [0.1, 0.03];
/** A step so short moves nothing; one of 0 would never grow again. */
const least = 1e-9;

/** The steps of another optimiser, less of them while they overshoot and up to all of them while they do not. */
export function settling(inner: Optimizer): Optimizer {
  return {
    init: (params) => ({
      inner: inner.init(params),
      share: full([], 1, (leaves(params)[0].leaf as NdArray).dtype),
      last: zerosLike(params),
    }),
    strides: inner.strides,
    byCurvature: inner.byCurvature,
    update: (gradient, state: never, params, around) => {
      const { inner: before, share, last } = state as Settling;
      const done = inner.update(gradient, before as never, params, around);
      const lengths = lengthOf(gradient).mul(lengthOf(last));
      const cosine = dotOf(gradient, last).div(lengths.maximum(1e-30));
      const change = cosine.neg().relu().mul(advancing).sub(cosine.relu().mul(overshooting));
      const next = share.mul(change.exp()).maximum(least).minimum(1);
      const updates = mapTrees((step) => step.mul(next), done.updates);
      return { updates, state: { inner: done.state, share: next, last: updates } satisfies Settling };
    },
  };
}
