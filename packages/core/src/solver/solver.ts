// A problem made ready once, to be solved piece by piece: its layout, the steps of an algorithm, and the check of a state. State is plain
// data; saving it and going on from it gives the same numbers to the bit.
import { type Argument, full, leaves, mapTree, type NdArray, type Stored } from "@pliant/engine";
import { firstInner } from "../algorithms/inner-loop.js";
import { type Certificate, isSettled } from "../certificate/certificate.js";
import { localModels } from "../certificate/compiled-model.js";
import { NotSmoothError } from "../certificate/local-model.js";
import { checkCost } from "../costs/check.js";
import { isBuiltIn } from "../costs/cost.js";
import { diagnose } from "../diagnose/diagnose.js";
import { firstPace } from "../dual-rates/dual-step-size.js";
import { firstNoise } from "../dual-rates/minibatch-noise.js";
import { wholeNumber } from "../errors.js";
import { type Arrangement, arrange, type Terms } from "../layout/constraint-layout.js";
import { type Changes, termsOf } from "../layout/overrides.js";
import type { Problem } from "../problem/problem.js";
import { createReport, type Report } from "../report/report.js";
import { defaultBackend } from "./backend.js";
import { checkSeen, DivergedError, explainer } from "./finite.js";
import { inspector } from "./inspector.js";
import { withNaturalScales } from "./natural-scales.js";
import { firstNewton, newtonTrainer } from "./newton-loop.js";
import { inParts, type SolverOptions, stated } from "./options.js";
import { usualSlope } from "./slope.js";
import { checkState, readState, type SolverState, type StoredState } from "./state.js";
import { type AdvanceOptions, trainer } from "./training-loop.js";

/** What `solve` found: parameters on the host, the state to go on from, the certificate and the report. */
export interface Solution<P, Names extends string> {
  readonly params: P;
  readonly state: SolverState;
  readonly certificate: Certificate;
  readonly report: Report<Names>;
  readonly steps: number;
}

interface Looked {
  /** More steps follow, unless the certificate holds: a state that is far from a minimum is not checked further. */
  readonly onTheWay?: boolean;
}

/** A problem made ready once, to be solved piece by piece. */
export interface Solver<P, Names extends string> {
  /** Nothing relaxed, nothing priced. */
  readonly initial: SolverState;
  /** The problem at other levels or costs, or with something insisted on: other inputs of the same compiled step. */
  terms(changes: Changes<Names>): Terms<Stored>;
  advance(
    state: StoredState,
    steps: number,
    terms?: Terms<Stored>,
    how?: AdvanceOptions,
  ): Promise<StoredState>;
  /** Steps on from what was seen, and what they come to; a number that is none leaves what was seen as the last good state. */
  next(
    found: Solution<P, Names>,
    steps: number,
    terms?: Terms<Stored>,
    how?: Looked,
  ): Promise<Solution<P, Names>>;
  /** What a state comes to, with its certificate and report. */
  inspect(state: StoredState, terms?: Terms<Stored>, how?: Looked): Promise<Solution<P, Names>>;
  /** Gives back what was compiled; what is asked after that compiles again. */
  release(): void;
  /** The requirements as vectors, for those who read states. */
  readonly arranged: Arrangement<P, unknown, Names>;
}

/** After minibatches: where objective and parameters are known to this share of their sizes, up to so many of Newton's steps. */
const [near, lastSteps] = [0.1, 5];

