// The paper's theory as numbers: its first figure, its learnability example, Theorem 1, Proposition 5 and Appendix B.
export {
  type DeviationInput,
  finiteDeviation,
  insistingAlpha,
  linearComplexity,
  rademacherDeviation,
  type ValueBound,
  type ValueBoundInput,
  valueBound,
  vcDeviation,
  yieldingAlpha,
} from "./bounds.js";
export { type Curve, curves, type Equilibrium, equilibria, sensitivity } from "./equilibrium.js";
export { equilibriumSvg } from "./figure.js";
export { type LearnabilityRow, learnability } from "./learnability.js";
export { type TheoryReport, theoryReport } from "./report.js";
export { type StitchedAnswer, stitchedDual, stitchedPerturbation } from "./stitching.js";
