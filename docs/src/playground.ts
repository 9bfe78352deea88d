// The live playground: the Studio's, as one script and one stylesheet that a page from a disk can load.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { home, root } from "./place.js";

const studio = join(root, "packages/studio");

export async function buildPlayground(out: string): Promise<void> {
  await build({
    configFile: join(studio, "vite.config.ts"),
    root: join(home, "playground"),
    logLevel: "warn",
    plugins: [
      {
        name: "the thread inside the script",
        enforce: "pre",
        resolveId: (source, importer) =>
          source === "./thread.js" && importer?.includes("/studio/page/src/playground/")
            ? join(home, "playground/thread.ts")
            : undefined,
      },
    ],
    // No module: browsers load none from a disk.
    worker: { format: "iife" },
    build: {
      outDir: out,
      emptyOutDir: true,
      rollupOptions: {
        input: join(home, "playground/main.ts"),
        output: { format: "iife", entryFileNames: "playground.js", assetFileNames: "playground[extname]" },
      },
    },
  });
  cpSync(join(home, "playground/index.html"), join(out, "index.html"));
}
