// ONNX Runtime in WebAssembly, from a script beside the page: its policy allows no other way to load a file.

let loading: Promise<Uint8Array | undefined> | undefined;

/** The bytes of the WebAssembly, packed by gzip; undefined where they do not load. */
export function packedRuntime(): Promise<Uint8Array | undefined> {
  loading ??= new Promise<Uint8Array | undefined>((resolve) => {
    const script = document.createElement("script");
    script.src = "runtime.js";
    script.onload = () => resolve(decoded());
    script.onerror = () => resolve(undefined);
    document.head.append(script);
  });
  return loading;
}

function decoded(): Uint8Array {
  const given = globalThis as { pliantRuntime?: string };
  const text = atob(given.pliantRuntime ?? "");
  given.pliantRuntime = undefined;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
