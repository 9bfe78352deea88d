// A choice on each back end: prepared kernels of both branches, ONNX's If, StableHLO's `if`.
import { allocate } from "../dtype.js";
import { emit } from "../onnx/emission/emit.js";
import { type OnnxGraph, port } from "../onnx/emission/graph.js";
import { prepare } from "../reference/index.js";
import type { Kernel, Tensor } from "../tensor.js";
import { emitBody } from "../xla/emit.js";
import { type HloFunction, type HloValue, hloTypes, tensorType } from "../xla/hlo.js";
import type { Body } from "./body.js";
import type { CondAttrs } from "./cond.js";
import { familyKernel } from "./family.js";

type Node = Tensor<CondAttrs>;

/** The outputs of a branch that are used. */
const part = ({ inputs, outputs }: Body, wanted: readonly number[]) => ({
  inputs,
  outputs: wanted.map((r) => outputs[r]),
});

export const referenceCond = (node: Node): Kernel =>
  familyKernel(node, (wanted) => {
    const { yes, no } = node.attrs;
    const [held, failed] = [yes, no].map((branch) => prepare(part(branch, wanted)));
    const all = wanted.map((r) => allocate(yes.outputs[r].dtype, yes.outputs[r].size));
    return ([which, ...operands]) => {
      (which[0] ? held : failed)(operands, all);
      return all;
    };
  });

export const onnxCond = (graph: OnnxGraph, [which, ...operands]: readonly string[], node: Node): string =>
  graph.families.of(node, (wanted) => {
    const branch = (of: Body) => {
      const program = part(of, wanted);
      const inner = graph.inner();
      const made = emit(program, inner, operands);
      const outputs = program.outputs.map((x, i) => ({ ...port(inner.fresh(), x), from: made[i] }));
      return inner.finished([], outputs);
    };
    const { yes, no } = node.attrs;
    return graph.nest(
      "If",
      [which],
      wanted.length,
      {},
      {
        then_branch: branch(yes),
        else_branch: branch(no),
      },
    );
  });

export const xlaCond = (hlo: HloFunction, [which, ...operands]: readonly HloValue[], node: Node): HloValue =>
  hlo.families.of(node, (wanted) => {
    const branch = (of: Body): string => {
      const { lines, result } = hlo.apart(() => emitBody(part(of, wanted), hlo, operands));
      const types = result.map(tensorType).join(", ");
      return [
        ...lines,
        `"stablehlo.return"(${result.map((v) => v.name).join(", ")}) : (${types}) -> ()`,
      ].join("\n");
    };
    const { yes, no } = node.attrs;
    return hlo.region("stablehlo.if", [which], {
      regions: [branch(yes), branch(no)],
      results: wanted.map((r) => ({ shape: yes.outputs[r].shape, type: hloTypes[yes.outputs[r].dtype] })),
    });
  });
