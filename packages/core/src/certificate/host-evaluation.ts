// A compiled function as what is worked out on the host looks at it: of parameters in one list, with what rounding may make of it.
import { type DType, type NdArray, readAll } from "@pliant/engine";
import { roundings } from "./certificate.js";
import { flat, shaped } from "./ravel.js";
import type { Seen } from "./subgradient.js";

/** What such a function says: `summed` is the sum of the sizes that its value is made of. */
interface Said {
  readonly value: NdArray;
  readonly gradient: unknown;
  readonly summed: NdArray;
}

/** @param said Of parameters in the form of `params`. */
export const looks =
  (params: unknown, dtype: DType, said: (tree: never) => Promise<unknown>) =>
  async (point: readonly number[]): Promise<Seen> => {
    const tree = shaped(params, point);
    const seen = (await readAll((await said(tree as never)) as never)) as unknown as Said;
    return {
      value: seen.value.item(),
      slope: flat(seen.gradient),
      point: flat(tree),
      rounding: roundings * (dtype === "float64" ? 2 ** -52 : 2 ** -23) * seen.summed.item(),
    };
  };
