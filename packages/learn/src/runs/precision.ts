// A device in the precision that was asked for.
import type { Backend } from "@pliant/engine";
import { type Device, open, type precisions } from "@pliant/engine/device";
import { InputError } from "pliant";

export type Precision = (typeof precisions)[number];

/** Opens a device; one that does not compute in the precision asked for is refused, as numbers would be other than asked. */
export async function openIn(device: Device | undefined, precision?: Precision): Promise<Backend> {
  const backend = await open(device, { ...(precision && { precision }) });
  const used = backend.about?.precision ?? "float32";
  if (precision === undefined || precision === used) return backend;
  await backend.close();
  throw new InputError(`--precision ${precision} is for a GPU; this device computes in ${used}.`);
}
