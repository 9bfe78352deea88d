// The public names of the Studio.

export type {
  ClientValues,
  Curve,
  Federation,
  NewPoints,
  RequirementResult,
  RunDetail,
  RunList,
  RunSummary,
  Series,
  Sweep,
} from "./api.js";
export type { CertificateResult } from "./certificate.js";
export { buildPage, ensurePage } from "./page-build.js";
export { type PublishedRuns, type PublishOptions, publish } from "./publish.js";
export { type ServeOptions, type Serving, serveStudio } from "./serve.js";
export { createStudio, type FetchHandler, type StudioOptions } from "./studio.js";
