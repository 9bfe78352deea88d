// The part of this package that runs in a page: tables, generated sets, partitions. Downloads and files of images need Node.
import { InputError } from "@pliant/core";
import type { Dataset } from "./dataset.js";
import type { LoadOptions } from "./load.js";
import { strokes } from "./strokes/strokes.js";

export type { Dataset, ImageSet } from "./dataset.js";
export { measure } from "./facts.js";
export {
  checkParts,
  classCounts,
  clientTestSets,
  type DirichletOptions,
  type DirichletRule,
  dirichletPartition,
  minorityClasses,
  minorityShares,
  mixPartition,
  shardPartition,
  type TestSetOptions,
  thinned,
} from "./partition/index.js";
export { isUrl, shownAddress, shownAddresses, tableIn } from "./sources/address.js";
export { type NumpyStream, numpyStream, type TorchStream, torchStream } from "./streams/index.js";
export { type StrokesOptions, strokes } from "./strokes/strokes.js";
export { type CsvOptions, missingCells, parseCsv } from "./table/csv.js";
export { type DatePart, dateParts, type WantedParts, withParts } from "./table/dates.js";
export {
  type CategoryEncoding,
  type ColumnEncoding,
  type Encoded,
  type Encoding,
  encode,
  encodedKinds,
  featureNames,
  fitEncoding,
  type NumberEncoding,
} from "./table/encoding.js";
export type { ColumnKind } from "./table/kinds.js";
export { isDate, type Notation } from "./table/notation.js";
export { type ReadOptions, readTable, sourceSum } from "./table/read.js";
export {
  type CategoryColumn,
  type Column,
  categoryColumn,
  columnOf,
  type NumberColumn,
  numberColumn,
  type Table,
  takeRows,
} from "./table/table.js";

/** The sets that a page can load. */
export const datasetNames: readonly string[] = ["strokes"];

/** In a page only generated sets are at hand. */
export async function loadDataset(name: string, { seed }: LoadOptions = {}): Promise<Dataset> {
  if (name === "strokes") return strokes({ seed });
  throw new InputError(`${name} is read from files, which a page does not have; train with pliant train.`);
}
