// What is published of each package: its folder as others install it, made from the checkout.
//
// npm's own hooks cannot do it: this checkout runs no scripts, a package's licence and changelog are the repository's,
// and the engine is published with slim runtimes (runtime.ts) in the place of onnxruntime-node.
import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundledLicences, root } from "./licences.js";
import { type Conditions, type Manifest, projectFields, readManifest } from "./manifest.js";
import { runtimeNames, runtimeVersion } from "./runtime.js";

export { type Manifest, readManifest, root };

/** Runs a command that must succeed; its words go beside ours. */
export function mustRun(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] });
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(" ")} failed in ${cwd}.`, { cause: error });
}

/** Compiles every package, and the Studio's pages. */
export async function build(): Promise<void> {
  mustRun(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"], root);
  const studio = await import(pathToFileURL(join(root, "packages/studio/dist/index.js")).href);
  await studio.ensurePage();
  await studio.ensurePage({ published: true });
}

/** Every package of the workspace as it is published, each in a folder of its own under `place`. */
export async function stageAll(place: string): Promise<string[]> {
  const staged: string[] = [];
  for (const name of (await readdir(join(root, "packages"))).sort()) {
    const folder = join(place, name);
    await stage(join(root, "packages", name), folder);
    staged.push(folder);
  }
  return staged;
}

async function stage(from: string, to: string): Promise<void> {
  const manifest = await readManifest(from);
  await mkdir(to, { recursive: true });
  // Sources go along, since source and declaration maps point to them.
  const files = new Set([...(manifest.files ?? []), "src"]);
  for (const name of files) {
    await cp(join(from, name), join(to, name), {
      recursive: true,
      filter: (path) => !path.endsWith(".tsbuildinfo"),
    });
  }
  for (const name of ["LICENSE", "CHANGELOG.md"]) await cp(join(root, name), join(to, name));
  const licences = await bundledLicences(basename(from));
  if (licences !== undefined) {
    await writeFile(join(to, "THIRD-PARTY.txt"), licences);
    files.add("THIRD-PARTY.txt");
  }
  const directory = `packages/${basename(from)}`;
  const about = { ...(await projectFields(root)), ...published(manifest, [...files]) };
  const repository = { ...(about.repository as object), directory };
  await writeFile(join(to, "package.json"), `${JSON.stringify({ ...about, repository }, null, 2)}\n`);
}

/** Without the checkout's own condition, however deep. */
const withoutSource = <C extends Conditions>(conditions: C): C =>
  Object.fromEntries(
    Object.entries(conditions)
      .filter(([name]) => name !== "pliant-source")
      .map(([name, leads]) => [name, typeof leads === "string" ? leads : withoutSource(leads)]),
  ) as C;

/** The manifest that others get: no conditions or commands of the checkout, and the slim runtimes. */
export function published(manifest: Manifest, files: string[]): Manifest {
  const { scripts: _, devDependencies: __, ...rest } = manifest;
  const result: Manifest = { ...rest, files: [...files, "LICENSE", "CHANGELOG.md"] };
  if (manifest.exports) result.exports = withoutSource(manifest.exports);
  if (manifest.imports) result.imports = withoutSource(manifest.imports);
  if (manifest.dependencies?.["onnxruntime-node"]) {
    const { "onnxruntime-node": ____, ...dependencies } = manifest.dependencies;
    result.dependencies = dependencies;
    result.optionalDependencies = Object.fromEntries(runtimeNames.map((name) => [name, runtimeVersion]));
  }
  return result;
}
