// Devices in a page: plain TypeScript, which is always there, beside a runtime that the page offers.
import type { Backend } from "./backend.js";
import type { Device, DeviceOptions } from "./device.js";
import { EngineError } from "./errors.js";
import { pageProcessor } from "./onnx/runtime/page-processor.js";
import { reference } from "./reference/index.js";

export type { Device, DeviceOptions } from "./device.js";

/** Every device that a page can be asked for. */
export const devices: readonly Device[] = ["auto", "reference"];

/** Every precision of float32 products; a page computes in the first. */
export { precisions } from "./precisions.js";

/** Opens a device of a page. */
export async function open(device: Device = "auto", _options: DeviceOptions = {}): Promise<Backend> {
  if (!devices.includes(device))
    throw new EngineError(`"${device}" is not a device of a page; choose one of ${devices.join(", ")}.`);
  return device === "auto" ? pageProcessor() : reference();
}

/** The processor of a page. */
export const openProcessor = (): Promise<Backend> => open();
