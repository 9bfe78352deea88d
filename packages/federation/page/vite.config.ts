// Builds the page for tabs: a few files of its own, with a tab's ciphers and curves in the place of Node's.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const tabOnly = {
  name: "primitives of a tab",
  enforce: "pre" as const,
  resolveId: (id: string, importer?: string) =>
    id.endsWith("/primitives.js") && importer?.includes("/federation/src/")
      ? here("primitives.ts")
      : undefined,
};

export default defineConfig({
  base: "./",
  plugins: [tabOnly],
  resolve: { conditions: ["pliant-source", "browser", "module"] },
  worker: { format: "es", plugins: () => [tabOnly] },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
