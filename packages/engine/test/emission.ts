// Counts the operators of the ONNX model that a function becomes.
import { full, type Tensor } from "@pliant/engine";
import { trace } from "../src/compile.js";
import { emit } from "../src/onnx/emission/emit.js";
import { OnnxGraph, port } from "../src/onnx/emission/graph.js";

type Layer = (x: Tensor, w: Tensor, b: Tensor) => unknown;

/** How many operators of a kind the model of a function has, in the layout with blocks of 8 channels where filters fill them. */
export function count(kind: string, fn: Layer, { filters = 8, channels = 8, size = 5 } = {}): number {
  const args = [
    full([2, channels, size, size], 1),
    full([filters, channels, 3, 3], 1),
    full([filters, 1, 1], 1),
  ];
  const { program } = trace(fn, args);
  const graph = new OnnxGraph();
  graph.block = 8;
  const inputs = program.inputs.map((node, i) => port(`i${i}`, node));
  const results = emit(
    program,
    graph,
    inputs.map(({ name }) => name),
  );
  const outputs = program.outputs.map((node, i) => ({ ...port(`o${i}`, node), from: results[i] }));
  // An operator's type is field 4 of its message: a tag, the length and the letters.
  const text = Buffer.from(graph.encode(inputs, outputs)).toString("latin1");
  return text.split(`"${String.fromCharCode(kind.length)}${kind}`).length - 1;
}
