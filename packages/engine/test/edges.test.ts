// Every operation on NaN, infinities, both zeros, subnormals, the largest numbers and empty arrays, on every back end: what
// it gives is the reference's, element by element, to the units of the last place that the README promises.
import type { Backend, DType } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { xla } from "@pliant/engine/xla";
import { afterAll, describe, expect, test } from "vitest";
import * as operations from "../src/ops/index.js";
import { axisUses } from "./edges/axes.js";
import { disagreements } from "./edges/compare.js";
import { elementUses } from "./edges/elements.js";
import { productUses } from "./edges/products.js";
import { promised } from "./edges/promises.js";
import { edgesOf, everything } from "./edges/use.js";

const uses = [...elementUses, ...axisUses, ...productUses];
const names = [...new Set(uses.map(({ name }) => name))];

test("every operation is here", () => {
  expect(names.sort()).toEqual(Object.keys(operations).sort());
});

test("promises are about operations there are", () => {
  expect([...promised.keys()].filter((name) => !names.includes(name))).toEqual([]);
  expect(promised.size).toBeGreaterThan(10);
});

/** ONNX Runtime has no double-precision kernel for these. */
const onnxFloat32Only = new Set(["erf", "conv2d", "avgPool"]);

// Promises are about the plugin as people have it, however long it compiles.
delete process.env.XLA_FLAGS;
const onXla = await xla({ precision: "float32", preallocate: false }).catch((reason: Error) => {
  console.log(`Skipped on xla, which does not run here: ${reason.message}`);
  return undefined;
});
if (onXla && onXla.client.platform !== "cpu")
  console.log(`Skipped on xla: the promises are about its CPU plugin, and this is ${onXla.client.platform}.`);
const backends: Backend[] = [
  await onnx({ threads: 1 }),
  ...(onXla?.client.platform === "cpu" ? [onXla] : []),
];
afterAll(async () => {
  for (const backend of backends) await backend.close();
});

describe.each(backends)("$name gives what the reference gives at the edges of", (backend) => {
  test.each(names)("%s", async (name) => {
    const dtypes = everything.filter(
      (d: DType) => !(d === "float64" && backend.name === "onnx" && onnxFloat32Only.has(name)),
    );
    for (const dtype of dtypes) {
      const edges = uses.filter((u) => u.name === name).flatMap((u) => edgesOf(u, dtype));
      if (edges.length > 0) expect(await disagreements(edges, backend)).toEqual([]);
    }
  });
});
