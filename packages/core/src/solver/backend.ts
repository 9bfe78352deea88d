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

// A name that bundlers for pages do not follow.
const device = "@pliant/engine/device";

/** A machine that has none is told of it, on the way of warnings: steps in plain TypeScript may take many times as long. */
export async function native(
  load = () =>
    import(/* @vite-ignore */ device) as Promise<Pick<typeof import("@pliant/engine/device"), "open">>,
): Promise<Backend> {
  try {
    const { open } = await load();
    // Residuals want products exact to float32.
    return await open("auto", { precision: "float32" });
  } catch (reason) {
    const [line] = (reason instanceof Error ? reason.message : String(reason)).split("\n");
    console.warn(
      `No native back end starts here (${line.replace(/\.$/, "")}). Problems are solved in plain TypeScript, which is slower. pliant doctor says what to do; pass backend: reference() to leave out this message.`,
    );
    return reference();
  }
}
