// What each back end promises, read from the README's table: in how many units of the last place its results may differ
// from the reference's. Operations that the table does not name are bit-identical.
import { readFileSync } from "node:fs";
import type { DType } from "@pliant/engine";

export type Tested = "onnx" | "xla";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** Rows like "| `exp`, `log` | 2 | 3 | 2 | 3 |": operations, then units on onnx and xla, in float32 and float64 each. */
const rows = [...readme.matchAll(/^\| ((?:`\w+`(?:, )?)+) *((?:\| *\d+ *){4})\|$/gm)].map(
  ([, names, numbers]) => {
    const [onnx32, onnx64, xla32, xla64] = [...numbers.matchAll(/\d+/g)].map(Number);
    return {
      names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
      units: { onnx: { float32: onnx32, float64: onnx64 }, xla: { float32: xla32, float64: xla64 } },
    };
  },
);

export const promised = new Map(
  rows.flatMap(({ names, units }) => names.map((name) => [name, units] as const)),
);

export const unitsOf = (operation: string, backend: Tested, dtype: DType): number =>
  promised.get(operation)?.[backend][dtype as "float32"] ?? 0;
