// The public names of Pliant.
import { isLibrary } from "@pliant/engine";

export {
  extragradientStep,
  paperStep,
  resilientStep,
  type Setting,
  type State,
  type Step,
  type Values,
} from "./algorithms/algorithms.js";
export {
  type Certificate,
  isSettled,
  type Kind,
  type RelativeErrors,
  residualOf,
} from "./certificate/certificate.js";
export { type CheckOptions, checkCost } from "./costs/check.js";
export { fenchelGap, proxConjugate } from "./costs/conjugacy.js";
export type { Cost, StepSize } from "./costs/cost.js";
export { type CustomCost, customCost } from "./costs/custom.js";
export { huber } from "./costs/huber.js";
export { free, hard, linear } from "./costs/linear.js";
export { maximum } from "./costs/maximum.js";
export { type NumericCost, onNumbers } from "./costs/numbers.js";
export { power } from "./costs/power.js";
export { quadratic } from "./costs/quadratic.js";
export { scaled } from "./costs/scaled.js";
export type { Weight } from "./costs/weight.js";
export {
  didYouMean,
  hint,
  InputError,
  NetworkError,
  nearest,
  PliantError,
  StateError,
  unknownName,
  unreadable,
} from "./errors.js";
export type { Terms } from "./layout/constraint-layout.js";
export type { Changes } from "./layout/overrides.js";
export { newton } from "./optimizers/newton.js";
export {
  adam,
  adamw,
  addDecay,
  applyUpdates,
  chain,
  clip,
  cosine,
  exponential,
  type Optimizer,
  type Rate,
  type Schedule,
  separately,
  sgd,
  warmUp,
} from "./optimizers/optimizer.js";
export { settling } from "./optimizers/step-damping.js";
export { inTraining, normalFrom } from "./problem/draws.js";
export { groupMeans, type Observed } from "./problem/group-means.js";
export {
  atLeast,
  atMost,
  between,
  equals,
  type Loss,
  minimise,
  type Problem,
  type Requirement,
  type RequirementOptions,
  type Sense,
  type Traced,
} from "./problem/problem.js";
export {
  type EachOptions,
  type End,
  type Insisted,
  type InsistedEach,
  insist,
  insistOnEach,
  type MeasureOptions,
} from "./questions/insist.js";
export { type MeasuredPrice, measurePrice } from "./questions/measured-price.js";
export {
  type Direction,
  type PerturbationCurve,
  type PerturbationPoint,
  type PricePoint,
  perturbation,
  priceCurve,
} from "./questions/price-curve.js";
export {
  type ElementReport,
  excessOf,
  type Report,
  type RequirementReport,
  type Status,
} from "./report/report.js";
export { inColumns, widthsOf } from "./report/text-table.js";
export { DivergedError } from "./solver/finite.js";
export type { BatchOptions } from "./solver/minibatch.js";
export type { SolveOptions, SolverOptions } from "./solver/options.js";
export { afresh, solutions, solve, solveWith } from "./solver/solve.js";
export { createSolver, type Solution, type Solver } from "./solver/solver.js";
export { readState, type SolverState, type StoredState } from "./solver/state.js";

isLibrary(import.meta.url);
