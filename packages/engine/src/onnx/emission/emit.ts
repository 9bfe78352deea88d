// Emits a program as ONNX.

import { EngineError } from "../../errors.js";
import type { Program } from "../../graph.js";
import { topological } from "../../graph.js";
import { lower } from "../../passes.js";
import { inputOp, type Op, type Tensor } from "../../tensor.js";
import { emitBlocked } from "../layout/blocked.js";
import type { OnnxGraph } from "./graph.js";

const hasEmission = ({ op, dtype }: Tensor): boolean =>
  op.onnx !== undefined && !(op.onnxFloat32Only && dtype === "float64");

/** Adds a program's operations to a graph whose inputs carry the given names; answers with its outputs' names. */
export function emit(program: Program, graph: OnnxGraph, inputNames: readonly string[]): string[] {
  const { inputs, outputs } = lower(program, (node) => hasEmission(node) && (graph.nests || !node.op.nests));
  for (const [i, node] of inputs.entries()) graph.bind(node, inputNames[i]);
  const given = new Set(inputs);
  const order = topological(outputs);
  graph.rememberReaders(order, outputs);
  for (const node of order) {
    if (given.has(node)) continue;
    if ((node.op as Op) === (inputOp as Op)) {
      throw new EngineError("A tensor of another traced function was used; pass it as an argument.");
    }
    if (!hasEmission(node)) {
      throw new EngineError(
        `${node.op.name} on ${node.dtype} is not available on the onnx back end; use float32, or the reference or xla back end.`,
      );
    }
    const placed = emitBlocked(graph, node);
    if (placed?.blocked) graph.bindBlocked(node, placed.blocked);
    const names = node.inputs.map((i) => graph.nameOf(i));
    graph.bind(node, placed?.plain ?? node.op.onnx!(graph, names, node));
  }
  return outputs.map((o) => graph.nameOf(o));
}
