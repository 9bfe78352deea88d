// The paper's invariance experiments: recipes, the runner, tables and figures.
export { type CostName, costNames, type Preset, presets } from "../choices.js";
export { type Batch, chosen, type Images, requirementCopies, type Slice } from "./copies.js";
export * from "./figures.js";
export { type Learned, modelOf } from "./learned.js";
export { losses, predict } from "./losses.js";
export { folderOf, type Run } from "./names.js";
export { seedNumbers } from "./orders.js";
export * from "./paper.js";
export { termsOf } from "./programs.js";
export * from "./recipe.js";
export type { RequirementResult, SeedResult } from "./results.js";
export { type Row, rowOf } from "./rows.js";
export {
  finishedInvariance,
  type InvarianceOptions,
  type Result,
  runInvariance,
  trainRuns,
} from "./run.js";
export { joinStates, splitState } from "./stack-state.js";
export { type Stack, stacksOf } from "./stacks.js";
export { tables, tablesText } from "./tables.js";
export { type TrainingData, type TrainingState, training } from "./training.js";
export { withInvariance } from "./variants.js";
