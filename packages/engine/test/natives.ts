// The native back ends that run here, for tests that try each of them.
import type { Backend } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { xla } from "@pliant/engine/xla";
import { afterAll } from "vitest";

/** Open until the tests of the file that asks are over. */
export async function openNatives(): Promise<Backend[]> {
  const onXla = await xla({ precision: "float32", preallocate: false }).catch(() => undefined);
  if (!onXla) console.log("Skipped on xla, which does not run here.");
  const natives = [await onnx({ threads: 1 }), ...(onXla ? [onXla] : [])];
  afterAll(async () => {
    for (const backend of natives) await backend.close();
  });
  return natives;
}
