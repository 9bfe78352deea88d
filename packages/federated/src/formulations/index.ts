// The formulations.
export { agnostic } from "./agnostic.js";
export {
  type Asking,
  type Average,
  answered,
  type ClassWeighting,
  type Duals,
  type Exchange,
  type Formulation,
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
