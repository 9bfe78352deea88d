// The onnx back end of a page: on the GPU where the browser gives one to use, else in WebAssembly.
import type { Backend } from "../../backend.js";
import { onnx } from "./backend.js";
import type { Runtime } from "./session.js";

/** How a page gets its builds of onnxruntime-web. */
export interface PageRuntimes {
  /** As in `() => import("onnxruntime-web/webgpu")`: loaded only where there is a GPU. */
  webgpu: () => Promise<Runtime>;
  /** As in `() => import("onnxruntime-web")`. */
  wasm: () => Promise<Runtime>;
}

interface Adapter {
  readonly info?: { readonly vendor?: string; readonly architecture?: string; readonly description?: string };
}

/** What the browser's WebGPU runs on; undefined where it has none, or none for this page. */
async function adapterOf(): Promise<Adapter | undefined> {
  const { gpu } = (globalThis.navigator ?? {}) as { gpu?: { requestAdapter(): Promise<Adapter | null> } };
  try {
    return (await gpu?.requestAdapter()) ?? undefined;
  } catch {
    return undefined;
  }
}

/** WebGPU where the browser gives an adapter, else WebAssembly; `about.accelerator` says which adapter. */
export async function onnxInPage({ webgpu, wasm }: PageRuntimes): Promise<Backend> {
  const adapter = await adapterOf();
  if (!adapter) return onnx({ runtime: await wasm() });
  const { vendor, architecture, description } = adapter.info ?? {};
  const names = [vendor, architecture, description].filter((name) => name);
  const backend = await onnx({ runtime: await webgpu(), providers: ["webgpu"] });
  return { ...backend, about: { precision: "float32", accelerator: names.join(" ") || "WebGPU" } };
}
