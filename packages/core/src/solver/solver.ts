// Runs an algorithm on a problem: state is plain data, steps run on the device in chunks, and a certificate decides when
// to stop. Saving the state and going on from it gives the same numbers to the bit.
import {
  type Argument,
  type Backend,
  byRows,
  compile,
  full,
  grad,
  leaves,
  mapTree,
  type NdArray,
  type Replace,
  type Stored,
  type Tensor,
} from "@pliant/engine";
import { extragradientStep, paperStep, resilientStep, type Step } from "../algorithms/algorithms.js";
import { type Certificate, isSettled } from "../certificate/certificate.js";
import { localModels, NotSmoothError } from "../certificate/local-model.js";
import { checkCost } from "../costs/check.js";
import { isBuiltIn } from "../costs/cost.js";
import { diagnose } from "../diagnose/diagnose.js";
import { firstPace, lengthOf } from "../dual-rates/dual-step-size.js";
import { firstNoise } from "../dual-rates/minibatch-noise.js";
import { InputError, PliantError, unknownName } from "../errors.js";
import { type Arrangement, arrange, type Terms } from "../layout/constraint-layout.js";
import { type Changes, termsOf } from "../layout/overrides.js";
import { adam, type Optimizer } from "../optimizers/optimizer.js";
import { settling } from "../optimizers/step-damping.js";
import type { Problem, Requirement, Traced } from "../problem/problem.js";
import { onlyNames } from "../problem/validate.js";
import { createReport, type Report } from "../report/report.js";
import { defaultBackend } from "./backend.js";
import { boundless, checkSeen, DivergedError, withoutSlope } from "./finite.js";
import { inspector } from "./inspector.js";
import type { BatchOptions } from "./minibatch.js";
import { withNaturalScales } from "./natural-scales.js";
import { firstNewton, newtonTrainer } from "./newton-loop.js";
import { checkState, readState, type SolverState, type StoredState } from "./state.js";
import { type AdvanceOptions, firstInner, trainer, whole } from "./training-loop.js";

/** The data, the algorithm with its rates, and where it runs. */
export interface SolverOptions<Data> {
  /** What objective and requirements see: arrays, in the form their functions take. */
  data: Replace<Data, Argument>;
  /** Steps that see a part of the data each; the certificate is about all of it. All of it at every step unless given. */
  batch?: BatchOptions;
  /**
   * The model sees at most this many rows at a time, in steps and at looks, so that memory does not grow with the data; losses
   * see its answers to all of them. All at once unless given.
   */
  rowsAtOnce?: number;
  /** "resilient" unless given; "paper" is Algorithm 1. */
  algorithm?: "resilient" | "paper" | "extragradient";
  /**
   * Newton's steps on the augmented Lagrangian unless given, for problems of up to 10,000 parameters whose data is seen whole; adam(0.03)
   * for others, with steps that settle where all data is seen.
   */
  optimizer?: Optimizer;
  /**
   * η_λ, for a requirement whose own rate is 1: a number, or one for each step, which counts from 0. Unless given rates set themselves
   * in steps of the default algorithm; it is 0.1 in those of the others and, in minibatches, of requirements on every example.
   */
  dualRate?: number | ((step: number) => number);
  /** η_u of the paper's algorithm; 0.1 unless given. */
  relaxationRate?: number;
  /** N of the paper's algorithm: steps of the parameters to one of relaxations and prices; 1 unless given. */
  inner?: number;
  /** κ of the default algorithm; 1 unless given. */
  damping?: number;
  /** Stops once each stated number is known to this share of its size; 3e-3 unless given. */
  tolerance?: number;
  /** Objective and requirements are convex, so that a minimum is the global one. Checked along the way. */
  convex?: boolean;
  /**
   * The objective, or what is priced, has kinks, as absolute values have: next to one the certificate then asks for any slope between
   * its sides, and not for that of one side. Not so unless given.
   */
  kinks?: boolean;
  /** Of the keys that `forward` gets; 0 unless given. */
  seed?: number;
  /** The fastest of this machine unless given; for float64, plain TypeScript. */
  backend?: Backend;
}

/** How long to solve, from where, and who is told. */
export interface SolveOptions<Data, Params = unknown> extends SolverOptions<Data> {
  /** At most this many; 2000 unless given. */
  steps?: number;
  /** Steps between two looks at the certificate; 25 unless given. */
  every?: number;
  /** Goes on from here. */
  state?: SolverState;
  /** After each look; what it promises is waited for. */
  onProgress?: (progress: {
    step: number;
    objective: number;
    certificate: Certificate;
    params: Params;
  }) => void | Promise<void>;
}

