// Opens a device in the requested precision.

import { InputError } from "@pliant/core";
import type { Backend, ProgramOptions } from "@pliant/engine";
import { type Device, open, type precisions } from "@pliant/engine/device";

/** The precision of float32 products on a GPU. */
export type Precision = (typeof precisions)[number];

/** Opens a device, and refuses one that cannot compute in the requested precision. */
export async function openIn(device: Device | undefined, precision?: Precision): Promise<Backend> {
  const backend = await open(device, { ...(precision && { precision }) });
  const used = backend.about?.precision ?? "float32";
  if (precision === undefined || precision === used) return backend;
  await backend.close();
  throw new InputError(`--precision ${precision} is for a GPU; this device computes in ${used}.`);
}

/** The same device with its programs in another precision, on a back end that has a choice. */
export function computingIn(backend: Backend, precision: Precision | undefined): Backend {
  const used = backend.about?.precision ?? "float32";
  if (precision === undefined || precision === used) return backend;
  if (backend.name !== "xla")
    throw new InputError(
      `This run is to be computed in ${precision}, on a GPU; this device computes in ${used}.`,
    );
  const { compileLoop } = backend;
  const own = (options: ProgramOptions = {}): ProgramOptions => ({
    ...options,
    precision: options.precision ?? precision,
  });
  return {
    ...backend,
    about: { ...backend.about, precision },
    compile: (program, options) => backend.compile(program, own(options)),
    ...(compileLoop && {
      compileLoop: (program, steps, options) => compileLoop(program, steps, own(options)),
    }),
  };
}
