// Coordinator and sites at work.
export { coordinate } from "./coordinator.js";
export type { Coordinated, CoordinateOptions } from "./coordinator-options.js";
export { namedDraws } from "./draws.js";
export { binOf, relaxationBins } from "./histogram.js";
export { decodeModel, encodeModel } from "./model-blob.js";
export type { Picture } from "./picture.js";
export { takePart } from "./site.js";
export {
  type PrivacySpent,
  privacySpent,
  type SiteStore,
  type TakePartOptions,
  type TookPart,
} from "./site-options.js";
