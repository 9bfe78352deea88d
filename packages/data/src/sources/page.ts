// In a page: files that a person chooses, of the kinds that need no package and no connection.
import { InputError } from "@pliant/core";
import type * as sources from "./node.js";

const elsewhere = (source: string, what: string): never => {
  throw new InputError(`${source} is ${what}, which a page does not read; save the table as CSV or Parquet.`);
};

export const localCopy: typeof sources.localCopy = async (address) => elsewhere(address, "an address");
export const readSqlite: typeof sources.readSqlite = async (_, __, { source }) =>
  elsewhere(source, "an SQLite database");
export const readArrow: typeof sources.readArrow = async (_, { source }) =>
  elsewhere(source, "an Arrow or Feather file");
