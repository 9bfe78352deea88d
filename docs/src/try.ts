// "Try your own table", as one script and one stylesheet that a page from a disk can load.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { home, root } from "./place.js";

export async function buildTry(out: string): Promise<void> {
  await build({
    configFile: join(root, "packages/studio/vite.config.ts"),
    root: join(home, "try"),
    // Rollup does not know some comments in zod, and says so at length.
    logLevel: "error",
    // No module: browsers load none from a disk.
    worker: { format: "iife", rollupOptions: { output: { inlineDynamicImports: true } } },
    // A stylesheet of its own: the policy of the page allows none inside.
    build: {
      cssCodeSplit: false,
      chunkSizeWarningLimit: 2000,
      outDir: out,
      emptyOutDir: true,
      rollupOptions: {
        input: join(home, "try/main.ts"),
        output: {
          format: "iife",
          inlineDynamicImports: true,
          entryFileNames: "try.js",
          assetFileNames: "try[extname]",
        },
      },
    },
  });
  cpSync(join(home, "try/index.html"), join(out, "index.html"));
}
