// Writes a function of tensors as a standalone ONNX model with named inputs and outputs, which ONNX Runtime runs in
// Node, in a page and elsewhere. An axis given by name instead of a number is dynamic: it may have another size at
// every call.
import type { DType } from "../../dtype.js";
import { EngineError, ShapeError } from "../../errors.js";
import { type Program, topological } from "../../graph.js";
import { array, NdArray } from "../../ndarray.js";
import { optimize } from "../../passes.js";
import { input, Tensor } from "../../tensor.js";
import { leaves, mapTree, type Replace } from "../../tree.js";
import { emit } from "../emission/emit.js";
import { OnnxGraph, type Port } from "../emission/graph.js";
import { elementTypes } from "../emission/proto.js";
import { Merger, TracedGraph } from "./merge.js";
import { refuseMixedRows, rowsAxis } from "./rows.js";
import { type DynamicAxis, Sizes, showSize } from "./sizes.js";

/** An input of an exported model. */
export interface ExportInput {
  /** Sizes; a name stands for one that is known when the model runs, and is the same size wherever it is used. */
  readonly shape: readonly (number | string)[];
  /** Default: float32. */
  readonly dtype?: DType;
  /** The model takes texts; the function gets the place of each among these as int32, −1 of one that is none of them. */
  readonly texts?: readonly string[];
}

/** The inputs of an exported model, and its description. */
export interface ExportOptions<I, P> {
  readonly inputs: I;
  /** A tree of arrays the function takes as its second argument; in the model they go by their paths (`conv.weight`). */
  readonly parameters?: P;
  /** Outputs that are texts: the one at the place that another output, of integers, says. */
  readonly texts?: Readonly<Record<string, { readonly of: string; readonly texts: readonly string[] }>>;
  readonly name?: string;
  readonly description?: string;
}

/**
 * The function as an ONNX model.
 *
 * ```ts
 * const bytes = exportOnnx(({ image }, params) => ({ logits: model(params, image) }), {
 *   inputs: { image: { shape: ["batch", 1, 28, 28] } },
 *   parameters: params,
 * });
 * ```
 *
 * Arrays the function closes over are part of the model too, without a name. An axis called "batch" holds independent
 * rows: a function whose answer for one row depends on the others is refused. Axes of other names may be summed over.
 */
export function exportOnnx<const I extends Readonly<Record<string, ExportInput>>, P = undefined>(
  fn: (
    inputs: { [K in keyof I]: Tensor },
    parameters: Replace<P, Tensor>,
  ) => Readonly<Record<string, Tensor>>,
  { inputs, parameters, texts = {}, name, description }: ExportOptions<I, P>,
): Uint8Array {
  if (name === "") throw new EngineError("exportOnnx: the model's name is empty.");
  const sizes = new Sizes(dynamicAxes(inputs));
  const arrays = parameterArrays(parameters);
  const runs = sizes.runs.map((_, k) => traceRun(fn as AnyFunction, inputs, parameters, arrays, sizes, k));
  const outputs = outputPorts(runs, sizes);

  const ports = Object.entries(inputs).map(
    ([port, given]): Port => ({
      name: port,
      shape: given.shape,
      dtype: given.texts ? "string" : dtypeOf(given),
    }),
  );
  const taken = new Set([
    ...ports.map((port) => port.name),
    ...outputs.map((port) => port.name),
    ...Object.keys(texts),
  ]);
  const target = new OnnxGraph(taken);
  const merger = new Merger(
    runs.map(({ graph }) => graph),
    sizes,
    target,
  );
  for (const [i, [port, given]] of Object.entries<ExportInput>(inputs).entries())
    merger.bind(`i${i}`, given.texts ? placeOf(target, port, given.texts) : port);
  for (const [i, { path, value }] of arrays.entries()) {
    const own = unused(path, taken);
    target.parameter(own, value);
    merger.bind(`p${i}`, own);
  }
  const results = outputs.map((port, i) => ({
    ...port,
    from: merger.value(runs.map((run) => run.values[i])),
  }));
  const said = Object.entries(texts).map(([port, { of, texts: names }]) => {
    const places = results.find((result) => result.name === of);
    if (!places) throw new EngineError(`exportOnnx: ${port} is of the output ${of}, which there is none of.`);
    return { ...places, name: port, dtype: "string" as const, from: textAt(target, places.from, names) };
  });
  return target.encode(ports, [...results, ...said], { name, description });
}