/** What `solve` found: parameters on the host, the state to go on from, the certificate and the report. */
export interface Solution<P, Names extends string> {
  readonly params: P;
  readonly state: SolverState;
  readonly certificate: Certificate;
  readonly report: Report<Names>;
  readonly steps: number;
}

/** Finds the model, the relaxations and the prices. */
export async function solve<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  options: SolveOptions<D, P>,
): Promise<Solution<P, N>> {
  const solver = await createSolver(task, options);
  try {
    return await solveWith(solver, options);
  } finally {
    solver.release();
  }
}

/** From a state, or the beginning, to the certificate or the last step. */
export async function solveWith<P, N extends string>(
  { initial, next, inspect }: Solver<P, N>,
  {
    steps = 2000,
    every = 25,
    state,
    onProgress,
    enough = () => false,
  }: Pick<SolveOptions<unknown, P>, "steps" | "every" | "state" | "onProgress"> & {
    /** Stops before, after a look that says so. */
    enough?: (found: Solution<P, N>) => boolean;
  },
  terms?: Terms<Stored>,
): Promise<Solution<P, N>> {
  whole("every", every);
  if (!(Number.isInteger(steps) && steps >= 0))
    throw new PliantError(`steps must be a whole number from 0, got ${steps}.`);
  // Where steps follow, a start that is far from a minimum is not checked further.
  let found = await inspect(state ?? initial, terms, { onTheWay: steps > 0 });
  const last = found.steps + steps;
  while (found.steps < last && !isSettled(found.certificate) && !enough(found)) {
    const steps = Math.min(every, last - found.steps);
    found = await next(found, steps, terms, { onTheWay: found.steps + steps < last });
    const { objective, certificate } = found.report;
    await onProgress?.({ step: found.steps, objective, certificate, params: found.params });
  }
  return found;
}

/** From the model and the prices of a state to another question: steps count from 0, and prices find their pace anew. */
export const afresh = <P, N extends string>({ initial }: Solver<P, N>, state: SolverState): SolverState => ({
  ...state,
  pace: initial.pace,
  inner: initial.inner,
  step: 0,
});

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

