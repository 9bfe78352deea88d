// A site's table from its file.
import { readTable } from "@pliant/data";
import type { Pool } from "@pliant/federated";
import { poolOf } from "./pool.js";
import type { FederationSpec } from "./spec.js";

/** CSV, JSON lines or Parquet. */
export const readSiteData = async (file: string, spec: FederationSpec): Promise<Pool> =>
  poolOf(await readTable(file), spec);
