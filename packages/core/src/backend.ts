// Where a problem is solved unless told: the fastest back end of the machine, or plain TypeScript where there is none, as in a page.
import { type Backend, type DType, reference } from "@pliant/engine";

let opened: Promise<Backend> | undefined;

/** One for the whole process. float64 is solved by the reference, which has all of it, to the last bit. */
export function defaultBackend(dtype: DType): Promise<Backend> {
  const inNode = typeof process !== "undefined" && process.versions?.node !== undefined;
  if (dtype !== "float32" || !inNode) return Promise.resolve(reference());
  opened ??= native();
  return opened;
}

async function native(): Promise<Backend> {
  // A name that bundlers for pages do not follow.
  const device = "@pliant/engine/device";
  try {
    const { open } = (await import(/* @vite-ignore */ device)) as typeof import("@pliant/engine/device");
    // Residuals want products exact to float32.
    return await open("auto", { precision: "float32" });
  } catch {
    return reference();
  }
}
