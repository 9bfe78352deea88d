// A loop without a known end on each back end: prepared kernels, ONNX's Loop, StableHLO's `while`.
import { allocate } from "../dtype.js";
import { emit } from "../onnx/emission/emit.js";
import { type OnnxGraph, port } from "../onnx/emission/graph.js";
import { prepare } from "../reference/index.js";
import { range } from "../shape.js";
import type { Kernel, Tensor } from "../tensor.js";
import { emitBody } from "../xla/emit.js";
import { type HloFunction, type HloValue, tensorType } from "../xla/hlo.js";
import { familyKernel } from "./family.js";
import type { WhileAttrs } from "./while.js";

type Node = Tensor<WhileAttrs>;

export const referenceWhile = (node: Node): Kernel =>
  familyKernel(node, (wanted) => {
    const { test, step, states } = node.attrs;
    const [holds, run] = [prepare(test), prepare(step)];
    const answer = [allocate("bool", 1)];
    const sets = [0, 1].map(() => step.outputs.map(({ dtype, size }) => allocate(dtype, size)));
    return (inputs) => {
      let state = inputs.slice(0, states);
      const closed = inputs.slice(states);
      for (let turn = 0; ; turn++) {
        holds([...state, ...closed], answer);
        if (!answer[0][0]) return wanted.map((r) => state[r].slice());
        const next = sets[turn % 2];
        run([...state, ...closed], next);
        state = next;
      }
    };
  });

export const onnxWhile = (graph: OnnxGraph, inputs: readonly string[], node: Node): string =>
  graph.families.of(node, (wanted) => {
    const { test, step, states } = node.attrs;
    const [start] = emit(test, graph, inputs);
    const inner = graph.inner();
    const counter = { name: inner.fresh(), shape: [], dtype: "int64" as const };
    const went = port(inner.fresh(), { shape: [], dtype: "bool" });
    const ports = range(states).map((i) => port(inner.fresh(), step.inputs[i]));
    const closed = inputs.slice(states);
    const next = emit(step, inner, [...ports.map(({ name }) => name), ...closed]);
    const [goesOn] = emit(test, inner, [...next, ...closed]);
    const outputs = [
      { ...port(inner.fresh(), { shape: [], dtype: "bool" }), from: goesOn },
      ...range(states).map((i) => ({ ...port(inner.fresh(), step.outputs[i]), from: next[i] })),
    ];
    const body = inner.finished([counter, went, ...ports], outputs);
    const last = graph.nest("Loop", ["", start, ...inputs.slice(0, states)], states, {}, { body });
    return wanted.map((r) => last[r]);
  });

export const xlaWhile = (hlo: HloFunction, inputs: readonly HloValue[], node: Node): HloValue =>
  hlo.families.of(node, (wanted) => {
    const { test, step, states } = node.attrs;
    const carried = inputs.slice(0, states);
    const closed = inputs.slice(states);
    const region = (made: (own: readonly HloValue[]) => readonly HloValue[]): string => {
      const own = carried.map((v) => ({ ...v, name: hlo.fresh() }));
      const { lines, result } = hlo.apart(() => made(own));
      const types = result.map(tensorType).join(", ");
      return [
        `^bb0(${own.map((v) => `${v.name}: ${tensorType(v)}`).join(", ")}):`,
        ...lines,
        `"stablehlo.return"(${result.map((v) => v.name).join(", ")}) : (${types}) -> ()`,
      ].join("\n");
    };
    const last = hlo.region("stablehlo.while", carried, {
      regions: [test, step].map((body) => region((own) => emitBody(body, hlo, [...own, ...closed]))),
      results: carried,
    });
    return wanted.map((r) => last[r]);
  });
