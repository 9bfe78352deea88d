// The manifest of a package, as far as a release looks into it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export type Conditions = { readonly [name: string]: string | Conditions };

export interface Manifest {
  name: string;
  version: string;
  description?: string;
  files?: string[];
  exports?: Record<string, Conditions>;
  imports?: Record<string, Conditions>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
  [field: string]: unknown;
}

export const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

/** What the registry shows beside every package, said once in the workspace's manifest. */
export async function projectFields(workspace: string): Promise<Record<string, unknown>> {
  const { homepage, repository, bugs, keywords } = await readManifest(workspace);
  return { homepage, repository, bugs, keywords };
}
