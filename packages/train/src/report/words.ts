// What is said of a run's requirements, for pages and for text alike: `@pliant/train/words`, which needs no Node.

export { calibrationWords, heldCalibration } from "./calibrated.js";
export { decisionLines, thresholdWords } from "./decision-text.js";
export { sentencesOf, type TellableReport } from "./judged.js";
export { mirrorsOf } from "./mirrors.js";
export { beyondLevel, isTrained, type Verdict, verdictBy } from "./new-rows.js";
export { dearerThanNothing, fewWords, pathWords, weighedLess } from "./reservations.js";
export {
  gaveBy,
  type Insisting,
  insistingWords,
  type Neighbours,
  saved,
  type Told,
  type Unit,
} from "./sentences.js";
export {
  gaveOf,
  heldTo,
  measuredPrice,
  noPrice,
  noSlope,
  priceOf,
  type Tellable,
  told,
  unmeasured,
} from "./told.js";
export { unansweredWords } from "./unanswered.js";
