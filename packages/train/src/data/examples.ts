// A spec's data, in parts.
import type { Encoding } from "@pliant/data";
import type { Examples, Target } from "../metrics/examples.js";
import type { Inputs } from "./drift.js";
import type { Summary } from "./summary.js";

export type { Examples, Part, Target } from "../metrics/examples.js";

/** A spec's data in parts, ready to learn from. */
export interface Prepared {
  readonly target: Target;
  readonly train: Examples;
  readonly validation?: Examples;
  readonly test: Examples;
  /** The numeric columns and the features they became; none for images. */
  readonly numeric: ReadonlyMap<string, number>;
  readonly images: boolean;
  /** For columns: how features come from a row. */
  readonly encoding?: Encoding;
  /** SHA-256 of each file the spec names, to tell whether it changed. */
  readonly files: Readonly<Record<string, string>>;
  /** By column that requirements may ask about: the groups of the training rows, where those are not at hand. */
  readonly groupValues?: Readonly<Record<string, readonly string[]>>;
  /** For tables: the distribution of each column in the training rows, to detect drift. */
  readonly inputs?: Inputs;
  /** For columns: rows.csv, which says of each row the part it is in. */
  rows?(): string;
  /** For tables: the summary. */
  readonly summary?: Summary;
}
