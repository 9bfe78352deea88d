// The commands' work.
export { type Audit, audit } from "./audit.js";
export { type DemoOptions, type DemoReport, federationDemo } from "./demo.js";
export { type ExportedModel, exportedModel } from "./exported.js";
export { type JoinOptions, join, type SiteReport } from "./join.js";
export { invite, remove } from "./places.js";
export { checkPolicy, checkTerms, type Policy, stricter, termsOf } from "./policy.js";
export {
  type FederationReport,
  type FederationStatus,
  type ServeOptions,
  serve,
  status,
} from "./serve.js";
export { simulatedRun } from "./simulated.js";
export type { WatchedCoordinator, WatchedSite } from "./watched.js";
