// A scan on each back end: a loop over prepared kernels, ONNX's Scan, a `while` of StableHLO.
import { allocate, type Data } from "../dtype.js";
import { NdArray } from "../ndarray.js";
import { emit } from "../onnx/emission/emit.js";
import { type OnnxGraph, port } from "../onnx/emission/graph.js";
import { prepare } from "../reference/index.js";
import { range } from "../shape.js";
import type { Kernel, Tensor } from "../tensor.js";
import { emitBody, sliceAt, whileLoop } from "../xla/emit.js";
import type { HloFunction, HloValue } from "../xla/hlo.js";
import { familyKernel } from "./family.js";
import { resultOf, type ScanAttrs, type ScanResult } from "./scan.js";

type Node = Tensor<ScanAttrs>;

/** Elements i·size … (i+1)·size of an array's memory. */
const row = (data: Data, size: number, i: number): Data => data.subarray(i * size, (i + 1) * size);

export function referenceScan(node: Node): Kernel {
  const { body, states, sliced, length, reverse } = node.attrs;
  return familyKernel(node, (wanted) => {
    const run = prepare(body);
    const results = wanted.map((r) => resultOf(node.attrs, r));
    const memory = ({ dtype, size }: Tensor): Data => allocate(dtype, size);
    const sets = [0, 1].map(() => body.outputs.map(memory));
    const all = results.map(({ kind, i }): Data => {
      if (kind === "last") return memory(body.outputs[i]);
      const { dtype, size } = kind === "record" ? body.outputs[states + i] : body.inputs[i];
      return allocate(dtype, length * size);
    });
    return (inputs) => {
      let state = inputs.slice(0, states);
      const closed = inputs.slice(states + sliced);
      for (const step of range(length)) {
        const t = reverse ? length - 1 - step : step;
        const slices = range(sliced).map((k) => row(inputs[states + k], body.inputs[states + k].size, t));
        const outputs = sets[step % 2];
        run([...state, ...slices, ...closed], outputs);
        for (const [k, { kind, i }] of results.entries()) {
          if (kind === "record") row(all[k], body.outputs[states + i].size, t).set(outputs[states + i]);
          if (kind === "before") row(all[k], body.inputs[i].size, t).set(state[i]);
        }
        state = outputs.slice(0, states);
      }
      for (const [k, { kind, i }] of results.entries()) if (kind === "last") all[k].set(state[i]);
      return all;
    };
  });
}

export function onnxScan(graph: OnnxGraph, inputs: readonly string[], node: Node): string {
  const { body, states, sliced, length, reverse } = node.attrs;
  return graph.families.of(node, (wanted) => {
    const results = wanted.map((r) => resultOf(node.attrs, r));
    const recorded = results.filter(({ kind }) => kind !== "last");
    const inner = graph.inner();
    const ports = body.inputs.slice(0, states + sliced).map((x) => port(inner.fresh(), x));
    // The runtime wants something to slice.
    const counted = sliced > 0 ? [] : [port(inner.fresh(), { shape: [], dtype: "int32" })];
    const places = graph.constant(new NdArray(new Int32Array(length), [length]));
    const names = ports.map(({ name }) => name);
    const made = emit(body, inner, [...names, ...inputs.slice(states + sliced)]);
    const outputs = [
      ...range(states).map((i) => ({ ...port(inner.fresh(), body.outputs[i]), from: made[i] })),
      ...recorded.map(({ kind, i }) =>
        kind === "record"
          ? { ...port(inner.fresh(), body.outputs[states + i]), from: made[states + i] }
          : { ...port(inner.fresh(), body.inputs[i]), from: names[i] },
      ),
    ];
    const slices = [...inputs.slice(states, states + sliced), ...counted.map(() => places)];
    const direction = Number(reverse);
    const all = graph.nest(
      "Scan",
      [...inputs.slice(0, states), ...slices],
      outputs.length,
      {
        num_scan_inputs: slices.length,
        scan_input_directions: slices.map(() => direction),
        scan_output_directions: recorded.map(() => direction),
      },
      { body: inner.finished([...ports, ...counted], outputs) },
    );
    return results.map((r: ScanResult) => (r.kind === "last" ? all[r.i] : all[states + recorded.indexOf(r)]));
  });
}

export function xlaScan(hlo: HloFunction, inputs: readonly HloValue[], node: Node): HloValue {
  const { body, states, sliced, length, reverse } = node.attrs;
  return hlo.families.of(node, (wanted) => {
    const results = wanted.map((r) => resultOf(node.attrs, r));
    const recorded = results.filter(({ kind }) => kind !== "last");
    const stacked = recorded.map(({ kind, i }) => {
      const { shape, dtype } = kind === "record" ? body.outputs[states + i] : body.inputs[i];
      return { shape: [length, ...shape], dtype };
    });
    const all = whileLoop(hlo, length, inputs.slice(0, states), stacked, (counter, state) => {
      const last = hlo.scalar(length - 1, "i32");
      const t = reverse ? hlo.emit("stablehlo.subtract", [last, counter], []) : counter;
      const slices = inputs.slice(states, states + sliced).map((x) => sliceAt(hlo, x, t));
      const made = emitBody(body, hlo, [...state, ...slices, ...inputs.slice(states + sliced)]);
      const records = recorded.map(({ kind, i }) => (kind === "record" ? made[states + i] : state[i]));
      return { state: made.slice(0, states), records, at: t };
    });
    return results.map((r) => (r.kind === "last" ? all[r.i] : all[states + recorded.indexOf(r)]));
  });
}
