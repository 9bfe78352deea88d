// The files a spec names, beside it.

import { didYouMean } from "@pliant/core";
import { isUrl, noConnection } from "@pliant/data";
import { basename, dirname, existsSync, readdirSync, resolve } from "@pliant/platform";
import type { SpecFile } from "../spec/spec-file.js";
import type { KeptPart } from "./split.js";

/** A file the spec names, by its place beside the spec. */
export const besideSpec = ({ path }: SpecFile, file: string): string => resolve(dirname(path), file);

const tables = /\.(csv|tsv|txt|jsonl|ndjson|json|parquet)(\.gz)?$/i;

export function existing(specFile: SpecFile, key: "file" | KeptPart, file: string): string {
  if (isUrl(file)) throw specFile.mistake(["data", key], `data.${key}: ${file} is not read: ${noConnection}`);
  const path = besideSpec(specFile, file);
  if (existsSync(path)) return path;
  const folder = dirname(path);
  const others = existsSync(folder) ? readdirSync(folder).filter((name) => tables.test(name)) : [];
  throw specFile.mistake(
    ["data", key],
    `data.${key}: there is no file ${path}${didYouMean(basename(path), others)}`,
  );
}