/** What `solve` does in one go, for those who save or show something in between. */
export async function createSolver<P, D, M, N extends string>(
  given: Problem<P, D, M, N>,
  options: SolverOptions<D>,
): Promise<Solver<P, N>> {
  if (typeof options !== "object" || options === null || options.data === undefined)
    throw new InputError(
      "A solver needs data, in the form that the functions of the problem take: { data }.",
    );
  onlyNames("", "an option of a solver", options, optionNames);
  const task = options.rowsAtOnce === undefined ? given : inParts(given, options.rowsAtOnce);
  const { tolerance = 3e-3, seed = 0, batch, kinks, convex, inner = 1, relaxationRate = 0.1 } = options;
  const algorithm = options.algorithm ?? "resilient";
  const step = stepOf(options);
  checkOptions({ ...options, algorithm, inner, tolerance });
  const { dtype } = leaves(task.params)[0].leaf as NdArray;
  const backend = options.backend ?? (await defaultBackend(dtype));
  const data = mapTree(options.data, (x: Argument) => (isHostArray(x) ? backend.put(x) : x));
  const stated = await arrange(task, data as never, backend);
  const models = localModels(stated, data, backend);
  const { arranged, rates } = await withNaturalScales(task, stated, models);
  checkCosts(arranged);
  checkSigns(algorithm, task);
  const zeros = () => arranged.vectors(() => 0);
  const suited = suitsNewton(given, options);
  const byNewton = suited && batch === undefined;
  // What is seen whole has no noise to average, and no noise that keeps steps from settling.
  const optimizer =
    options.optimizer ?? (batch === undefined ? settling(adam(0.03, { betas: [0.9, 0.97] })) : adam(0.03));
  const firstSlope = await slopeOf(task, arranged, data, backend);
  const fixed = options.dualRate ?? (algorithm === "resilient" ? undefined : 0.1);
  const initial: SolverState = {
    params: task.params,
    optimizer: byNewton ? [] : optimizer.init(task.params),
    relaxations: zeros(),
    prices: zeros(),
    pace: firstPace(
      rates,
      full([], usualSlope(firstSlope, arranged), dtype),
      batch && fixed === undefined ? firstNoise(zeros(), task.params, full([], 0, dtype)) : [],
    ),
    inner: byNewton ? firstNewton(zeros()) : firstInner(inner, task.params, zeros()),
    step: 0,
  };
  const { start } = arranged;
  await checkSeen({ "the objective": [start.objective], ...start.losses }, initial);
  const dualRate = typeof fixed === "number" ? () => fixed : fixed;
  const newtonSteps = newtonTrainer(arranged, models, { tolerance });
  const advance = byNewton
    ? newtonSteps
    : trainer(task, arranged, data, {
        step: step as unknown as Step<never>,
        optimizer,
        dualRate,
        batch,
        inner,
        relaxationRate,
        seed,
        backend,
      });
  const look = inspector(task, arranged, data, {
    tolerance,
    backend,
    models,
    kinks,
    convex,
    sampled: batch !== undefined,
  });
  const diagnosed = diagnose(task, arranged, models);
  // The last state that was inspected, on the host and where it lies: to go on from it nothing travels back.
  let latest: { state: SolverState; stored: StoredState; lower?: unknown } | undefined;
  const whereItLies = (given: StoredState): StoredState =>
    given === latest?.state
      ? latest.stored
      : (checkState(given as SolverState, initial) as unknown as StoredState);
  const inspect = async (
    given: StoredState,
    terms: Terms<Stored> = arranged.stated,
    how?: Looked,
  ): Promise<Solution<P, N>> => {
    const stored = whereItLies(given);
    const seen = await look(stored, terms, how);
    const state = given === latest?.state ? latest.state : await readState(stored);
    latest = { state, stored, lower: seen.lower };
    const certificate = await diagnosed({ state, terms, seen });
    const report = createReport(task, arranged, { state, terms, seen: { ...seen, certificate } });
    return { params: state.params as P, state, certificate, report, steps: state.step };
  };
  /** What steps from a state have met: an operation without a slope there, or numbers that grew beyond bounds. */
  const explained = async (error: DivergedError | NotSmoothError, state: SolverState): Promise<Error> =>
    (await withoutSlope(task, data, state)) ??
    (error instanceof DivergedError
      ? new DivergedError(error.seen, state, byNewton || optimizer.byCurvature ? boundless : undefined)
      : new DivergedError(
          `${state.step === 0 ? "At the start" : `After step ${state.step}`} ${error.derivative.toLowerCase()} was not a finite number`,
          state,
          byNewton ? " Start elsewhere, or try adam, which needs no second derivatives." : undefined,
        ));
  /**
   * Steps on minibatches end in their noise. Near the minimum Newton's steps on all data, which the check sees anyway, go the rest; where
   * they do not end in a certificate the next ones wait for twice as many steps.
   */
  let tried = 0;
  const finished = async (found: Solution<P, N>, terms?: Terms<Stored>): Promise<Solution<P, N>> => {
    const { certificate, state } = found;
    const { objective, parameters } = certificate.errors;
    const isNear = Math.max(objective, parameters) < near;
    if (state.step < tried) tried = 0;
    if (!suited || byNewton || isSettled(certificate) || !isNear || state.step < 2 * tried) return found;
    tried = state.step;
    const before = latest;
    const from = { ...state, inner: firstNewton(zeros()) } as unknown as StoredState;
    const stepped = await newtonSteps(from, lastSteps, terms ?? arranged.stated);
    const better = await inspect({ ...stepped, inner: state.inner } as StoredState, terms);
    if (better.certificate.holds) return better;
    latest = before;
    return found;
  };
  const go: Solver<P, N>["advance"] = (state, steps, terms = arranged.stated, how) => {
    const from = whereItLies(state);
    // From a saddle, or where the ground nearby is lower, steps go on from there.
    const lower = state === latest?.state ? latest.lower : undefined;
    return advance(lower ? { ...from, params: lower } : from, whole("steps", steps), terms, how);
  };
  return {
    initial,
    arranged: arranged as unknown as Arrangement<P, unknown, N>,
    terms: (changes) => termsOf(task.requirements, arranged, changes),
    advance: go,
    inspect: async (state, terms, how) => {
      try {
        return await inspect(state, terms, how);
      } catch (error) {
        throw error instanceof NotSmoothError
          ? await explained(error, await readState(whereItLies(state)))
          : error;
      }
    },
    release: () => {
      for (const compiled of [advance, look, models]) compiled.release();
    },
    next: async (found, steps, terms, how = { onTheWay: true }) => {
      try {
        return await finished(await inspect(await go(found.state, steps, terms), terms, how), terms);
      } catch (error) {
        throw error instanceof DivergedError || error instanceof NotSmoothError
          ? await explained(error, found.state)
          : error;
      }
    },
  };
}

/** Up to so many parameters Newton's steps are the default. */
const newtonsMost = 10_000;
/** After minibatches: where objective and parameters are known to this share of their sizes, up to so many steps. */
const [near, lastSteps] = [0.1, 5];

