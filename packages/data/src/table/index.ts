// Tables without files: what also runs in a page.
export { type CsvOptions, parseCsv } from "./csv.js";
export { type Column, columnOf, numberColumn, type Table } from "./table.js";
