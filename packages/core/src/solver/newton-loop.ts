// The training loop of Newton's steps: from one state of the solver to the next, until they converge.
import { full, NdArray, type Stored } from "@pliant/engine";
import type { Models } from "../certificate/compiled-model.js";
import { ravel, unravel, type Vector } from "../certificate/vectors.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import { atPrices, type NewtonState, newtonStep, type Stepped } from "../newton/steps.js";
import { isFiniteArray } from "../problem/finite-array.js";
import { boundless, DivergedError } from "./finite.js";
import { readState, type StoredState } from "./state.js";
import type { Advance, AdvanceOptions } from "./training-loop.js";

/** What Newton's steps remember, as plain data. */
export const firstNewton = (zeros: readonly NdArray[]): Memory => ({
  t: zeros,
  progress: new NdArray(Float64Array.of(1, 1e300), [2]),
});

interface Memory {
  readonly t: readonly NdArray[];
  /** Shrink and residual. */
  readonly progress: NdArray;
}

/** Steps until they converge, or as many as are asked for. */
export function newtonTrainer<P, D, N extends string>(
  { signed }: Arrangement<P, D, N>,
  models: Models,
  { tolerance }: { tolerance: number },
): Advance {
  const nothing = signed.map(({ shape, dtype }) => full(shape, 0, dtype));
  const advance = async (
    stored: StoredState,
    steps: number,
    terms: Terms<Stored>,
    { atThesePrices = false }: AdvanceOptions = {},
  ): Promise<StoredState> => {
    const state = await readState(stored);
    const model = await models(state.params, terms);
    const split = (flat: Vector): NdArray[] => unravel([...signed], flat);
    const { t, progress } = (state.inner ?? firstNewton(nothing)) as Memory;
    const [shrink, before] = Array.from(progress.data, Number);
    let now: NewtonState = {
      x: ravel(state.params),
      prices: ravel([...state.prices]),
      relaxations: ravel([...state.relaxations]),
      t: ravel([...t]),
      shrink,
      residual: before,
    };
    let taken = 0;
    while (taken < steps) {
      const next: Stepped = atThesePrices
        ? await atPrices(model, now)
        : await newtonStep(model, now, tolerance);
      taken++;
      if (!isFiniteArray({ data: next.x }))
        throw new DivergedError(
          `In step ${state.step + taken} the parameters became NaN or infinite`,
          state,
          boundless,
        );
      now = next;
      if (next.converged) break;
    }
    return {
      ...state,
      params: unravel(state.params, now.x),
      prices: split(now.prices),
      relaxations: split(now.relaxations),
      inner: {
        t: split(now.t),
        progress: new NdArray(Float64Array.of(now.shrink, now.residual), [2]),
      },
      step: state.step + taken,
    };
  };
  return Object.assign(advance, { release: () => {} });
}
