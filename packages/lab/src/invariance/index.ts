// The paper's invariance experiments: recipes, the runner, tables and figures.
export { type Batch, requirementCopies } from "./copies.js";
export * from "./figures.js";
export { seedNumbers } from "./orders.js";
export * from "./paper.js";
export * from "./recipe.js";
export type { RequirementResult, SeedResult } from "./results.js";
export { type Row, rowOf } from "./rows.js";
export { folderOf, type InvarianceOptions, runInvariance } from "./runner.js";
export { tables, tablesText } from "./tables.js";
export { chosen, type Learnt, losses, modelOf, predict, type TrainingState, training } from "./training.js";
export { withInvariance } from "./variants.js";
