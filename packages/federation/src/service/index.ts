// The commands' work.
export { type DemoOptions, type DemoReport, federationDemo } from "./demo.js";
export { type ExportedModel, exportedModel } from "./exported.js";
export { type JoinOptions, join, type SiteReport } from "./join.js";
export {
  type FederationReport,
  type FederationStatus,
  invite,
  type ServeOptions,
  serve,
  status,
} from "./serve.js";
export { simulatedRun } from "./simulated.js";
export type { WatchedCoordinator, WatchedSite } from "./watched.js";
