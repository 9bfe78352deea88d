// One of two programs, chosen where the function runs: `if` on XLA, If on ONNX Runtime. The gradient chooses likewise, and its
// branch computes again what it needs of the one that was taken.
import { isFloat } from "../dtype.js";
import { pullback, zerosLike } from "../grad.js";
import { topological } from "../graph.js";
import { where } from "../ops/binary.js";
import { reshape } from "../ops/movement.js";
import { range } from "../shape.js";
import { apply, input, type Op, type Tensor } from "../tensor.js";
import { stackedBody } from "../vmap.js";
import { Body, inlined } from "./body.js";
import { onnxCond, referenceCond, xlaCond } from "./cond-emission.js";
import type { Narrowed, OfFamily } from "./family.js";

/** Operands: the condition, then those of both branches. */
export interface CondAttrs extends OfFamily {
  readonly yes: Body;
  readonly no: Body;
}

function narrow({ inputs, attrs }: Tensor<CondAttrs>, results: readonly number[]): Narrowed<CondAttrs> {
  const wanted = [...results].sort((a, b) => a - b);
  const branches = [attrs.yes, attrs.no];
  const places = branches.map((b) => new Set(topological(wanted.map((r) => b.outputs[r]))));
  const read = range(inputs.length - 1).filter((i) => branches.some((b, k) => places[k].has(b.inputs[i])));
  const part = (b: Body): Body =>
    read.length === b.inputs.length && wanted.length === b.outputs.length
      ? b
      : new Body({ inputs: read.map((i) => b.inputs[i]), outputs: wanted.map((r) => b.outputs[r]) });
  return {
    operands: [0, ...read.map((i) => i + 1)],
    attrs: { ...attrs, yes: part(attrs.yes), no: part(attrs.no) },
    renumber: (result) => wanted.indexOf(result),
  };
}

function gradientOfAll(
  gradients: ReadonlyMap<number, Tensor>,
  { inputs, attrs }: Tensor<CondAttrs>,
): (Tensor | undefined)[] {
  const given = [...gradients.keys()];
  const [which, ...operands] = inputs;
  const real = range(operands.length).filter((i) => isFloat(operands[i].dtype));
  const back = ({ inputs: own, outputs }: Body): Body => {
    const cotangents = given.map((r) => input(`g${r}`, outputs[r]));
    const wrt = real.map((i) => own[i]);
    const found = pullback(
      given.map((r) => outputs[r]),
      cotangents,
      wrt,
    );
    return new Body({
      inputs: [...own, ...cotangents],
      outputs: found.map((g, i) => g ?? zerosLike(wrt[i])),
    });
  };
  const [yes, no] = [back(attrs.yes), back(attrs.no)];
  const all = [which, ...operands, ...given.map((r) => gradients.get(r)!)];
  const parts = new Array<Tensor | undefined>(inputs.length).fill(undefined);
  for (const [result, i] of real.entries()) parts[i + 1] = apply(condOp, all, { yes, no, result });
  return parts;
}

export const condOp: Op<CondAttrs> = {
  name: "cond",
  // Where each entry chooses for itself, both branches are computed.
  vmap: ({ rank, attrs: { yes, no, result } }, [which, ...operands], { n, has }) => {
    const [a, b] = [yes, no].map((branch) => stackedBody(branch, { n, has: has.slice(1) }));
    if (!has[0]) return apply(condOp, [which, ...operands], { yes: a, no: b, result });
    const each = reshape(which, [n, ...range(rank).map(() => 1)]);
    return where(each, inlined(a, operands)[result], inlined(b, operands)[result]);
  },
  nests: true,
  infer: (_, { yes, result }) => yes.outputs[result],
  gradientOfAll,
  narrow,
  expand: ([which, ...operands], { yes, no, result }) =>
    where(which, inlined(yes, operands)[result], inlined(no, operands)[result]),
  reference: referenceCond,
  onnx: onnxCond,
  xla: xlaCond,
};
