// The formulations.
export { agnostic } from "./agnostic.js";
export {
  type Asking,
  type Average,
  answered,
  type ClassWeighting,
  type Duals,
  type Exchange,
  errorRate,
  type Formulation,
  type Judged,
  type Measured,
  notJudged,
  ownMetric,
  type Revising,
  revisedBy,
  type Told,
  type Vector,
} from "./formulation.js";
export { qFair } from "./q-fair.js";
export { ratioLoss } from "./ratio-loss.js";
export {
  type ConstrainedOptions,
  constrained,
  type RequirementOptions,
  type ResilientOptions,
  resilient,
  unconstrained,
} from "./resilient.js";
