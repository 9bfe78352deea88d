// A device in the precision that was asked for.

import { InputError } from "@pliant/core";
import type { Backend, ProgramOptions } from "@pliant/engine";
import { type Device, open, type precisions } from "@pliant/engine/device";

/** How a GPU computes products of float32. */
export type Precision = (typeof precisions)[number];

/** Opens a device; one that does not compute in the precision asked for is refused, as numbers would be other than asked. */
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
