// The runtime of the worker: its script and its WebAssembly come from the page, and are unpacked here.
import type * as Ort from "onnxruntime-web/wasm";
import type { Given, PackedRuntime, WorkerMessage } from "./messages.js";

declare function importScripts(url: string): void;

/** Operations of tables are too small for more; and threads wait at full speed, so one processor is left to the page. */
const mostThreads = 4;

export async function loadRuntime(): Promise<typeof Ort> {
  const packed = await fromPage();
  if (!packed) throw new Error("runtime.js is not beside the page.");
  const script = URL.createObjectURL(new Blob([packed.script], { type: "text/javascript" }));
  const here = globalThis as unknown as { pliantOnnxRuntime: typeof Ort; pliantRuntimeAddress: string };
  here.pliantRuntimeAddress = script;
  importScripts(script);
  const { pliantOnnxRuntime: ort } = here;
  const unpacking = new Blob([packed.wasm as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  ort.env.wasm.wasmBinary = await new Response(unpacking).arrayBuffer();
  // More threads need memory that is shared, which a page has only where its host isolates it.
  const free = Math.max(1, navigator.hardwareConcurrency - 1);
  ort.env.wasm.numThreads = crossOriginIsolated ? Math.min(mostThreads, free) : 1;
  return ort;
}

function fromPage(): Promise<PackedRuntime | undefined> {
  return new Promise((resolve) => {
    const hear = ({ data }: MessageEvent<Partial<Given>>): void => {
      if (!("runtime" in data)) return;
      removeEventListener("message", hear);
      resolve(data.runtime);
    };
    addEventListener("message", hear);
    (self as unknown as Worker).postMessage({ wants: "runtime" } satisfies WorkerMessage);
  });
}
