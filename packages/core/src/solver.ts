// Runs an algorithm on a problem: state is plain data, steps run on the device in chunks, and a certificate decides when
// to stop. Saving the state and going on from it gives the same numbers to the bit.
import {
  type Argument,
  array,
  type Backend,
  compile,
  constant,
  loop,
  mapTree,
  type NdArray,
  type Replace,
  readAll,
  reference,
  type Tensor,
} from "@pliant/engine";
import { extragradientStep, paperStep, resilientStep, type State, type Step } from "./algorithms.js";
import { type BatchOptions, batches } from "./batch.js";
import { type Certificate, certify, type Residuals, residuals } from "./certificate.js";
import { PliantError } from "./errors.js";
import { type Layout, layoutOf } from "./layout.js";
import { adam, type Optimizer } from "./optimizer.js";
import { measureStrictly, type Problem, type Traced } from "./problem.js";
import { createReport, type Report } from "./report.js";

export interface SolveOptions<Data> {
  /** What objective and requirements see: arrays, in the form their functions take. */
  data: Replace<Data, Argument>;
  /** Steps that see a part of the data each; the certificate is about all of it. All of it at every step unless given. */
  batch?: BatchOptions;
  /** At most this many. */
  steps?: number;
  /** "resilient" unless given; "paper" is Algorithm 1 to the letter. */
  algorithm?: "resilient" | "paper" | "extragradient";
  optimizer?: Optimizer;
  /** η_λ, for a requirement whose own rate is 1: a number, or one for each step, which counts from 0. */
  dualRate?: number | ((step: number) => number);
  /** η_u of the paper's algorithm. */
  relaxationRate?: number;
  /** κ of the default algorithm. */
  damping?: number;
  /** No price above this: a requirement that would cost more gives way as if it cost this a unit. */
  priceCap?: number;
  /** Stops once the certificate holds to this. */
  tolerance?: number;
  /** Steps between two looks at the certificate. */
  every?: number;
  backend?: Backend;
  /** Goes on from here. */
  state?: SolverState;
  onProgress?: (progress: { step: number; objective: number; certificate: Certificate }) => void;
}

/** All a run is, as plain data: arrays on the host. */
export interface SolverState {
  readonly params: unknown;
  readonly optimizer: unknown;
  /** One vector a group of requirements. */
  readonly relaxations: readonly NdArray[];
  readonly prices: readonly NdArray[];
  readonly step: number;
}

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
  options: SolveOptions<D>,
): Promise<Solution<P, N>> {
  const { steps = 1000, every = 100, onProgress } = options;
  const { initial, advance, inspect } = await createSolver(task, options);
  let found = await inspect(options.state ?? initial);
  const last = found.steps + steps;
  while (found.steps < last && !found.certificate.holds) {
    found = await inspect(await advance(found.state, Math.min(every, last - found.steps)));
    const { objective, certificate } = found.report;
    onProgress?.({ step: found.steps, objective, certificate });
  }
  return found;
}

/** A problem made ready once, to be solved piece by piece. */
export interface Solver<P, Names extends string> {
  /** Nothing relaxed, nothing priced. */
  readonly initial: SolverState;
  advance(state: SolverState, steps: number): Promise<SolverState>;
  /** What a state comes to, with its certificate and report. */
  inspect(state: SolverState): Promise<Solution<P, Names>>;
}

/** What `solve` does in one go, for those who save or show something in between. */
export async function createSolver<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  options: Omit<SolveOptions<D>, "steps" | "every" | "state" | "onProgress">,
): Promise<Solver<P, N>> {
  const { data, tolerance = 1e-3, optimizer = adam(1e-2), backend = reference() } = options;
  const layout = await layoutOf(task, data, backend);
  const look = inspector(task, layout, data, tolerance, backend);
  const zeros = () => layout.vectors(() => 0);
  return {
    initial: {
      params: task.params,
      optimizer: optimizer.init(task.params),
      relaxations: zeros(),
      prices: zeros(),
      step: 0,
    },
    advance: trainer(task, layout, { ...options, optimizer, backend }),
    inspect: async (state) => {
      const seen = await look(state);
      const report = createReport(task, layout, state, seen);
      return { params: state.params as P, state, certificate: seen.certificate, report, steps: state.step };
    },
  };
}

function positive(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new PliantError(`${name} must be a positive number, got ${value}.`);
}

type Trainer = (state: SolverState, steps: number) => Promise<SolverState>;

