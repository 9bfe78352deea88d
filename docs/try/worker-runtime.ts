// The runtime of the worker: its WebAssembly comes from the page, unpacked here.
import type * as Ort from "onnxruntime-web/wasm";
import * as ort from "onnxruntime-web/wasm";
import type { Given, WorkerMessage } from "./messages.js";

export async function loadRuntime(): Promise<typeof Ort> {
  const packed = await fromPage();
  if (!packed) throw new Error("runtime.js is not beside the page.");
  const unpacking = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  ort.env.wasm.wasmBinary = await new Response(unpacking).arrayBuffer();
  // More threads need memory that is shared, which a page has only where its host isolates it.
  ort.env.wasm.numThreads = 1;
  return ort;
}

function fromPage(): Promise<Uint8Array | undefined> {
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
