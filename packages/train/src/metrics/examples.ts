// Examples as training sees them: numbers for the model, the truth, and what requirements ask about each of them.
import type { NdArray } from "@pliant/engine";

/** What is predicted: one of some classes, or a number, which the model gives in deviations from its mean. */
export type Target =
  | { readonly kind: "class"; readonly classes: readonly string[]; readonly positive?: number }
  | {
      readonly kind: "number";
      readonly mean: number;
      readonly deviation: number;
      /** What the model predicts of a number: `log`, its logarithm, so that predictions are positive; default: itself. */
      readonly link?: "log";
    };

/** Rows or images as a model sees them, with their targets and groups. */
export interface Examples {
  readonly count: number;
  /** [N, features], numeric features in deviations from the mean; or images [N, C, H, W] from 0 to 1. */
  readonly x: NdArray;
  /** int32 classes or float32 deviations, [N]. */
  readonly y: NdArray;
  /** How much each counts in what is minimised, with a mean of 1; default: alike. */
  readonly weights?: Float32Array;
  /** By column that requirements may ask about: the group each example is of, null where it is missing. */
  readonly groups: Readonly<Record<string, readonly (string | null)[]>>;
  /** Whether a numeric feature of an example was missing and stands at its mean. */
  missing(feature: number, example: number): boolean;
}

/** What is learnt from, what rates are counted on meanwhile, and what nothing is decided on. */
export type Part = "train" | "validation" | "test";
