// Products round their operands to bfloat16, so that what they read may lie in memory as bfloat16 without a digit changing: kept
// values of a loop that only products read, past operations that merely move elements, and copies of states that products read.
import type { StepProgram } from "../backend.js";
import { topological } from "../graph.js";
import { range } from "../shape.js";
import type { Tensor } from "../tensor.js";

export const moves = ({ op }: Tensor): boolean => op.bf16 === "follow" && !op.elementwise;

/** The numbers, among the step's constants, of those from `first` on that only products read. */
export function onlyInProducts(
  { inputs, outputs, states, constants }: StepProgram,
  first: number,
): Set<number> {
  const narrow = new Set<Tensor>();
  const wide = new Set<Tensor>(outputs);
  for (const node of topological(outputs).reverse()) {
    if (!wide.has(node)) narrow.add(node);
    if (node.op.bf16 === "compute" || (moves(node) && narrow.has(node))) continue;
    for (const x of node.inputs) wide.add(x);
  }
  const kept = inputs.slice(states + first, states + constants);
  return new Set(
    kept.flatMap((node, i) => (node.dtype === "float32" && narrow.has(node) ? [first + i] : [])),
  );
}

/** The numbers of the states that products read, past operations that merely move elements. */
export function statesInProducts({ inputs, outputs, states }: StepProgram): number[] {
  const read = new Set<Tensor>();
  for (const node of topological(outputs).reverse())
    if (node.op.bf16 === "compute" || (moves(node) && read.has(node)))
      for (const x of node.inputs) read.add(x);
  return range(states).filter((i) => inputs[i].dtype === "float32" && read.has(inputs[i]));
}
