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
    rest = rest.filter((item) => !layer.includes(item));
    layers.push(layer);
  }
  return layers;
}

/** What a package imports and none of its imports does: the lines that a picture needs. */
export function nearest(packages: readonly Package[]): Map<Package, readonly Package[]> {
  const byName = new Map(packages.map((item) => [item.manifest.name, item]));
  const below = ({ imports }: Package): Package[] => imports.map((name) => byName.get(name)!);
  const far = (one: Package): Package[] => below(one).flatMap((item) => [item, ...far(item)]);
  return new Map(
    packages.map((item) => {
      const beyond = new Set(below(item).flatMap(far));
      return [item, below(item).filter((one) => !beyond.has(one))];
    }),
  );
}

/** As a picture and a table for people, the highest layer first. */
export function drawn(root: string): string {
  const packages = layersOf(readPackages(root)).reverse().flat();
  const arrows = [...nearest(packages)].flatMap(([{ folder }, below]) =>
    below.map((item) => `  ${folder} --> ${item.folder}`),
  );
  const lines = packages.map(({ folder, imports }) => {
    const below = imports.map((name) => `\`${name}\``).join(", ");
    return `| [\`${folder}\`](packages/${folder}) | ${below || "nothing of ours"} |`;
  });
  return `
\`\`\`mermaid
flowchart TD
${arrows.join("\n")}
\`\`\`

| package | imports |
|---|---|
${lines.join("\n")}

`;
}
