// Differential privacy of a client's records.
export { divergence, epsilonOf, type NoisedSums, noiseFor } from "./accountant.js";
export { clipTo, type Draw, drawFrom, noised, noisedMean, sampled } from "./noise.js";
export {
  checkTold,
  nothingSpent,
  type Privacy,
  type PrivacyOptions,
  type PrivateWork,
  privacyFor,
  type Spent,
  spentTogether,
} from "./plan.js";
export {
  keptDraws,
  type PrivateFederation,
  type PrivateFederationOptions,
  privateFederation,
  simulatedDraw,
} from "./simulated.js";
export { type PrivateStart, type PrivateSteps, privateSteps, sampling } from "./steps.js";
