// What is said of a run's requirements, for pages and for text alike: `@pliant/train/words`, which needs no Node.

export { unansweredWords } from "../evaluate/unanswered.js";
export { percent } from "../format/figure.js";
export type { Insisting, Neighbours, Unit } from "../questions/answers.js";
export { calibrationWords, heldCalibration } from "../report/calibrated.js";
export { decisionLines, thresholdWords } from "../report/decision-text.js";
export { sentencesOf, type TellableReport } from "../report/judged.js";
export { beyondLevel, isTrained, type Verdict, verdictBy } from "../report/new-rows.js";
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
} from "../report/requirement-view.js";
export { dearerThanNothing, fewWords, pathWords, weighedLess } from "../report/reservations.js";
export {
  gaveBy,
  insistingWords,
  type RequirementWords,
  saved,
} from "../report/sentences.js";
export { symmetricOf } from "../report/symmetric-gaps.js";
export { valuesOf } from "./summary-text.js";
