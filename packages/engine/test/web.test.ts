// The same graphs in onnxruntime-web, the WebAssembly build a page runs, against the reference: every operation, its
// value and two orders of derivatives.
import { compile, readAll } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { disagreement } from "./agreement.js";
import { derivatives } from "./derivatives.js";
import { inputsAs, operations } from "./operations.js";
import { web } from "./web.js";

describe.skipIf(!web)("in onnxruntime-web", async () => {
  const backend = web && (await onnx({ runtime: web }));
  afterAll(() => backend?.close());

  describe.each(["float32", "float64"] as const)("agrees with the reference in %s", (dtype) => {
    test.each(operations.filter((o) => dtype === "float32" || !o.float32Only))("$name", async (operation) => {
      const inputs = inputsAs(operation.inputs, dtype);
      const fn = derivatives(operation);
      const got = await readAll(await compile(fn, { backend: backend! })(...inputs));
      expect(disagreement(fn, inputs, got)).toBeUndefined();
    });
  });
});
