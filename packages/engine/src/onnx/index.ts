// The onnx back end: a program becomes one ONNX model that ONNX Runtime runs, natively in Node or as WebAssembly in a
// page. Arrays are host memory; the runtime reads and writes them in place.
import type * as Ort from "onnxruntime-common";
import type { Backend, Executable } from "../backend.js";
import { allocate, type Data, type DType } from "../dtype.js";
import { EngineError } from "../errors.js";
import type { Program } from "../graph.js";
import { NdArray, type Stored } from "../ndarray.js";
import { sizeOf } from "../shape.js";
import { emit } from "./emit.js";
import { OnnxGraph, port } from "./graph.js";

export { emit, OnnxGraph };

type Runtime = Pick<typeof Ort, "InferenceSession" | "Tensor">;

export interface OnnxOptions {
  /** The runtime: onnxruntime-node unless given; pass onnxruntime-web in a page. */
  runtime?: Runtime;
  /** Threads for large operations; as many as there are cores unless given. */
  threads?: number;
}

/** The program as an ONNX model with inputs i0, i1, … and outputs o0, o1, … */
export function toOnnx(program: Program): Uint8Array {
  const graph = new OnnxGraph();
  const inputs = program.inputs.map((node, i) => port(`i${i}`, node));
  const results = emit(
    program,
    graph,
    inputs.map(({ name }) => name),
  );
  const outputs = program.outputs.map((node, i) => ({ ...port(`o${i}`, node), from: results[i] }));
  return graph.encode(inputs, outputs);
}

export async function onnx({ runtime, threads }: OnnxOptions = {}): Promise<Backend> {
  const ort = runtime ?? (await loadRuntime());
  const live = new Set<Executable>();
  return {
    name: "onnx",
    put: (value) => value,
    async compile(program) {
      const executable = await createExecutable(program, ort, threads);
      live.add(executable);
      return executable;
    },
    async close() {
      for (const executable of live) executable.release();
      live.clear();
    },
  };
}

async function loadRuntime(): Promise<Runtime> {
  try {
    const module = await import("onnxruntime-node");
    return (module.default ?? module) as Runtime;
  } catch (cause) {
    throw new EngineError("ONNX Runtime is not installed here; run npm install onnxruntime-node.", { cause });
  }
}

async function createExecutable(program: Program, ort: Runtime, threads?: number): Promise<Executable> {
  const options: Ort.InferenceSession.SessionOptions = {
    graphOptimizationLevel: "all",
    executionMode: "sequential",
    ...(threads ? { intraOpNumThreads: threads } : {}),
    // Warnings only: about initialisers the optimiser drops.
    logSeverityLevel: 3,
  };
  let session: Ort.InferenceSession;
  try {
    session = await ort.InferenceSession.create(toOnnx(program), options);
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw new EngineError(`ONNX Runtime refused the program: ${messageOf(cause)}`, { cause });
  }

  const tensor = (data: Data, dtype: DType, shape: readonly number[]): Ort.Tensor =>
    new ort.Tensor(dtype, data as never, shape as number[]) as Ort.Tensor;
  // A tensor over host memory is made once for each array it wraps.
  const wrapped = new WeakMap<Data, Ort.Tensor>();
  const wrap = (data: Data, dtype: DType, shape: readonly number[]): Ort.Tensor => {
    const known = wrapped.get(data);
    if (known) return known;
    const made = tensor(data, dtype, shape);
    wrapped.set(data, made);
    return made;
  };

  return {
    async run(inputs: readonly Stored[], into: readonly (Data | undefined)[] = []) {
      const feeds: Record<string, Ort.Tensor> = {};
      for (const [i, value] of inputs.entries()) {
        const { data, dtype, shape } = value instanceof NdArray ? value : await value.read();
        feeds[`i${i}`] = wrap(data, dtype, shape);
      }
      const results = program.outputs.map(({ dtype, shape }, i) => {
        const data = into[i] ?? allocate(dtype, sizeOf(shape));
        return new NdArray(data, shape, dtype);
      });
      const fetches: Record<string, Ort.Tensor> = {};
      for (const [i, { data, dtype, shape }] of results.entries())
        fetches[`o${i}`] = wrap(data, dtype, shape);
      try {
        await session.run(feeds, fetches);
      } catch (cause) {
        throw new EngineError(`ONNX Runtime failed: ${messageOf(cause)}`, { cause });
      }
      return results;
    },
    release() {
      void session.release();
    },
  };
}

const messageOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split("\n")[0];