/** Whether Newton's steps solve the problem: no others are asked for, and it has second derivatives, which counts and kinks have not. */
function suitsNewton<P, D, M, N extends string>(
  { params, forward, requirements }: Problem<P, D, M, N>,
  { optimizer, algorithm, dualRate, damping, kinks }: SolverOptions<D>,
): boolean {
  const given = [optimizer, algorithm, dualRate, damping];
  const all = Object.values<Requirement<M, D>>(requirements);
  return (
    given.every((option) => option === undefined) &&
    !kinks &&
    // A model that draws at random takes the key of the step.
    forward.length < 3 &&
    all.every(({ pricedBy, rate }) => pricedBy !== "strict" && rate === undefined) &&
    leaves(params).reduce((sum, { leaf }) => sum + (leaf as NdArray).size, 0) <= newtonsMost
  );
}

/** Algorithm 1 keeps prices at 0 or above, and an equality's may have either sign. */
function checkSigns<P, D, M, N extends string>(
  algorithm: string,
  { requirements }: Problem<P, D, M, N>,
): void {
  if (algorithm !== "paper") return;
  for (const [name, { sense }] of Object.entries<Requirement<M, D>>(requirements))
    if (sense === "equal to")
      throw new PliantError(
        `${name} is an equality, whose price may be negative, and the paper's algorithm keeps prices at 0 or above; state it by two inequalities, or leave out algorithm: "paper".`,
      );
}

const optionNames: Readonly<Record<keyof SolveOptions<unknown>, true>> = {
  data: true,
  steps: true,
  tolerance: true,
  optimizer: true,
  batch: true,
  rowsAtOnce: true,
  algorithm: true,
  dualRate: true,
  relaxationRate: true,
  inner: true,
  damping: true,
  kinks: true,
  convex: true,
  seed: true,
  backend: true,
  every: true,
  state: true,
  onProgress: true,
};

/** The problem with a model that is evaluated on a part of the rows at a time. */
function inParts<P, D, M, N extends string>(task: Problem<P, D, M, N>, rows: number): Problem<P, D, M, N> {
  whole("rowsAtOnce", rows);
  return {
    ...task,
    forward: (params, data, key) => byRows((part: D) => task.forward(params, part, key), data, rows) as M,
  };
}

const isHostArray = (x: unknown): x is NdArray => typeof x === "object" && x !== null && "data" in x;

function stepOf<D>({
  algorithm = "resilient",
  relaxationRate = 0.1,
  damping = 1,
}: SolverOptions<D>): Step<unknown> {
  const algorithms: Record<string, Step<unknown>> = {
    resilient: resilientStep(damping),
    paper: paperStep(relaxationRate),
    extragradient: extragradientStep(),
  };
  const step = Object.hasOwn(algorithms, algorithm) ? algorithms[algorithm] : undefined;
  if (!step) throw unknownName("an algorithm", String(algorithm), Object.keys(algorithms));
  return step;
}

function checkOptions<D>({
  algorithm,
  inner,
  tolerance,
  damping = 1,
}: SolverOptions<D> & { inner: number; tolerance: number }): void {
  if (whole("inner", inner) > 1 && algorithm !== "paper")
    throw new PliantError('inner is the inner loop of algorithm: "paper"; leave out one of them.');
  for (const [name, value] of Object.entries({ tolerance, damping }))
    if (!(value >= 0 && Number.isFinite(value)))
      throw new PliantError(`${name} must be a number from 0, got ${value}.`);
}

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

/** ‖∇ℓ₀‖ at the start. */
async function slopeOf<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  arranged: Arrangement<P, D, N>,
  data: unknown,
  backend: Backend,
): Promise<number> {
  const found = compile(
    (params: Traced<P>, d: D, terms: Terms<never>) => {
      const slopes = grad((p: Traced<P>) => arranged.evaluate(p, d, terms).objective)(params);
      const each = leaves(slopes).map(({ leaf }) => leaf as Tensor);
      if (each.every(isNothing))
        throw new PliantError(
          "The objective has no slope in any parameter, so that nothing could be learnt from it: it counts or rounds, stops its gradient or does not see them. Minimise a loss that stands for it.",
        );
      return lengthOf(each);
    },
    { backend },
  );
  const slope = await found(task.params as never, data as never, arranged.stated as never);
  found.release();
  return (await slope.read()).item();
}

/** What no gradient flows to has a 0 in its place, one for all of its elements. */
const isNothing = ({ inputs, attrs }: Tensor): boolean => {
  if (inputs.length > 0) return inputs.length === 1 && inputs[0].size === 1 && isNothing(inputs[0]);
  const { value } = attrs as { value?: NdArray };
  return value?.size === 1 && value.item() === 0;
};

/** What a slope is compared with by the pace of prices: less, where the objective is usually smaller, by the root of that, as of a bowl. */
const usualSlope = (
  firstSlope: number,
  { size, start }: Pick<Arrangement<unknown, unknown, never>, "size" | "start">,
): number => firstSlope * Math.sqrt(start.objective === 0 ? 1 : size / Math.abs(start.objective));
