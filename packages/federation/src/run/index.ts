// Coordinator and sites at work.
export {
  type Coordinated,
  type CoordinateOptions,
  coordinate,
} from "./coordinator.js";
export { namedDraws } from "./draws.js";
export { binOf, relaxationBins } from "./histogram.js";
export { decodeModel, encodeModel } from "./model-blob.js";
export type { Picture } from "./picture.js";
export {
  type PrivacySpent,
  privacySpent,
  type SiteStore,
  type TakePartOptions,
  type TookPart,
  takePart,
} from "./site.js";
