// Where a table is: a file, a table of a database in a file (`rows.sqlite#loans`), or an address.
import { existsSync } from "@pliant/platform";

/** `postgres://`, `s3://`, `https://`; a drive of Windows has one letter. */
export const isUrl = (file: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(file);

/** An address as messages show it: without a password or a signature. */
export function shownAddress(address: string): string {
  if (!isUrl(address)) return address;
  const [bare] = address.split("?");
  return bare.replace(/\/\/[^/@]*@/, "//");
}

/** The file, and the table in it that follows `#`. A file whose own name has that character is itself. */
export function tableIn(file: string): { readonly path: string; readonly table?: string } {
  const at = file.lastIndexOf("#");
  if (isUrl(file) || at <= 0 || existsSync(file)) return { path: file };
  return { path: file.slice(0, at), table: file.slice(at + 1) };
}
