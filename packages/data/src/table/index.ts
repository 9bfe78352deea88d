// Tables without files, which also run in a page.
export { type CsvOptions, parseCsv } from "./csv.js";
export { type Encoding, encode, featureNames } from "./encoding.js";
export type { ColumnKind } from "./kinds.js";
export {
  type CategoryColumn,
  type Column,
  categoryColumn,
  columnOf,
  numberColumn,
  type Table,
  takeRows,
} from "./table.js";
