// The onnx back end: a program becomes one ONNX model that ONNX Runtime runs, natively in Node or as WebAssembly in a
// page. Arrays are host memory; the runtime reads and writes them in place.
import type * as Ort from "onnxruntime-common";
import type { Backend, Executable } from "../../backend.js";
import { allocate, type Data } from "../../dtype.js";
import { EngineError } from "../../errors.js";
import { type Program, topological } from "../../graph.js";
import { NdArray } from "../../ndarray.js";
import { optimize } from "../../passes.js";
import type { Aval } from "../../tensor.js";
import { emit } from "../emission/emit.js";
import { OnnxGraph, port } from "../emission/graph.js";
import { toBlocked } from "../layout/operators.js";
import { type Runtime, Session } from "./session.js";
import { type Bound, modelsOf, stackOf } from "./stack.js";
import { keepQuiet } from "./telemetry.js";
import { isMostlyLarge, usualThreads } from "./threads.js";

/** Which ONNX Runtime, and how much of the processor it may use. */
export interface OnnxOptions {
  /** The runtime (default: onnxruntime-node); pass onnxruntime-web in a page. */
  runtime?: Runtime;
  /** Threads for large operations (default: OMP_NUM_THREADS, or one per processor that this process may use). */
  threads?: number;
  /** The runtime's execution providers; the first that supports an operator runs it. Default, and fallback: the CPU. */
  providers?: readonly string[];
}

/** The program as an ONNX model with inputs i0, i1, … and outputs o0, o1, …, and how many operators it has. */
function toOnnx(program: Program, block?: number): { model: Uint8Array; operators: number } {
  const graph = new OnnxGraph();
  graph.block = block;
  const inputs = program.inputs.map((node, i) => port(`i${i}`, node));
  const results = emit(
    program,
    graph,
    inputs.map(({ name }) => name),
  );
  const outputs = program.outputs.map((node, i) => ({ ...port(`o${i}`, node), from: results[i] }));
  return { model: graph.encode(inputs, outputs), operators: graph.nodes.length };
}

/** ONNX Runtime: native speed on a CPU, WebAssembly or WebGPU in a page. Products are float32. */
export async function onnx({
  runtime,
  threads = usualThreads(),
  providers,
}: OnnxOptions = {}): Promise<Backend> {
  await keepQuiet();
  const ort = runtime ?? (await loadRuntime());
  // The blocked layout is the CPU's.
  const block = providers ? undefined : await blockOf(ort);
  const live = new Set<Session>();
  let closed = false;
  const sessionOf = async (program: Program): Promise<Bound> => {
    const { model, operators } = toOnnx(program, block);
    const session = await Session.create(ort, model, {
      operators,
      threads: isMostlyLarge(program) ? threads : 1,
      providers,
    });
    live.add(session);
    const release = async (): Promise<void> => {
      live.delete(session);
      await session.release();
    };
    return { bind: bindTo(session, program, ort), release: () => void release() };
  };
  return {
    name: "onnx",
    put: (value) => value,
    stepsInCall: (step) => (isSmall(step) ? stepsOfSmall : 1),
    async compile(program) {
      if (closed) throw new EngineError("The onnx back end was closed; nothing can be compiled on it.");
      const stack = modelsOf(optimize(program));
      const bound = await (stack ? stackOf(stack, sessionOf) : sessionOf(program));
      return { ...bound, run: runOnce(bound, program) };
    },
    async close() {
      closed = true;
      await Promise.all([...live].map((session) => session.release()));
      live.clear();
    },
  };
}

/** Whether a program moves so few elements that a call from JavaScript, some 15 µs, is a good part of its time. */
export const isSmall = ({ outputs }: Program): boolean =>
  topological(outputs).reduce(
    (sum, { size, inputs }) => sum + size + inputs.reduce((n, x) => n + x.size, 0),
    0,
  ) < 300_000;
const stepsOfSmall = 8;

/** The package of this platform, which comes with the published engine, or onnxruntime-node, which has all of them. */
async function loadRuntime(): Promise<Runtime> {
  const names = [`@pliant/onnxruntime-${process.platform}-${process.arch}`, "onnxruntime-node"];
  let cause: unknown;
  for (const name of names) {
    try {
      const module = await import(/* @vite-ignore */ name);
      return (module.default ?? module) as Runtime;
    } catch (reason) {
      cause = reason;
    }
  }
  const { code, message } = cause as NodeJS.ErrnoException;
  const why =
    code === "ERR_MODULE_NOT_FOUND"
      ? "is not installed here; run npm install onnxruntime-node."
      : `does not load here: ${message.split("\n")[0].replace(/\.$/, "")}.`;
  throw new EngineError(`ONNX Runtime ${why}`, { cause });
}

/** How many channels the runtime's blocked layout puts together on this processor; undefined where it has none. */
async function blockOf(ort: Runtime): Promise<number | undefined> {
  const graph = new OnnxGraph();
  const ports = {
    x: { name: "x", dtype: "float32", shape: [1, 32, 1, 2] },
    y: { name: "y", dtype: "float32", shape: [1, 32, 1, 2] },
  } as const;
  const model = graph.encode([ports.x], [{ ...ports.y, from: toBlocked(graph, "x") }]);
  try {
    const session = await ort.InferenceSession.create(model, { logSeverityLevel: 4 });
    const { y } = await session.run({
      x: new ort.Tensor(
        "float32",
        Float32Array.from({ length: 64 }, (_, i) => i),
        [1, 32, 1, 2],
      ),
    });
    await session.release();
    // Element 1 is the second pixel of the first channel: it comes after one block of channels.
    const block = (y.data as Float32Array).indexOf(1);
    return block > 1 ? block : undefined;
  } catch {
    return undefined;
  }
}

function bindTo(session: Session, program: Program, ort: Runtime): Bound["bind"] {
  const tensor = (data: Data, { dtype, shape }: Aval): Ort.Tensor =>
    new ort.Tensor(dtype, data as never, shape as number[]) as Ort.Tensor;
  const named = (prefix: string, list: readonly Data[], avals: readonly Aval[]): Record<string, Ort.Tensor> =>
    Object.fromEntries(list.map((data, i) => [`${prefix}${i}`, tensor(data, avals[i])]));
  // The native runtime writes into the tensors it is given; the web runtime computes on a heap of its own and leaves
  // them as they were, so its results are copied.
  const writesInPlace = "node" in ort.env.versions;
  return (inputs, results) => {
    const feeds = named(
      "i",
      inputs.map(({ data }) => data),
      inputs,
    );
    const fetches = named("o", results, program.outputs);
    return async (): Promise<void> => {
      if (writesInPlace) await session.run(feeds, fetches);
      else {
        const made = await session.run(feeds);
        for (const [i, data] of results.entries()) data.set(made[`o${i}`].data as Data);
      }
    };
  };
}

/** A call on memory of its own. */
const runOnce =
  ({ bind }: Bound, { outputs }: Program): Executable["run"] =>
  async (inputs) => {
    const arrays = await Promise.all(inputs.map((value) => value.read()));
    const results = outputs.map(({ dtype, shape, size }) => new NdArray(allocate(dtype, size), shape, dtype));
    await bind(
      arrays,
      results.map(({ data }) => data),
    )();
    return results;
  };
