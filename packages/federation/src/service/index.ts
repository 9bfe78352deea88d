// The commands' work.
export { type Audit, audit } from "./audit.js";
export { type DemoOptions, type DemoReport, federationDemo } from "./demo.js";
export { type ExportedModel, exportedModel } from "./exported.js";
export { type JoinOptions, join, type SiteReport } from "./join.js";
export type { Fault } from "./metrics.js";
export { invite, remove } from "./places.js";
export { checkPolicy, checkTerms, type Policy, stricter, termsOf } from "./policy.js";
export { type FederationReport, type ServeOptions, serve } from "./serve.js";
export { simulatedRun } from "./simulated.js";
export { type FederationStatus, status } from "./status.js";
export type { WatchedCoordinator, WatchedSite } from "./watched.js";
