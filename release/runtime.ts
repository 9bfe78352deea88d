// ONNX Runtime for one platform a package: what onnxruntime-node has inside, less the other platforms and less its install
// script, which fetches CUDA libraries from outside the registry and fails where only that can be reached.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root, runtimeLicences } from "./licences.js";

const source = dirname(dirname(createRequire(import.meta.url).resolve("onnxruntime-node")));
const manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));

const platforms = ["linux-x64", "linux-arm64", "darwin-arm64", "win32-x64", "win32-arm64"] as const;

const licenceFiles = ["LICENSE", "ThirdPartyNotices.txt"];

export const runtimeVersion: string = manifest.version;
export const runtimeNames = platforms.map((platform) => `@pliant/onnxruntime-${platform}`);

/** The package of each platform, each in a folder of its own under `place`. */
export async function stageRuntimes(place: string): Promise<string[]> {
  const staged: string[] = [];
  const workspace = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  for (const platform of platforms) {
    const [os, cpu] = platform.split("-");
    const folder = join(place, `onnxruntime-${platform}`);
    const binaries = join("bin", "napi-v6", os, cpu);
    await mkdir(folder, { recursive: true });
    await cp(join(source, "dist"), join(folder, "dist"), { recursive: true });
    await cp(join(source, binaries), join(folder, binaries), { recursive: true });
    for (const name of licenceFiles) await cp(join(runtimeLicences, name), join(folder, name));
    const { license, author, dependencies } = manifest;
    const own = {
      name: `@pliant/onnxruntime-${platform}`,
      version: runtimeVersion,
      description: `ONNX Runtime's Node binding for ${platform}, as Pliant's engine loads it`,
      license,
      author,
      // Ours, since provenance is checked against the repository that publishes.
      repository: workspace.repository,
      os: [os],
      cpu: [cpu],
      // The library needs glibc: on Alpine it is not installed, and device "auto" is plain TypeScript.
      ...(os === "linux" && { libc: ["glibc"] }),
      main: "dist/index.js",
      types: "dist/index.d.ts",
      files: ["bin", "dist", ...licenceFiles],
      dependencies: { "onnxruntime-common": dependencies["onnxruntime-common"] },
    };
    await writeFile(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
    await writeFile(
      join(folder, "README.md"),
      `# ${own.name}\n\nThe files of [onnxruntime-node](https://www.npmjs.com/package/onnxruntime-node) ${runtimeVersion} ` +
        `(Microsoft, MIT licence) for ${platform}, unchanged, without its install script.\n`,
    );
    staged.push(folder);
  }
  return staged;
}
