// Examples as training sees them: numbers for the model, the truth, and what requirements ask about each of them.
import type { Encoding } from "@pliant/data";
import type { NdArray } from "@pliant/engine";
import type { Inputs } from "./drift.js";
import type { Summary } from "./summary.js";

/** What is predicted: one of some classes, or a number, which the model gives in deviations from its mean. */
export type Target =
  | { readonly kind: "class"; readonly classes: readonly string[]; readonly positive?: number }
  | {
      readonly kind: "number";
      readonly mean: number;
      readonly deviation: number;
      /** What the model's sums are of a number: its logarithm, so that no answer is below 0; itself unless given. */
      readonly link?: "log";
    };

/** Rows or images as a model sees them, with their targets and groups. */
export interface Examples {
  readonly count: number;
  /** [N, features], numeric features in deviations from the mean; or images [N, C, H, W] from 0 to 1. */
  readonly x: NdArray;
  /** int32 classes or float32 deviations, [N]. */
  readonly y: NdArray;
  /** How much each counts in what is minimised, with a mean of 1; alike unless given. */
  readonly weights?: Float32Array;
  /** By column that requirements may ask about: the group each example is of, null where it is missing. */
  readonly groups: Readonly<Record<string, readonly (string | null)[]>>;
  /** Whether a numeric feature of an example was missing and stands at its mean. */
  missing(feature: number, example: number): boolean;
}

/** What is learnt from, what rates are counted on meanwhile, and what nothing is decided on. */
export type Part = "train" | "validation" | "test";

/** A spec's data in parts, ready to learn from. */
export interface Prepared {
  readonly target: Target;
  readonly train: Examples;
  readonly validation?: Examples;
  readonly test: Examples;
  /** The numeric columns and the features they became; none for images. */
  readonly numeric: ReadonlyMap<string, number>;
  readonly images: boolean;
  /** Of columns: how features come from a row. */
  readonly encoding?: Encoding;
  /** SHA-256 of each file the spec names, to tell whether it changed. */
  readonly files: Readonly<Record<string, string>>;
  /** By column that requirements may ask about: the groups of the training rows, where those are not at hand. */
  readonly groupValues?: Readonly<Record<string, readonly string[]>>;
  /** Of columns: what each was in the training rows, to tell whether others differ. */
  readonly inputs?: Inputs;
  /** Of columns: rows.csv, which says of each row the part it is in. */
  rows?(): string;
  /** Of columns: what the table holds. */
  readonly summary?: Summary;
}
