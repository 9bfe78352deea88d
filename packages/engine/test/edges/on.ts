// Every operation at its edges on one back end, a test each.
import type { Backend, DType } from "@pliant/engine";
import { expect, test } from "vitest";
import { axisUses } from "./axes.js";
import { disagreements } from "./compare.js";
import { elementUses } from "./elements.js";
import { productUses } from "./products.js";
import { edgesOf, everything } from "./use.js";

const uses = [...elementUses, ...axisUses, ...productUses];
/** The operations that are tried. */
export const names = [...new Set(uses.map(({ name }) => name))];

/** ONNX Runtime has no double-precision kernel for these. */
const onnxFloat32Only = new Set(["erf", "conv2d", "avgPool"]);

export const edgesOn = (backend: Backend): void =>
  test.each(names)("%s", async (name) => {
    const dtypes = everything.filter(
      (d: DType) => !(d === "float64" && backend.name === "onnx" && onnxFloat32Only.has(name)),
    );
    for (const dtype of dtypes) {
      const edges = uses.filter((u) => u.name === name).flatMap((u) => edgesOf(u, dtype));
      if (edges.length > 0) expect(await disagreements(edges, backend)).toEqual([]);
    }
  });
