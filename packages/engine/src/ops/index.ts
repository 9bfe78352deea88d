// Every operation, each listed once: here, or among the methods.
import { Tensor } from "../tensor.js";
import * as methods from "./methods.js";

// biome-ignore lint/suspicious/noExplicitAny: naming the operand's type here would make the type of Tensor circular
type Method<F> = F extends (x: any, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;
type Methods = { [K in keyof typeof methods]: Method<(typeof methods)[K]> };

declare module "../tensor.js" {
  interface Tensor extends Methods {}
}

for (const [name, operation] of Object.entries(methods)) {
  Object.defineProperty(Tensor.prototype, name, {
    value(this: Tensor, ...rest: never[]) {
      return (operation as (x: Tensor, ...rest: never[]) => unknown)(this, ...rest);
    },
  });
}

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
