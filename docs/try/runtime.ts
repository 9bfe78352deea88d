// ONNX Runtime in WebAssembly, from a script beside the page: its policy allows no other way to load a file.
import type { PackedRuntime } from "./messages.js";

let loading: Promise<PackedRuntime | undefined> | undefined;

/** Undefined where it does not load. */
export function packedRuntime(): Promise<PackedRuntime | undefined> {
  loading ??= new Promise<PackedRuntime | undefined>((resolve) => {
    const script = document.createElement("script");
    script.src = "runtime.js";
    script.onload = () => resolve(decoded());
    script.onerror = () => resolve(undefined);
    document.head.append(script);
  });
  return loading;
}

function decoded(): PackedRuntime | undefined {
  const given = globalThis as { pliantRuntime?: { script: string; wasm: string } };
  if (!given.pliantRuntime) return undefined;
  const { script, wasm } = given.pliantRuntime;
  given.pliantRuntime = undefined;
  const text = atob(wasm);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return { script, wasm: bytes };
}
