// The same graphs in onnxruntime-web, the WebAssembly build a page runs, against the reference: every operation, its
// value and two orders of derivatives.
import { compile, leaves, type NdArray, readAll, reference } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { distance, isCompared } from "./agreement.js";
import { derivatives } from "./derivatives.js";
import { inputsAs, operations } from "./operations.js";
import { web } from "./web.js";

describe.skipIf(!web)("in onnxruntime-web", async () => {
  const backend = web && (await onnx({ runtime: web }));
  afterAll(() => backend?.close());

  describe.each(["float32", "float64"] as const)("agrees with the reference in %s", (dtype) => {
    test.each(operations.filter((o) => dtype === "float32" || !o.float32Only))("$name", async (operation) => {
      const inputs = inputsAs(operation.inputs, dtype);
      const [wanted, got] = await Promise.all(
        [reference(), backend!].map(async (b) =>
          leaves(await readAll(await compile(derivatives(operation), { backend: b })(...inputs))),
        ),
      );
      for (const [i, { leaf, path }] of got.entries()) {
        if (!isCompared(path)) continue;
        expect(distance(wanted[i].leaf as NdArray, leaf as NdArray), path).toBeLessThan(
          dtype === "float32" ? 2e-5 : 1e-12,
        );
      }
    });
  });
});
