// From the name of a device to a back end that runs there.
import type { Backend, Precision } from "./backend.js";
import { cpu } from "./cpu.js";
import { EngineError } from "./errors.js";
import { reference } from "./reference/index.js";

/** Where programs run; `auto` selects the fastest device. */
export type Device = "auto" | "cpu" | "cuda" | "reference";
/** Every device that can be asked for. */
export const devices: readonly Device[] = ["auto", "cpu", "cuda", "reference"];

export { precisions } from "./precisions.js";

/** How a device is opened. */
export interface DeviceOptions {
  /** How many threads a processor's back end takes; default: the usual number. */
  threads?: number;
  /** The precision of float32 matrix products on a GPU (default: `tf32`). */
  precision?: Precision;
  /** Whether a GPU's memory is taken at once; default: only if PLIANT_GPU_MEMORY says how much. */
  preallocate?: boolean;
}

/**
 * `auto` uses a GPU if an XLA plugin for one starts. It uses an XLA plugin for processors beside ONNX Runtime, each for the
 * programs it runs faster, unless `threads` is given. Otherwise it uses ONNX Runtime, like `cpu`, and plain TypeScript, like
 * `reference`, where ONNX Runtime does not load. A plugin or runtime that does not start is warned about once.
 */
export async function open(
  device: Device = "auto",
  { threads, precision, preallocate }: DeviceOptions = {},
): Promise<Backend> {
  if (!devices.includes(device)) {
    throw new EngineError(`"${device}" is not a device; choose one of ${devices.join(", ")}.`);
  }
  if (device === "reference") return reference();
  if (device === "cpu") return onnxRuntime(threads);
  const processor = () => openProcessor({ threads });
  const { findPlugins, xla } = await import("./xla/index.js");
  if (device === "cuda") {
    const found = await xla({ precision, preallocate });
    if (found.client.platform !== "cpu") return found;
    await found.close();
    throw new EngineError(
      `"cuda" is a GPU, and the XLA plugin ${found.about?.plugin} is one for processors; take "auto", which uses it, or name a GPU's in PLIANT_PJRT_PLUGIN.`,
    );
  }
  const { plugins } = findPlugins();
  if (plugins.length === 0) return processor();
  const found = await xla({ precision, preallocate }).catch((reason: Error) => {
    const [{ path }] = plugins;
    warnOnce(
      `The XLA plugin ${path} does not open (${firstLine(reason).replace(path, "it")}). Device "auto" uses the processor instead; pliant doctor says what to do.`,
    );
    return undefined;
  });
  if (found === undefined || found.client.platform !== "cpu") return found ?? processor();
  const own = await processor();
  if (threads === undefined && own.name === "onnx") return cpu(own, found);
  await found.close();
  return own;
}

/** ONNX Runtime on the processor, even beside a GPU; plain TypeScript, with one warning, where the runtime does not load. */
export const openProcessor = ({ threads }: Pick<DeviceOptions, "threads"> = {}): Promise<Backend> =>
  onnxRuntime(threads).catch((reason: Error) => {
    warnOnce(
      `${firstLine(reason)}. Device "auto" uses plain TypeScript instead, which is slower; pliant doctor says how to get ONNX Runtime.`,
    );
    return reference();
  });

const onnxRuntime = async (threads?: number): Promise<Backend> =>
  (await import("./onnx/index.js")).onnx({ threads });

const warned = new Set<string>();

function warnOnce(sentence: string): void {
  if (!warned.has(sentence)) console.warn(sentence);
  warned.add(sentence);
}

const firstLine = ({ message }: Error): string => message.split("\n")[0].replace(/\.$/, "");
