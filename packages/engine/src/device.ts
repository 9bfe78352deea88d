// From the name of a device to a back end that runs there.
import type { Backend, Precision } from "./backend.js";
import { cpu } from "./cpu.js";
import { EngineError } from "./errors.js";
import { reference } from "./reference/index.js";

/** Where programs run; `auto` is what is fastest here. */
export type Device = "auto" | "cpu" | "cuda" | "reference";
/** Every device that can be asked for. */
export const devices: readonly Device[] = ["auto", "cpu", "cuda", "reference"];

/** Every precision of float32 products that can be asked for on a GPU; elsewhere they are float32. */
export const precisions: readonly Precision[] = ["float32", "tf32", "bf16"];

/** How a device is opened. */
export interface DeviceOptions {
  /** How many threads a processor's back end takes; the usual number unless given. */
  threads?: number;
  /** Of products of float32 on a GPU; `tf32` unless given. */
  precision?: Precision;
  /** Whether a GPU's memory is taken at once; only if PLIANT_GPU_MEMORY says how much, unless given. */
  preallocate?: boolean;
}

/**
 * `auto` takes CUDA where an XLA plugin is found and starts. One for processors it takes beside ONNX Runtime, each for what it is
 * faster at, unless told how many threads. Else, and as `cpu`, it is ONNX Runtime alone; where a plugin does not start, that is said.
 */
export async function open(
  device: Device = "auto",
  { threads, precision, preallocate }: DeviceOptions = {},
): Promise<Backend> {
  if (!devices.includes(device)) {
    throw new EngineError(`"${device}" is not a device; choose one of ${devices.join(", ")}.`);
  }
  if (device === "reference") return reference();
  const onnx = async () => (await import("./onnx/index.js")).onnx({ threads });
  if (device === "cpu") return onnx();
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
  if (plugins.length === 0) return onnx();
  const found = await xla({ precision, preallocate }).catch((reason: Error) => {
    const [{ path }] = plugins;
    tellOnce(
      `The XLA plugin ${path} does not open (${firstLine(reason).replace(path, "it")}), so that "auto" takes ONNX Runtime on the processor instead; pliant doctor says what to do.`,
    );
    return undefined;
  });
  if (found === undefined || found.client.platform !== "cpu") return found ?? onnx();
  if (threads === undefined) return cpu(await onnx(), found);
  await found.close();
  return onnx();
}

const told = new Set<string>();

function tellOnce(sentence: string): void {
  if (!told.has(sentence)) console.warn(sentence);
  told.add(sentence);
}

const firstLine = ({ message }: Error): string => message.split("\n")[0].replace(/\.$/, "");
