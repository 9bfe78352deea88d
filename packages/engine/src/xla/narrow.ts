// Which of a loop's kept values can lie in memory as bfloat16 without a digit changing: those that only products read, past
// operations that merely move elements, since products round their operands to bfloat16 anyway.
import type { StepProgram } from "../backend.js";
import { topological } from "../graph.js";
import type { Tensor } from "../tensor.js";

const moves = ({ op }: Tensor): boolean => op.bf16 === "follow" && !op.elementwise;

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
