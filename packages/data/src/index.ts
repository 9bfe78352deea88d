export type { Facts } from "./catalogue.js";
export { datasetNames } from "./catalogue.js";
export { type Checked, type CheckedFact, type CheckedFile, checkDataset } from "./check.js";
export type { Dataset, ImageSet } from "./dataset.js";
export { measure } from "./facts.js";
export { type Fetched, type FetchOptions, type FetchProgress, fetchDataset } from "./fetch.js";
export { dataFolder, type FolderOptions } from "./folder.js";
export { type Idx, parseIdx, readIdx } from "./idx.js";
export { type ImageFolderOptions, type Images, readImageFolder } from "./images/image-folder.js";
export { decodePng, type Image } from "./images/png.js";
export { type ListedDataset, listDatasets } from "./list.js";
export { type LoadOptions, loadDataset } from "./load.js";
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
export { readS3Address, type S3Options, type S3Request, signedHeaders } from "./sources/s3.js";
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
