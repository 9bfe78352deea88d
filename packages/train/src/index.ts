// What programs, commands and a federation's sites use of training from a spec.

export { rowsShown } from "./data/columns.js";
export type { Drift } from "./data/drift.js";
export type { Examples, Part, Prepared, Target } from "./data/examples.js";
export { together } from "./data/groups.js";
export type { OwnMetric } from "./data/own-metrics.js";
export type { ColumnSummary, Summary } from "./data/summary.js";
export type { Measure, Outcome, Performance } from "./evaluate/evaluate.js";
export { type Example, examples, specText } from "./example/index.js";
export { loansCsv, loansSpec } from "./example/loans.js";
export { cloudsCsv, svmSpec } from "./example/svm.js";
export { type Block, html, markdown } from "./format/document.js";
export type { Look } from "./metrics/metric.js";
export { specName } from "./problem/names.js";
export { type DataFacts, prepare, type Training } from "./problem/prepare.js";
export type { Batch, Task } from "./problem/problem.js";
export type { Stated } from "./problem/stated.js";
export { type Insisting, unitOf } from "./questions/answers.js";
export type { Verdict } from "./report/new-rows.js";
export type { Pooled, PooledRequirement, Spread } from "./report/pooled.js";
export { isViolated, type TrainReport, type TrainRequirement } from "./report/report.js";
export {
  headline,
  insistedWords,
  type Judgement,
  type RequirementWords,
  sentences,
} from "./report/sentences.js";
export { finishedRun, readRun, type SweepPoint, type TrainAsked } from "./run/asked.js";
export { insistOn } from "./run/insist.js";
export {
  type RepeatedBy,
  type Repeats,
  readRepeats,
  repeatedBefore,
  repeatsOf,
  trainRepeats,
} from "./run/repeats.js";
export { type Run, type RunOptions, trainInFolder } from "./run/run.js";
export { dataFiles, writeSpecCopy } from "./run/spec-copy.js";
export {
  type PlannedPoint,
  pointsOf,
  readSweeps,
  type Sweep,
  type SweepAsked,
  sweep,
  sweepOf,
  sweptBefore,
} from "./run/sweep.js";
export { type RepeatedPoint, type RepeatedSweep, sweepRepeats } from "./run/sweep-repeats.js";
export { type Trained, trainedModel } from "./run/trained.js";
export { jsonSchema, type Spec, schemaText } from "./spec/spec.js";
export { readSpec, type Setting, type SpecFile } from "./spec/spec-file.js";
export { word, writeWhole } from "./store/files.js";
export { type OwnFile, ownFile } from "./store/own-file.js";
export { cardOf } from "./text/card.js";
export { compareText } from "./text/compare.js";
export { differencesText } from "./text/difference-text.js";
export { evaluationText, unlabelledText } from "./text/evaluation-text.js";
export { opening } from "./text/opening.js";
export { repeatsText } from "./text/repeats-text.js";
export { nextSteps, reportText } from "./text/report-text.js";
export { summaryText } from "./text/summary-text.js";
export { sweepRepeatsText } from "./text/sweep-repeats-text.js";
export { sweepText } from "./text/sweep-text.js";
export { type Compared, compareRuns, type Difference, type Missed, type Unlike } from "./use/differences.js";
export {
  type Evaluation,
  evaluateRows,
  evaluateRun,
  isMissed,
  type Judged,
  type Unlabelled,
} from "./use/evaluate.js";
export { type Described, describeModel, onnxModel } from "./use/export.js";
export { type InspectOptions, inspect } from "./use/inspect.js";
export { type Prediction, type PredictOptions, predictions, predictionsCsv } from "./use/predict.js";
