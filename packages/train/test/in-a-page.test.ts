// `@pliant/train` as bundlers build it for a page: no module of Node, no plugin, no setting.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { afterAll, expect, test } from "vitest";

// Inside the package, from where its name is found.
const folder = mkdtempSync(join(import.meta.dirname, "..", "dist", "page-"));
afterAll(() => rmSync(folder, { recursive: true }));
const entry = join(folder, "main.ts");
writeFileSync(entry, 'export * from "@pliant/train";\n');

test("esbuild builds it and leaves nothing outside", async () => {
  const { metafile, warnings } = await esbuild({
    ...{ entryPoints: [entry], bundle: true, platform: "browser", format: "esm", metafile: true },
    ...{ write: false, outdir: folder, conditions: ["pliant-source"], minify: true },
  });
  expect(warnings).toEqual([]);
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter((i) => i.external));
  expect(outside).toEqual([]);
  expect(Object.keys(metafile.inputs).filter((path) => /onnxruntime|koffi|duckdb\.ts/.test(path))).toEqual([
    expect.stringContaining("no-duckdb.ts"),
  ]);
});

test("Vite builds it, and puts nothing in the place of a module of Node", async () => {
  const out = join(folder, "out");
  await vite({
    ...{ configFile: false, root: folder, logLevel: "silent" },
    resolve: { conditions: ["pliant-source", "browser", "module"] },
    build: { lib: { entry, formats: ["es"], fileName: "train" }, outDir: out },
  });
  for (const file of readdirSync(out)) {
    const text = readFileSync(join(out, file), "utf8");
    expect(text).not.toMatch(/__vite-browser-external|from ?"node:|import\("node:/);
  }
});
