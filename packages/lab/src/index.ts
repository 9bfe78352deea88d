// The paper's experiments, each a namespace of its own.
export * as federated from "./federated/index.js";
export * as invariance from "./invariance/index.js";
export * as items from "./items/index.js";
export { type Plot, plot } from "./plot.js";
