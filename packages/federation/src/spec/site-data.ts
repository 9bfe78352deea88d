// A site's table from its file, or its images from their folder.
import { statSync } from "node:fs";
import { InputError } from "@pliant/core";
import { readImageFolder, readTable } from "@pliant/data";
import { NdArray } from "@pliant/engine";
import { checkRows, encodedTable, kindsOf, type SiteTable, siteTable } from "../tables/site-table.js";
import { type FederationSpec, privacyOf } from "./spec.js";

/** CSV, JSON lines or Parquet; where the spec has images, a folder with one for each class. */
export async function readSiteData(path: string, spec: FederationSpec, leastRows = 1): Promise<SiteTable> {
  const { images, classes } = spec.data;
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder && !images)
    throw new InputError(
      `${path} is a folder, and this federation learns from a table: ${spec.data.features.join(", ")}.`,
    );
  if (!isFolder || !images)
    return siteTable(await readTable(path, { columns: kindsOf(spec.data) }), spec, leastRows);
  const { pixels, labels } = readImageFolder(path, { ...images, classes });
  checkRows(labels.length, leastRows, path);
  privacyOf(spec, labels.length);
  return encodedTable({
    x: new NdArray(pixels, [labels.length, spec.data.features.length]),
    y: new NdArray(labels, [labels.length]),
  });
}