/** What `solve` does in one go, for those who save or show something in between. */
export async function createSolver<P, D, M, N extends string>(
  given: Problem<P, D, M, N>,
  options: SolverOptions<D>,
): Promise<Solver<P, N>> {
  const asked = stated(given, options);
  const { tolerance, batch, byNewton, hasCurvature } = asked;
  const task = inParts(given, options.rowsAtOnce);
  const { dtype } = leaves(task.params)[0].leaf as NdArray;
  const backend = options.backend ?? (await defaultBackend(dtype));
  const data = mapTree(options.data, (x: Argument) => (isHostArray(x) ? backend.put(x) : x));
  const layout = await arrange(task, data as never, backend);
  const models = localModels(layout, data, backend);
  const { arranged, rates } = await withNaturalScales(task, layout, models);
  checkCosts(arranged);
  const initial = await firstState();
  const newtonSteps = newtonTrainer(arranged, models, { tolerance });
  const steps = byNewton ? newtonSteps : trainer(task, arranged, data, { ...asked, backend });
  const sampled = batch !== undefined;
  const look = inspector(task, arranged, data, { ...asked, backend, models, sampled });
  const diagnosed = diagnose(task, arranged, models);
  const explained = explainer(task, data, asked);

  /** Nothing relaxed, nothing priced. */
  async function firstState(): Promise<SolverState> {
    const { params } = task;
    const { start } = arranged;
    const zeros = () => arranged.vectors(() => 0);
    const scale = full([], await usualSlope(params, arranged, data, backend), dtype);
    const isNoisy = batch !== undefined && asked.dualRate === undefined;
    const state = {
      params,
      optimizer: byNewton ? [] : asked.optimizer.init(params),
      relaxations: zeros(),
      prices: zeros(),
      pace: firstPace(rates, scale, isNoisy ? firstNoise(zeros(), params, full([], 0, dtype)) : []),
      inner: byNewton ? firstNewton(zeros()) : firstInner(asked.inner, params, zeros()),
      step: 0,
    };
    await checkSeen({ "the objective": [start.objective], ...start.losses }, state);
    return state;
  }

  interface Found {
    readonly found: Solution<P, N>;
    readonly stored: StoredState;
    readonly lower?: unknown;
  }
  // The last state that was inspected, on the host and where it lies: to go on from it nothing travels back.
  let latest: Found | undefined;
  const whereItLies = (given: StoredState): StoredState =>
    given === latest?.found.state
      ? latest.stored
      : (checkState(given as SolverState, initial) as unknown as StoredState);

  const inspected = async (
    given: StoredState,
    terms: Terms<Stored> = arranged.stated,
    how?: Looked,
  ): Promise<Found> => {
    const stored = whereItLies(given);
    const seen = await look(stored, terms, how);
    const state = given === latest?.found.state ? latest.found.state : await readState(stored);
    const certificate = await diagnosed({ state, terms, seen });
    const report = createReport(task, arranged, { state, terms, seen: { ...seen, certificate } });
    const found = { params: state.params as P, state, certificate, report, steps: state.step };
    return { found, stored, lower: seen.lower };
  };

  const advance: Solver<P, N>["advance"] = (state, count, terms = arranged.stated, how) => {
    const from = whereItLies(state);
    // From a saddle, or where the ground nearby is lower, steps go on from there.
    const lower = state === latest?.found.state ? latest.lower : undefined;
    return steps(lower ? { ...from, params: lower } : from, wholeNumber("steps", count), terms, how);
  };

  /**
   * Steps on minibatches end in their noise. Near the minimum Newton's steps on all data, which the check sees anyway, go the rest; where
   * they do not end in a certificate the next ones wait for twice as many steps.
   */
  let tried = 0;
  const finished = async (now: Found, terms?: Terms<Stored>): Promise<Found> => {
    const { certificate, state } = now.found;
    const { objective, parameters } = certificate.errors;
    if (state.step < tried) tried = 0;
    const isNear = Math.max(objective, parameters) < near && state.step >= 2 * tried;
    if (!sampled || !hasCurvature || isSettled(certificate) || !isNear) return now;
    tried = state.step;
    const { inner, ...from } = state;
    const stepped = await newtonSteps(from as unknown as StoredState, lastSteps, terms ?? arranged.stated);
    const better = await inspected({ ...stepped, inner } as StoredState, terms);
    return better.found.certificate.holds ? better : now;
  };

  return {
    initial,
    arranged: arranged as unknown as Arrangement<P, unknown, N>,
    terms: (changes) => termsOf(task.requirements, arranged, changes),
    advance,
    inspect: async (state, terms, how) => {
      try {
        latest = await inspected(state, terms, how);
        return latest.found;
      } catch (error) {
        throw error instanceof NotSmoothError
          ? await explained(error, await readState(whereItLies(state)))
          : error;
      }
    },
    next: async (found, count, terms, how = { onTheWay: true }) => {
      try {
        const stepped = await advance(found.state, count, terms);
        latest = await finished(await inspected(stepped, terms, how), terms);
        return latest.found;
      } catch (error) {
        throw error instanceof DivergedError || error instanceof NotSmoothError
          ? await explained(error, found.state)
          : error;
      }
    },
    release: () => {
      for (const compiled of [steps, look, models]) compiled.release();
    },
  };
}

const isHostArray = (x: unknown): x is NdArray => typeof x === "object" && x !== null && "data" in x;

/** A cost of the user's own may not be one. */
function checkCosts<N extends string>({
  groups,
  sizes,
}: Pick<Arrangement<unknown, unknown, N>, "groups" | "sizes">): void {
  for (const { names, cost } of groups) {
    const elements = names.reduce((sum, name) => sum + sizes[name], 0);
    if (!isBuiltIn(cost)) checkCost(cost, { requirements: Math.min(elements, 8) });
  }
}
