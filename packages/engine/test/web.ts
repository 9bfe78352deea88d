// onnxruntime-web, if it is installed, set up so that it runs in Node as it does in a page.
import type * as Ort from "onnxruntime-web";

async function load(): Promise<typeof Ort | undefined> {
  try {
    const ort = await import("onnxruntime-web");
    // One thread needs no shared memory, so this is what a page without cross-origin isolation runs.
    ort.env.wasm.numThreads = 1;
    return ort;
  } catch {
    console.warn("onnxruntime-web is not installed, so nothing is tested in it; npm install brings it.");
    return undefined;
  }
}

export const web = await load();