const dtypeOf = ({ texts, dtype = "float32" }: ExportInput): DType => (texts ? "int32" : dtype);

const encoder = "ai.onnx.ml.LabelEncoder";

/** The place of each text in a list, −1 of one that is not there. */
const placeOf = (graph: OnnxGraph, from: string, texts: readonly string[]): string =>
  graph.cast(
    graph.op(encoder, [from], {
      keys_strings: { texts },
      values_int64s: texts.map((_, i) => i),
      default_int64: -1,
    }),
    "int32",
  );

/** The text of each index of a list. */
const textAt = (graph: OnnxGraph, from: string, texts: readonly string[]): string =>
  graph.op(encoder, [graph.op("Cast", [from], { to: elementTypes.int64 })], {
    keys_int64s: texts.map((_, i) => i),
    values_strings: { texts },
    default_string: "",
  });

type AnyFunction = (inputs: Record<string, Tensor>, parameters: unknown) => unknown;

/** Each named axis once, where it first occurs. */
function dynamicAxes(inputs: Readonly<Record<string, ExportInput>>): DynamicAxis[] {
  const axes = new Map<string, DynamicAxis>();
  if (Object.keys(inputs).length === 0)
    throw new EngineError("exportOnnx: a model needs at least one input.");
  for (const [name, { shape }] of Object.entries(inputs)) {
    if (name === "") throw new EngineError("exportOnnx: an input's name is empty.");
    for (const [position, size] of shape.entries()) {
      if (size === "" || (typeof size === "number" && !(Number.isInteger(size) && size > 0))) {
        throw new EngineError(
          `exportOnnx: axis ${position} of input ${name} is ${JSON.stringify(size)}; give a whole number of at least 1, or a name for a size that varies.`,
        );
      }
      if (typeof size === "string" && !axes.has(size)) axes.set(size, { name: size, input: name, position });
    }
  }
  return [...axes.values()];
}

interface Parameter {
  readonly path: string;
  readonly value: NdArray;
}

/** The parameters with their paths as other tools write them: `layers.0.weight`. */
function parameterArrays(parameters: unknown): Parameter[] {
  if (parameters === undefined) return [];
  return leaves(parameters).map(({ leaf, path }) => {
    const dotted = path.replace(/\[(\d+)\]/g, ".$1").replace(/^\./, "") || "parameters";
    if (leaf instanceof NdArray) return { path: dotted, value: leaf };
    if (typeof leaf === "number" || typeof leaf === "boolean") return { path: dotted, value: array(leaf) };
    throw new EngineError(
      `exportOnnx: parameter ${dotted} is not an array on the host; read the parameters first, with readAll.`,
    );
  });
}

function unused(name: string, taken: Set<string>): string {
  let free = name;
  for (let i = 1; taken.has(free); i++) free = `${name}_${i}`;
  taken.add(free);
  return free;
}

interface Run {
  readonly graph: TracedGraph;
  readonly names: readonly string[];
  readonly outputs: readonly Tensor[];
  /** The names of the outputs in the graph. */
  readonly values: readonly string[];
}

