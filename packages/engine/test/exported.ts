// Runs exported models and compares them with the functions they were made from.
import { type Data, type DType, NdArray, type Shape } from "@pliant/engine";
import type * as Ort from "onnxruntime-common";
import onnxruntime from "onnxruntime-node";
import { expect } from "vitest";
import { trace } from "../src/compile.js";
import { disagreement } from "./agreement.js";
import type { Model, Shapes } from "./export-models.js";
import { inputsAs, real, whole } from "./operations.js";
import { web } from "./web.js";

export type Arrays = Record<string, NdArray>;
export type Runtime = Pick<typeof Ort, "InferenceSession" | "Tensor">;

export const native = onnxruntime as Runtime;
export const runtimes: [string, Runtime][] = [["onnxruntime-node", native]];
if (web) runtimes.push(["onnxruntime-web", web as Runtime]);

/** A session on the model, as a function of arrays. */
export async function load(bytes: Uint8Array, ort: Runtime) {
  const session = await ort.InferenceSession.create(bytes, {
    logSeverityLevel: 3,
    intraOpNumThreads: 1,
  });
  const run = async (inputs: Arrays): Promise<Arrays> => {
    const feeds = Object.entries(inputs).map(
      ([name, { data, shape, dtype }]) => [name, new ort.Tensor(dtype, data as never, shape)] as const,
    );
    const made = await session.run(Object.fromEntries(feeds) as Record<string, Ort.Tensor>);
    const outputs = Object.entries(made).map(
      ([name, { data, dims, type }]) => [name, new NdArray(data as Data, dims, type as DType)] as const,
    );
    return Object.fromEntries(outputs);
  };
  return { run, session };
}

/** Real numbers, classes 1 and 2, or what is true of 0 and 1. */
function arrayFor(shape: Shape, dtype: DType): NdArray {
  if (dtype === "int32") return whole(shape, 1, 3);
  if (dtype === "bool") return new NdArray(Uint8Array.from(whole(shape, 0, 2).data), shape);
  return inputsAs([real(shape)], dtype)[0];
}

/** Arrays for inputs of these shapes, with the named axes of the given sizes. */
export function arraysFor(inputs: Shapes, sizes: Record<string, number>): Arrays {
  const made = Object.entries(inputs).map(([name, { shape, dtype = "float32" }]) => {
    const full = shape.map((d) => (typeof d === "string" ? sizes[d] : d));
    return [name, arrayFor(full, dtype)] as const;
  });
  return Object.fromEntries(made);
}

/** The first element in which the model is not its function, in words. */
export async function differs(
  fn: Model,
  run: (inputs: Arrays) => Promise<Arrays>,
  inputs: Arrays,
): Promise<string | undefined> {
  const got = await run(inputs);
  const { result } = trace(fn, [inputs]);
  expect(Object.keys(got).sort()).toEqual(Object.keys(result as object).sort());
  return disagreement(fn, [inputs], got);
}
