// The files a spec names, beside it.

import { didYouMean } from "@pliant/core";
import { isUrl, tableIn } from "@pliant/data";
import { basename, dirname, existsSync, readdirSync, resolve } from "@pliant/platform";
import type { SpecFile } from "../spec/spec-file.js";
import type { KeptPart } from "./split.js";

/** A file the spec names, by its place beside the spec; an address is itself. */
export const besideSpec = ({ path }: SpecFile, file: string): string =>
  isUrl(file) ? file : resolve(dirname(path), file);

const tables = /\.(csv|tsv|txt|jsonl|ndjson|json|parquet|feather|arrow|sqlite|db)(\.gz)?$/i;

export function existing(specFile: SpecFile, key: "file" | KeptPart, file: string): string {
  const source = besideSpec(specFile, file);
  const { path } = tableIn(source);
  if (isUrl(source) || existsSync(path)) return source;
  const folder = dirname(path);
  const others = existsSync(folder) ? readdirSync(folder).filter((name) => tables.test(name)) : [];
  throw specFile.mistake(
    ["data", key],
    `data.${key}: there is no file ${path}${didYouMean(basename(path), others)}`,
  );
}
