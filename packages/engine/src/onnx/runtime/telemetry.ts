// ONNX Runtime's builds for Linux and macOS keep a number for this computer and records of every model under ~/.cache, and
// send them to their maker, unless this variable is set before the library makes its first session. Of what is computed here
// nothing leaves the computer, so it is set whatever it was.
const variable = "ORT_DISABLE_TELEMETRY";
/** By name, so that no page is built with it. */
const library: string = "koffi";

/** Has the runtime of this process write and send nothing of its own; to be called before it makes its first session. */
export async function keepQuiet(): Promise<void> {
  const { process } = globalThis;
  if (!process?.versions?.node) return;
  process.env[variable] = "1";
  if (process.getBuiltinModule("node:worker_threads").isMainThread || process.platform === "win32") return;
  // What a worker writes into its process.env is its own: the C library, which the runtime asks, does not see it.
  const { default: koffi } = (await import(/* @vite-ignore */ library)) as typeof import("koffi");
  koffi.load(null).func("int setenv(const char *name, const char *value, int overwrite)")(variable, "1", 1);
}
