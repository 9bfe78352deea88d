// Numbers that are none, in one place: in a loss, a slack, a residual or the state itself. A run stops at the first, keeps the state
// before it and names what it was in.
import {
  type Backend,
  compile,
  concat,
  infiniteSlopes,
  leaves,
  type NdArray,
  readAll,
  type Stored,
  type Tensor,
} from "@pliant/engine";
import type { NotSmoothError } from "../certificate/local-model.js";
import { PliantError } from "../errors.js";
import type { Optimizer } from "../optimizers/optimizer.js";
import { isFiniteArray } from "../problem/finite-array.js";
import type { Observed } from "../problem/group-means.js";
import { measure, type Problem, type Traced } from "../problem/problem.js";
import { readState, type SolverState, type StoredState } from "./state.js";

const atStart = "At the start";
const tooFar = " Try a smaller rate, or clip the gradient.";
export const boundless =
  " Perhaps the objective falls without end: a decay, or a requirement that holds the parameters, gives it a minimum. Where losses are not convex, try adam.";

/** A run that met a number that is none: the state before the steps in which it appeared is kept. */
export class DivergedError extends PliantError {
  override readonly name = "DivergedError";
  constructor(
    /** What was seen, without its end. */
    readonly seen: string,
    readonly lastGood: SolverState,
    /** Advice that follows the sentence. */
    advice = seen.startsWith(atStart) ? "" : tooFar,
  ) {
    const kept = lastGood.step === 0 ? "." : `; the state after step ${lastGood.step} is kept.`;
    super(`${seen}${kept}${advice}`);
  }
}

/** What steps from a state have met: an operation without a slope there, or numbers that grew beyond bounds. */
export const explainer =
  <P, D, M, N extends string>(
    task: Problem<P, D, M, N>,
    data: unknown,
    { byNewton, optimizer }: { byNewton: boolean; optimizer: Optimizer },
  ) =>
  async (error: DivergedError | NotSmoothError, state: SolverState): Promise<DivergedError> => {
    const when = state.step === 0 ? atStart : `After step ${state.step}`;
    const losses = (params: Traced<P>, d: D): Record<string, Tensor> => {
      const seen = measure(task, params, d);
      const named = Object.entries<Observed>(seen.losses).map(([name, { value }]) => [name, value] as const);
      return { "the objective": seen.objective, ...Object.fromEntries(named) };
    };
    const args = [state.params, await readAll(data as never)];
    const found = infiniteSlopes(losses as (...args: never[]) => Record<string, Tensor>, args);
    for (const [name, [operation]] of Object.entries(found)) {
      if (!operation) continue;
      return new DivergedError(
        `${when} the gradient of ${name} is not a finite number: ${operation} has no finite slope there`,
        state,
        operation === "sqrt"
          ? " Add a small number under the root, or state the square."
          : " Start elsewhere.",
      );
    }
    if (error instanceof DivergedError)
      return new DivergedError(error.seen, state, byNewton || optimizer.byCurvature ? boundless : undefined);
    return new DivergedError(
      `${when} ${error.derivative.toLowerCase()} was not a finite number`,
      state,
      byNewton ? " Start elsewhere, or try adam, which needs no second derivatives." : undefined,
    );
  };

/** What each step saw: the objective [steps], and of each requirement the sum of its slacks [steps]. */
export interface Recorded {
  readonly objective: NdArray;
  readonly slacks: Readonly<Record<string, NdArray>>;
}

/** Where a state is spoilt, seen where it lies: the path of the first leaf that is not all finite numbers. */
export type FirstSpoilt = (state: StoredState) => Promise<string | undefined>;

/** The last step of a chunk leaves no record of what it made. Only one flag a leaf is read. */
export function spoiltIn(backend: Backend): FirstSpoilt & { release(): void } {
  const flags = compile(
    (list: Tensor[]) => concat(list.map((x) => x.abs().max().lt(Infinity).cast("int32").reshape([1]))),
    { backend },
  );
  const find: FirstSpoilt = async ({ params, prices, relaxations }) => {
    const parts = leaves({ params, prices, relaxations }).filter(
      ({ leaf }) => !(leaf as Stored).shape.includes(0),
    );
    const { data } = await (await flags(parts.map(({ leaf }) => leaf) as never)).read();
    return parts.find((_, i) => !data[i])?.path.slice(1);
  };
  return Object.assign(find, { release: () => flags.release() });
}

export async function checkSteps(
  { objective, slacks }: Recorded,
  next: StoredState,
  before: StoredState,
  firstSpoilt: FirstSpoilt,
): Promise<void> {
  const firstBad = (x: NdArray): number => Array.from(x.data).findIndex((v) => !Number.isFinite(v));
  // Requirements first: a price that is no number spoils the objective one step later.
  const found = Object.entries(slacks).map(([name, g]) => ({ name, at: firstBad(g) }));
  found.push({ name: "the objective", at: firstBad(objective) });
  const [worst] = found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  const spoilt = worst ? undefined : await firstSpoilt(next);
  if (!worst && spoilt === undefined) return;
  const what = worst
    ? `In step ${before.step + worst.at + 1} ${worst.name} was not a finite number`
    : `In step ${next.step} the state's ${spoilt} became NaN or infinite`;
  throw new DivergedError(what, await readState(before));
}

/** What was seen of a state, by name; anything that is no number is refused with the state that it is of. */
export async function checkSeen(
  seen: Readonly<Record<string, ArrayLike<number>>>,
  state: StoredState,
): Promise<void> {
  const guilty = Object.entries(seen)
    .filter(([, data]) => !isFiniteArray({ data }))
    .map(([name]) => name);
  if (guilty.length === 0) return;
  const about =
    guilty.length > 1
      ? `${guilty.slice(0, -1).join(", ")} and ${guilty[guilty.length - 1]} were not finite numbers`
      : `${guilty[0]} was not a finite number`;
  throw new DivergedError(
    state.step === 0
      ? `${atStart} ${about}; perhaps a group has no examples, or the data has missing numbers`
      : `After step ${state.step} ${about}`,
    await readState(state),
  );
}
