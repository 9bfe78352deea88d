// "Try your own table", as one script and one stylesheet that a page from a disk can load.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
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
  writeFileSync(join(out, "runtime.js"), await runtimeScript());
}

/** A worker has no document that tells the address of a script; threads of the runtime are workers that run its script. */
const inWorker = {
  name: "in-worker",
  enforce: "pre" as const,
  transform: (code: string) =>
    code.replaceAll("import.meta.url", "(self.pliantRuntimeAddress ?? self.location.href)"),
};

/**
 * ONNX Runtime and its WebAssembly as a script: a page that may not connect to anything, or lies on a disk, can load nothing else. The page
 * loads it when a problem is worth it.
 */
async function runtimeScript(): Promise<string> {
  const built = await build({
    configFile: join(root, "packages/studio/vite.config.ts"),
    root: join(home, "try"),
    logLevel: "error",
    plugins: [inWorker],
    build: {
      write: false,
      rollupOptions: {
        input: join(home, "try/runtime-library.ts"),
        preserveEntrySignatures: "strict",
        output: { format: "iife", name: "pliantOnnxRuntime", inlineDynamicImports: true },
      },
    },
  });
  const { output } = built as Extract<typeof built, { output: unknown }>;
  const main = createRequire(import.meta.url).resolve("onnxruntime-web");
  const wasm = readFileSync(join(dirname(main), "ort-wasm-simd-threaded.wasm"));
  const packed = { script: output[0].code, wasm: gzipSync(wasm).toString("base64") };
  return `// ONNX Runtime, WebAssembly. Copyright (c) Microsoft Corporation, MIT License.\nglobalThis.pliantRuntime = ${JSON.stringify(packed)};\n`;
}