/** Takes steps on the device; a number that is none stops it, with the state before kept. */
function trainer<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  { evaluate, costs, groups, vectors, dtype }: Layout<P, D, N>,
  {
    data,
    algorithm = "resilient",
    optimizer,
    dualRate = 0.1,
    relaxationRate = 0.1,
    damping = 1,
    priceCap,
    batch,
    backend,
  }: SolveOptions<D> & { optimizer: Optimizer },
): Trainer {
  const algorithms: Record<typeof algorithm, Step<P>> = {
    resilient: resilientStep(damping),
    paper: paperStep(relaxationRate),
    extragradient: extragradientStep(),
  };
  const step = algorithms[algorithm];
  if (priceCap !== undefined) {
    positive("priceCap", priceCap);
    if (algorithm === "paper")
      throw new PliantError("The paper's algorithm knows no priceCap; leave out one of them.");
  }
  const own = vectors((name) => task.requirements[name].rate ?? 1).map(constant);
  const rateAt = typeof dualRate === "number" ? () => dualRate : dualRate;
  const parts = batch && batches(data, batch);
  const run = loop(
    (state: State<P>, all: D, { rate, rows }: { rate: Tensor; rows: Record<string, Tensor> }) => {
      const d = parts ? parts.choose(all, rows) : all;
      const rates = own.map((r) => r.mul(rate));
      const { state: next, values } = step(
        { evaluate: (p) => evaluate(p, d), costs, rates, optimizer, priceCap },
        state,
      );
      const record = { objective: values.objective, slacks: values.slacks.map((g) => g.sum()) };
      return { state: next as never, record };
    },
    { backend },
  );
  return async ({ step: at, ...state }, steps) => {
    const rates = Array.from({ length: steps }, (_, i) => positive("dualRate", rateAt(at + i)));
    const slices = { rate: array(rates, { dtype }), rows: parts?.rows(at, steps) ?? {} };
    const done = await run(state as never, data as never, slices);
    refuseNaN(await readAll(done.record), groups, { ...state, step: at });
    return { ...((await readAll(done.state)) as unknown as Omit<SolverState, "step">), step: at + steps };
  };
}

interface Inspection {
  readonly certificate: Certificate;
  readonly objective: number;
  readonly slacks: readonly NdArray[];
  readonly strict: Readonly<Record<string, NdArray>>;
}

/** Looks at a state: objective, slacks, strict metrics and certificate. */
function inspector<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  { evaluate, costs }: Layout<P, D, N>,
  data: Replace<D, Argument>,
  tolerance: number,
  backend: Backend,
): (state: SolverState) => Promise<Inspection> {
  const look = compile(
    (state: { params: Traced<P>; relaxations: Tensor[]; prices: Tensor[] }, d: D) => ({
      values: evaluate(state.params, d),
      strict: measureStrictly(task, state.params, d) as Record<string, Tensor>,
      found: residuals((p: Traced<P>) => evaluate(p, d), costs, state),
    }),
    { backend },
  );
  return async ({ params, relaxations, prices }) => {
    const { values, strict, found } = await readAll(
      await look({ params, relaxations, prices } as never, data as never),
    );
    const numbers = mapTree(found, (x: NdArray) => x.item()) as unknown as Residuals;
    return {
      certificate: certify(numbers, tolerance),
      objective: values.objective.item(),
      slacks: values.slacks,
      strict,
    };
  };
}

/** A run that met a number that is none: the state before the steps in which it appeared is kept. */
export class DivergedError extends PliantError {
  override readonly name = "DivergedError";
  constructor(
    message: string,
    readonly lastGood: SolverState,
  ) {
    super(message);
  }
}

function refuseNaN(
  { objective, slacks }: { objective: NdArray; slacks: readonly NdArray[] },
  groups: readonly { names: readonly string[] }[],
  lastGood: SolverState,
): void {
  const firstBad = (x: NdArray): number => Array.from(x.data).findIndex((v) => !Number.isFinite(v));
  // Requirements first: a price that is no number spoils the objective one step later.
  const found = slacks.map((g, i) => ({ name: groups[i].names.join(", "), at: firstBad(g) }));
  found.push({ name: "the objective", at: firstBad(objective) });
  const [worst] = found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  if (!worst) return;
  throw new DivergedError(
    `In step ${lastGood.step + worst.at + 1} ${worst.name} was not a finite number; the state after step ${lastGood.step} is kept. Try a smaller rate, or clip the gradient.`,
    lastGood,
  );
}
