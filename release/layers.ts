// The packages in layers: each imports only from layers below its own.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./staging.js";

export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
  /** The packages of ours that its sources import, by name. */
  readonly imports: readonly string[];
}

const ours = /^(@pliant\/.*|pliant)$/;

export const readPackages = (root: string): Package[] =>
  readdirSync(join(root, "packages")).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
    const names = new Set<string>();
    const src = join(root, "packages", folder, "src");
    for (const file of readdirSync(src, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(join(src, file), "utf8");
      for (const [, name] of text.matchAll(/(?:from |import\()"((?:@[\w-]+\/)?[\w-]+)[^"]*"/g)) {
        if (ours.test(name) && name !== manifest.name) names.add(name);
      }
    }
    return { folder, manifest, imports: [...names].sort() };
  });

/** From the lowest to the highest. Packages that import in a circle have no layer, and that is refused. */
export function layersOf(packages: readonly Package[]): Package[][] {
  const layers: Package[][] = [];
  const placed = new Set<string>();
  let rest = [...packages];
  while (rest.length > 0) {
    const layer = rest.filter(({ imports }) => imports.every((name) => placed.has(name)));
    if (layer.length === 0)
      throw new Error(`These import in a circle: ${rest.map(({ manifest }) => manifest.name).join(", ")}.`);
    for (const { manifest } of layer) placed.add(manifest.name);
    rest = rest.filter((each) => !layer.includes(each));
    layers.push(layer);
  }
  return layers;
}

/** As a table for people, the highest layer first. */
export function drawn(root: string): string {
  const lines = layersOf(readPackages(root))
    .reverse()
    .flatMap((layer) =>
      layer.map(({ folder, imports }) => {
        const below = imports.map((name) => `\`${name}\``).join(", ");
        return `| [\`${folder}\`](packages/${folder}) | ${below || "nothing of ours"} |`;
      }),
    );
  return `\n| package | imports |\n|---|---|\n${lines.join("\n")}\n\n`;
}
