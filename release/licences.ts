// The licences of other people's code that is inside our tarballs.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout that this was built in. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Packages that are built into the pages which a package of ours brings along. */
const bundled: Readonly<Record<string, readonly string[]>> = {
  studio: ["svelte", "esm-env"],
  federation: ["@noble/ciphers", "@noble/curves", "@noble/hashes", "buffer", "base64-js", "ieee754", "zod"],
};

/** The texts of all of them, or undefined where nothing is built in. */
export async function bundledLicences(folder: string): Promise<string | undefined> {
  const names = bundled[folder];
  if (!names) return undefined;
  const texts = await Promise.all(
    names.map(async (name) => {
      const place = join(root, "node_modules", name);
      const file = (await readdir(place)).find((name) => /^licen[cs]e/i.test(name));
      if (!file) throw new Error(`${name} is built into ${folder} and has no licence text.`);
      const { version } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
      return `${name} ${version}\n\n${(await readFile(join(place, file), "utf8")).trim()}\n`;
    }),
  );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** ONNX Runtime's licence and those of what is inside it. */
export const runtimeLicences = join(root, "release", "licences", "onnxruntime");
