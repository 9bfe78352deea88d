// Tables of sites: what their columns become, what is agreed about them, and what a model comes to on their rows.
export { encodingOf, widthOf } from "./encoding.js";
export type { Evaluation, GroupMeasured, Measured, MeasuredParts, Overall } from "./evaluation.js";
export { type GroupPrices, nextPrices, rowFactors } from "./group-prices.js";
export {
  checkInspection,
  type Inspection,
  inspectionOf,
  type ProposedData,
  proposedData,
} from "./inspection.js";
export {
  encodedTable,
  kindsOf,
  leastRowsByDefault,
  type Parts,
  poolOf,
  type Rows,
  type SiteTable,
  siteTable,
} from "./site-table.js";
export { sizesNote } from "./sizes-note.js";
export { agreedScale, surveyOf } from "./survey.js";
export { type GroupRates, learntThresholds, type Thresholds } from "./thresholds.js";
