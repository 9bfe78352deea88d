// Functions of a tensor as its methods, under the same names.
import { Tensor } from "./tensor.js";

// biome-ignore lint/suspicious/noExplicitAny: naming the operand's type here would make the type of Tensor circular
export type Method<F> = F extends (x: any, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export function asMethods(functions: Readonly<Record<string, unknown>>): void {
  for (const [name, operation] of Object.entries(functions)) {
    Object.defineProperty(Tensor.prototype, name, {
      value(this: Tensor, ...rest: never[]) {
        return (operation as (x: Tensor, ...rest: never[]) => unknown)(this, ...rest);
      },
    });
  }
}
