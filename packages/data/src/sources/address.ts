// Where a table is: a file, a table of a database in a file (`rows.sqlite#loans`), or an address.
import { InputError } from "@pliant/core";
import { existsSync } from "@pliant/platform";

/** `postgres://`, `s3://`, `https://`; a drive of Windows has one letter. */
export const isUrl = (file: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(file);

const hidden = "…";

/** An address as messages show it and files keep it: without a name, a password or the values of a query, such as a signature. */
export function shownAddress(address: string): string {
  if (!isUrl(address)) return address;
  const [, authority, path, query] = /^([^?#]*?:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?/.exec(address)!;
  return [
    authority.replace(/\/\/.*@/, `//${hidden}@`),
    path,
    query?.replace(/([?&])([^=&]*)(=[^&]*)?/g, (_, mark, name, value) =>
      // A query without names is a value as a whole.
      value === undefined ? `${mark}${hidden}` : `${mark}${name}=${hidden}`,
    ) ?? "",
  ].join("");
}

/** The addresses in a text, each as it is shown. */
export const shownAddresses = (text: string): string =>
  text.replace(/[a-z][a-z0-9+.-]+:\/\/[^\s"'`<>]+/gi, shownAddress);

/** A shown address is whole again where the environment has it: PLIANT_ADDRESSES, several with spaces between them. */
export function wholeAddress(address: string, given: string | undefined): string {
  if (!address.includes(hidden)) return address;
  const found = given?.split(/\s+/).find((one) => one !== address && shownAddress(one) === address);
  if (found !== undefined) return found;
  throw new InputError(
    `${address} is kept without its password and the values of its query: give the whole address in the environment as PLIANT_ADDRESSES, or to pliant train by --set data.file=ADDRESS.`,
  );
}

/** The file, and the table in it that follows `#`. A file whose own name has that character is itself. */
export function tableIn(file: string): { readonly path: string; readonly table?: string } {
  const at = file.lastIndexOf("#");
  if (isUrl(file) || at <= 0 || existsSync(file)) return { path: file };
  return { path: file.slice(0, at), table: file.slice(at + 1) };
}
