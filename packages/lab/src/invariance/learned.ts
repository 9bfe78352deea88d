// Learned parameters: a network, and for Augerino the widths of its distribution.
import type { NdArray } from "@pliant/engine";
import { lenet, type Model, mlp, type Params } from "@pliant/learn";
import type { Recipe } from "./recipe.js";

export interface Learned<T = NdArray> {
  readonly model: readonly { readonly weight: T; readonly bias: T }[];
  /** [runs, 6] */
  readonly eta?: T;
}

export const modelOf = ({ model }: Pick<Recipe, "model">): Model<Params> =>
  model === "lenet" ? lenet() : mlp({ inputs: 784, hidden: [1000], outputs: 10, activation: "tanh" });
