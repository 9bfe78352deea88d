// The paper's experiments, each a namespace of its own.
/** The federated experiments. */
export * as federated from "./federated/index.js";
/** The invariance experiments. */
export * as invariance from "./invariance/index.js";
/** Every item of the paper, and the plan over them. */
export * as items from "./items/index.js";
export { type Plot, plot } from "./plot.js";
/** The paper's theory as numbers. */
export * as theory from "./theory/index.js";
