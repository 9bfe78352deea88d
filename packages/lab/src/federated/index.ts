// The paper's federated experiments: recipes, runs, tables and figures.

export { type CostName, costNames, type Preset, presets } from "../choices.js";
export type { Figure } from "../figure.js";
export { percentile, ranks, type Spread, spearman, spread } from "../statistics.js";
export { type Table, tableText } from "../table.js";
export { comparison, type Experiment, experiments } from "./experiments.js";
export { type Federation, federation } from "./federation.js";
export { folderOf } from "./folder.js";
export { compareRanks, ordered, type RankComparison } from "./ranks.js";
export { type Rates, ratesOf, rateWarning } from "./rates.js";
export {
  type DatasetName,
  datasets,
  type Method,
  type ModelName,
  methods,
  models,
  type Recipe,
  type Request,
  recipe,
  type SolverName,
  type Split,
  solvers,
  splits,
} from "./recipe.js";
export { type ClientOutcome, gaps, type Row, rowOf, type Violating, violations } from "./row.js";
export { type FederatedOptions, runFederated } from "./run.js";
