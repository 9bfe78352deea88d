// npm run release [-- --dry-run]: publishes what is committed, with provenance. Meant for a CI that may sign for us.
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packAll } from "./pack.js";
import { whyNot } from "./ready.js";
import { manifestIn } from "./registry.js";
import { type Manifest, mustRun, readManifest, root } from "./staging.js";

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });

const { version } = await readManifest(join(root, "packages/core"));
const refusal = await whyNot(root, version, { rehearsal: values["dry-run"] });
if (refusal) {
  console.error(refusal);
  process.exit(1);
}
const out = await mkdtemp(join(tmpdir(), "pliant-release-"));
const tarballs = await Promise.all(
  (await packAll(out)).map(async (file) => ({ file, manifest: await manifestIn(await readFile(file)) })),
);
for (const { file } of afterTheirDependencies(tarballs)) {
  const how = values["dry-run"] ? ["--dry-run"] : ["--provenance"];
  mustRun("npm", ["publish", file, "--access", "public", ...how], root);
}

/** In an order in which each package's dependencies are published before it. */
function afterTheirDependencies<T extends { manifest: Manifest }>(all: readonly T[]): T[] {
  const byName = new Map(all.map((item) => [item.manifest.name, item]));
  const ordered = new Set<T>();
  const visit = (item: T): void => {
    const { dependencies, optionalDependencies } = item.manifest;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const needed = byName.get(name);
      if (needed && !ordered.has(needed)) visit(needed);
    }
    ordered.add(item);
  };
  for (const item of all) if (!ordered.has(item)) visit(item);
  return [...ordered];
}
