// Every operation, each listed once: here, or among the methods.
import { asMethods, type Method } from "../methods.js";
import * as methods from "./methods.js";

type Methods = { [K in keyof typeof methods]: Method<(typeof methods)[K]> };

declare module "../tensor.js" {
  interface Tensor extends Methods {}
}
asMethods(methods);

export type { Axes, Axis } from "./axis.js";
export { where } from "./binary.js";
export type { ConvOptions } from "./conv.js";
export { uniformFrom } from "./draw.js";
export type { GridOptions } from "./grid.js";
export { einsum } from "./linear.js";
export * from "./methods.js";
export { concat, stack } from "./movement.js";
export type { PoolOptions } from "./pool.js";
export type { ReduceOptions } from "./reduce.js";
export type { SortOptions, TopKOptions } from "./sort.js";
export type { UnfoldOptions } from "./unfold.js";
