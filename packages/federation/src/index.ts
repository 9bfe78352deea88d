// The public names of the federation between machines.
export * from "./embedded/index.js";
export { natsCoordinator, natsSite, readNatsAddress } from "./nats/index.js";
export * from "./ports/index.js";
export * from "./protocol/index.js";
export * from "./run/index.js";
export * from "./service/index.js";
export { coordinatorSessions, type Sessions } from "./sessions/index.js";
export { readSiteData } from "./spec/site-data.js";
export {
  checkSpec,
  exchangesOf,
  type FederationSpec,
  type FederationSpecGiven,
  networkOptions,
  privacyOf,
  specHash,
} from "./spec/spec.js";
export { type Agreed, roundsAfter, stepsOf } from "./spec/stages.js";
export * from "./sums/index.js";
export * from "./tables/index.js";
