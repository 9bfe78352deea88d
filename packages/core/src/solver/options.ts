// What a solver is asked for, checked before anything is computed.
import { type Argument, type Backend, byRows, leaves, type NdArray, type Replace } from "@pliant/engine";
import { extragradientStep, paperStep, resilientStep, type Step } from "../algorithms/algorithms.js";
import type { Certificate } from "../certificate/certificate.js";
import { InputError, PliantError, unknownName, wholeNumber } from "../errors.js";
import { adam, type Optimizer } from "../optimizers/optimizer.js";
import { settling } from "../optimizers/step-damping.js";
import type { Problem, Requirement } from "../problem/problem.js";
import { onlyNames } from "../problem/validate.js";
import type { BatchOptions } from "./minibatch.js";
import type { SolverState } from "./state.js";

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

/** The options of a problem, with what holds unless given. */
export function stated<P, D, M, N extends string>(task: Problem<P, D, M, N>, options: SolverOptions<D>) {
  if (typeof options !== "object" || options === null || options.data === undefined)
    throw new InputError(
      "A solver needs data, in the form that the functions of the problem take: { data }.",
    );
  onlyNames("", "an option of a solver", options, optionNames);
  const {
    algorithm = "resilient",
    tolerance = 3e-3,
    damping = 1,
    seed = 0,
    inner = 1,
    relaxationRate = 0.1,
    batch,
    rowsAtOnce,
  } = options;
  const algorithms: Record<string, Step<unknown>> = {
    resilient: resilientStep(damping),
    paper: paperStep(relaxationRate),
    extragradient: extragradientStep(),
  };
  if (!Object.hasOwn(algorithms, algorithm))
    throw unknownName("an algorithm", String(algorithm), Object.keys(algorithms));
  if (wholeNumber("inner", inner) > 1 && algorithm !== "paper")
    throw new PliantError('inner is the inner loop of algorithm: "paper"; leave out one of them.');
  for (const [name, value] of Object.entries({ tolerance, damping }))
    if (!(value >= 0 && Number.isFinite(value)))
      throw new PliantError(`${name} must be a number from 0, got ${value}.`);
  if (algorithm === "paper") checkSigns(task);
  if (rowsAtOnce !== undefined) wholeNumber("rowsAtOnce", rowsAtOnce);
  const { dualRate = algorithm === "resilient" ? undefined : 0.1 } = options;
  const hasCurvature = suitsNewton(task, options);
  return {
    ...options,
    step: algorithms[algorithm],
    tolerance,
    seed,
    inner,
    relaxationRate,
    dualRate: typeof dualRate === "number" ? () => dualRate : dualRate,
    // What is seen whole has no noise to average, and no noise that keeps steps from settling.
    optimizer: options.optimizer ?? (batch ? adam(0.03) : settling(adam(0.03, { betas: [0.9, 0.97] }))),
    hasCurvature,
    byNewton: hasCurvature && batch === undefined,
  };
}

/** Up to so many parameters Newton's steps are the default. */
const newtonsMost = 10_000;

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
function checkSigns<P, D, M, N extends string>({ requirements }: Problem<P, D, M, N>): void {
  for (const [name, { sense }] of Object.entries<Requirement<M, D>>(requirements))
    if (sense === "equal to")
      throw new PliantError(
        `${name} is an equality, whose price may be negative, and the paper's algorithm keeps prices at 0 or above; state it by two inequalities, or leave out algorithm: "paper".`,
      );
}

/** The problem with a model that is evaluated on a part of the rows at a time, where that is asked. */
export const inParts = <P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  rows?: number,
): Problem<P, D, M, N> =>
  rows === undefined
    ? task
    : {
        ...task,
        forward: (params, data, key) => byRows((part: D) => task.forward(params, part, key), data, rows) as M,
      };
