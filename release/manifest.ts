// The parts of a package's manifest that a release reads.
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

/** What the registry shows beside every package. The workspace's manifest is the only file with the repository's address. */
export async function projectFields(workspace: string) {
  const { repository, keywords } = (await readManifest(workspace)) as Manifest & {
    repository: { type: string; url: string };
  };
  const address = repository.url.replace(/^git\+|\.git$/g, "");
  return { homepage: `${address}#readme`, repository, bugs: { url: `${address}/issues` }, keywords };
}
