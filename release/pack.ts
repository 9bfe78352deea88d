// npm run pack [-- --out DIR]: every package as a tarball, from a clean clone, as it would be published.
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { stageRuntimes } from "./runtime.js";
import { build, mustRun, root, stageAll } from "./staging.js";

/** Packs all packages into `out`, and says which files these are. */
export async function packAll(out: string): Promise<string[]> {
  await build();
  const place = await mkdtemp(join(tmpdir(), "pliant-pack-"));
  try {
    const folders = [...(await stageRuntimes(place)), ...(await stageAll(place))];
    for (const folder of folders) mustRun("npm", ["pack", "--pack-destination", out, "--silent"], folder);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  return (await readdir(out)).filter((name) => name.endsWith(".tgz")).map((name) => join(out, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { out: { type: "string", default: join(root, "release", "out") } },
  });
  const out = resolve(values.out);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const file of await packAll(out)) {
    console.log(
      `${((await stat(file)).size / 1e6).toFixed(2).padStart(8)} MB  ${file.slice(out.length + 1)}`,
    );
  }
}
