// The formulations.
export { agnostic } from "./agnostic.js";
export type { Average, ClassWeighting, Duals, Exchange, Formulation, Vector } from "./formulation.js";
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
