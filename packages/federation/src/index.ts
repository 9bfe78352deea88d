// The public names of the federation between machines.
export * from "./embedded/index.js";
export * from "./ports/index.js";
export * from "./protocol/index.js";
export * from "./run/index.js";
export * from "./service/index.js";
export { poolOf, readSiteData } from "./spec/site-data.js";
export {
  checkSpec,
  exchangesOf,
  type FederationSpec,
  type FederationSpecGiven,
  networkOptions,
} from "./spec/spec.js";
export * from "./sums/index.js";
