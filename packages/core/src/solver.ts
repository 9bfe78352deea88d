// Runs an algorithm on a problem: state is plain data, steps run on the device in chunks, and a certificate decides when
// to stop. Saving the state and going on from it gives the same numbers to the bit.
import {
  type Argument,
  type Backend,
  compile,
  concat,
  full,
  loop,
  mapTree,
  NdArray,
  type Replace,
  readAll,
  reference,
  type Tensor,
} from "@pliant/engine";
import { paperStep, resilientStep, type Setting, type Values } from "./algorithms.js";
import { type Certificate, certify, type Residuals, residuals } from "./certificate.js";
import { PliantError } from "./errors.js";
import { adam, type Optimizer } from "./optimizer.js";
import { groupsOf, measure, type Problem, type Traced } from "./problem.js";
import { createReport, type Report } from "./report.js";

export interface SolveOptions<Data> {
  /** What objective and requirements see: arrays, in the form their functions take. */
  data: Replace<Data, Argument>;
  steps?: number;
  algorithm?: "resilient" | "paper";
  optimizer?: Optimizer;
  /** η_λ, for a requirement whose own rate is 1. */
  dualRate?: number;
  /** η_u of the paper's algorithm. */
  relaxationRate?: number;
  /** κ of the default algorithm. */
  damping?: number;
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

/** The state before the first step: nothing relaxed, nothing priced. */
export function initialState<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  optimizer: Optimizer,
  sizes: readonly number[],
): SolverState {
  const zeros = () => sizes.map((n) => full([n], 0, dtypeOf(task.params)));
  return {
    params: task.params,
    optimizer: optimizer.init(task.params),
    relaxations: zeros(),
    prices: zeros(),
    step: 0,
  };
}

const dtypeOf = (params: unknown) => {
  let dtype: "float32" | "float64" = "float32";
  mapTree(params, (p: NdArray) => {
    dtype = p.dtype as typeof dtype;
  });
  return dtype;
};

/** The problem's functions with the requirements of a group side by side. */
function vectorised<P, D, M, N extends string>(task: Problem<P, D, M, N>) {
  const groups = groupsOf(task);
  const evaluate = (params: Traced<P>, data: D): Values & { bySize: Record<N, number> } => {
    const { objective, slacks } = measure(task, params, data);
    const bySize = Object.fromEntries(
      Object.entries<Tensor>(slacks).map(([name, g]) => [name, g.size]),
    ) as Record<N, number>;
    return {
      objective,
      slacks: groups.map(({ names }) => concat(names.map((name) => slacks[name]))),
      bySize,
    };
  };
  return { groups, evaluate };
}

/** Finds the model, the relaxations and the prices. */
export async function solve<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  options: SolveOptions<D>,
): Promise<Solution<P, N>> {
  const {
    data,
    steps = 1000,
    algorithm = "resilient",
    optimizer = adam(1e-2),
    dualRate = 0.1,
    relaxationRate = 0.1,
  } = options;
  const { damping = 1, tolerance = 1e-3, every = 100, backend = reference(), onProgress } = options;
  const { groups, evaluate } = vectorised(task);
  const costs = groups.map(({ cost }) => cost);
  const step = algorithm === "paper" ? paperStep<P>(relaxationRate) : resilientStep<P>(damping);
  let sizes = {} as Record<N, number>;

  const look = compile(
    (state: { params: Traced<P>; relaxations: Tensor[]; prices: Tensor[] }, d: D) => {
      const values = evaluate(state.params, d);
      sizes = values.bySize;
      return {
        ...residuals((p: Traced<P>) => evaluate(p, d), costs, state),
        objective: values.objective,
        slacks: [...values.slacks],
      };
    },
    { backend },
  );
  const ratesOf = (d: Values): Tensor[] =>
    d.slacks.map((g, i) => {
      const each = groups[i].names.flatMap((name) =>
        new Array(sizes[name]).fill(dualRate * (task.requirements[name].rate ?? 1)),
      );
      return concat([
        new NdArray(g.dtype === "float64" ? Float64Array.from(each) : Float32Array.from(each), [each.length]),
      ]);
    });
  const train = loop(
    (
      state: { params: Traced<P>; optimizer: unknown; relaxations: Tensor[]; prices: Tensor[] },
      d: D,
      _: Tensor,
    ) => {
      const setting: Setting<P> = {
        evaluate: (p) => evaluate(p, d),
        costs,
        rates: ratesOf(evaluate(state.params, d)),
        optimizer,
      };
      const { state: next, values } = step(setting, state);
      return {
        state: next as never,
        record: { objective: values.objective, slacks: values.slacks.map((g) => g.sum()) },
      };
    },
    { backend },
  );

  const inspect = async (state: SolverState) => {
    const { params, relaxations, prices } = state;
    const { slacks, objective, ...found } = await readAll(
      await look({ params, relaxations, prices } as never, data as never),
    );
    const numbers = mapTree(found, (x: NdArray) => x.item()) as unknown as Residuals;
    return {
      certificate: certify(numbers, tolerance),
      slacks: slacks as NdArray[],
      objective: (objective as NdArray).item(),
    };
  };

  const start = sizesOf(task, data, groups, evaluate);
  sizes = start.sizes;
  let state = options.state ?? initialState(task, optimizer, start.lengths);
  let seen = await inspect(state);
  const last = state.step + steps;
  while (state.step < last && !seen.certificate.holds) {
    const n = Math.min(every, last - state.step);
    const { step: at, ...moving } = state;
    const run = await train(moving as never, data as never, new NdArray(new Int32Array(n), [n]) as never);
    const record = (await readAll(run.record as never)) as unknown as {
      objective: NdArray;
      slacks: NdArray[];
    };
    refuseNaN(record, groups, at, state);
    state = {
      ...((await readAll(run.state as never)) as unknown as Omit<SolverState, "step">),
      step: at + n,
    };
    seen = await inspect(state);
    onProgress?.({ step: state.step, objective: seen.objective, certificate: seen.certificate });
  }
  const report = createReport(task, groups, sizes, state, seen);
  return { params: state.params as P, state, certificate: seen.certificate, report, steps: state.step };
}

/** How many elements each requirement has, found by tracing. */
function sizesOf<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  data: unknown,
  groups: ReturnType<typeof groupsOf<P, D, M, N>>,
  evaluate: (params: Traced<P>, data: D) => Values & { bySize: Record<N, number> },
): { sizes: Record<N, number>; lengths: number[] } {
  let sizes = {} as Record<N, number>;
  compile((params: Traced<P>, d: D) => {
    const values = evaluate(params, d);
    sizes = values.bySize;
    return values.objective;
  }).show(task.params as never, data as never);
  return { sizes, lengths: groups.map(({ names }) => names.reduce((n, name) => n + sizes[name], 0)) };
}

/** A run that met a NaN: the state before the steps in which it appeared is kept. */
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
  from: number,
  lastGood: SolverState,
): void {
  const firstBad = (x: NdArray): number => Array.from(x.data).findIndex((v) => !Number.isFinite(v));
  const found = [{ name: "the objective", at: firstBad(objective) }];
  for (const [i, g] of slacks.entries()) found.push({ name: groups[i].names.join(", "), at: firstBad(g) });
  const [worst] = found
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || (a.name === "the objective" ? 1 : -1));
  if (!worst) return;
  throw new DivergedError(
    `In step ${from + worst.at + 1} ${worst.name} was not a finite number; the state after step ${from} is kept. Try a smaller rate, or clip the gradient.`,
    lastGood,
  );
}