/** The function traced and emitted with the sizes of one run. */
function traceRun(
  fn: AnyFunction,
  inputs: Readonly<Record<string, ExportInput>>,
  parameters: unknown,
  arrays: readonly Parameter[],
  sizes: Sizes,
  run: number,
): Run {
  const args = Object.entries(inputs).map(([name, given]) => {
    const full = given.shape.map((d) => (typeof d === "number" ? d : sizes.sizeIn(run, d)));
    return [name, input(name, { shape: full, dtype: dtypeOf(given) })] as const;
  });
  const symbols = arrays.map(({ path, value }) => input(path, value));
  let next = 0;
  const tree = parameters === undefined ? undefined : mapTree(parameters, () => symbols[next++]);
  try {
    const result = namedOutputs(fn(Object.fromEntries(args), tree), Object.keys(inputs));
    const outputs = result.map(([, tensor]) => tensor);
    const program: Program = { inputs: [...args.map(([, tensor]) => tensor), ...symbols], outputs };
    refuseFloat64(program);
    const isLargest = run === sizes.runs.length - 1;
    // With many rows no other size can be taken for their number.
    if (isLargest && sizes.axes.some(({ name }) => name === rowsAxis)) {
      const axes = Object.values(inputs).map(({ shape }) => shape);
      refuseMixedRows(optimize(program), axes, sizes.sizeIn(run, rowsAxis));
    }
    const graph = new TracedGraph();
    const values = emit(program, graph, [...args.map((_, i) => `i${i}`), ...symbols.map((_, i) => `p${i}`)]);
    return { graph, values, outputs, names: result.map(([name]) => name) };
  } catch (cause) {
    // The message names sizes, and to a user who gave a name they mean nothing.
    if (!(cause instanceof ShapeError) || sizes.axes.length === 0) throw cause;
    throw new EngineError(`exportOnnx, tracing with ${sizes.describe(run)}: ${cause.message}`, { cause });
  }
}

function namedOutputs(result: unknown, inputNames: readonly string[]): [string, Tensor][] {
  if (result instanceof Promise) throw new EngineError("exportOnnx: the function must not be async.");
  if (typeof result !== "object" || result === null || result instanceof Tensor || Array.isArray(result)) {
    throw new EngineError("exportOnnx: the function must return its outputs by name, as in { logits }.");
  }
  const outputs = Object.entries(result);
  if (outputs.length === 0) throw new EngineError("exportOnnx: the function returns no outputs.");
  for (const [name, tensor] of outputs) {
    if (name === "") throw new EngineError("exportOnnx: an output's name is empty.");
    if (inputNames.includes(name)) {
      throw new EngineError(`exportOnnx: ${name} is the name of an input and of an output; rename one.`);
    }
    if (!(tensor instanceof Tensor)) {
      const kind =
        tensor instanceof NdArray ? "an array" : tensor === null ? "null" : `of type ${typeof tensor}`;
      throw new EngineError(`exportOnnx: output ${name} is ${kind}, not a tensor the function computed.`);
    }
  }
  return outputs;
}

function refuseFloat64({ outputs }: Program): void {
  const missing = topological(outputs).find(
    ({ op, dtype }) => op.onnxFloat32Only && dtype === "float64" && !op.expand,
  );
  if (missing) {
    throw new EngineError(
      `exportOnnx: ONNX Runtime has no ${missing.op.name} of float64; give the model float32 inputs and parameters.`,
    );
  }
}

/** The outputs' names, dtypes and shapes, whose varying sizes become names again. */
function outputPorts(runs: readonly Run[], sizes: Sizes): Port[] {
  const [first] = runs;
  for (const [k, run] of runs.entries()) {
    const alike =
      run.names.join() === first.names.join() &&
      run.outputs.every(
        ({ rank, dtype }, i) => rank === first.outputs[i].rank && dtype === first.outputs[i].dtype,
      );
    if (!alike) {
      throw new EngineError(
        `exportOnnx: with ${sizes.describe(k)} the function returns other outputs than with ${sizes.describe(0)}.`,
      );
    }
  }
  return first.outputs.map(({ shape, dtype }, i) => ({
    name: first.names[i],
    dtype,
    shape: shape.map((d, axis) => {
      const size = sizes.read(runs.map((run) => run.outputs[i].shape[axis]));
      if (!size) return `${first.names[i]}_${axis}`;
      return size.factors.length === 0 ? d : showSize(size);
    }),
  }));
}
