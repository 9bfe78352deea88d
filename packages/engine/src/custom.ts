// Operations and gradients of one's own.
import { EngineError } from "./errors.js";
import { showAval } from "./graph.js";
import { sameShape } from "./shape.js";
import { allStacked } from "./stacked.js";
import { apply, liftAll, type Op, type Operand, Tensor } from "./tensor.js";
import { vmap } from "./vmap.js";

/**
 * A function of tensors from the definition of an operation: its shape rule and, as far as it is to be used there, its
 * gradient and what each back end does, or an expansion into other operations.
 */
export const operation =
  <Attrs extends object>(op: Op<Attrs>): ((inputs: readonly Operand[], attrs: Attrs) => Tensor) =>
  (inputs, attrs) =>
    apply(op, liftAll(...inputs), attrs);

/**
 * The function with another gradient: `gradient` gives that of each argument, from the result's, the arguments and the
 * result; undefined where none flows. It is differentiated in its turn as it is written.
 *
 * ```ts
 * const clipped = customGradient((x) => x, (g) => [g.clip(-1, 1)]);
 * ```
 */
export function customGradient(
  fn: (...inputs: Tensor[]) => Tensor,
  gradient: (g: Tensor, inputs: readonly Tensor[], result: Tensor) => readonly (Tensor | undefined)[],
): (...inputs: Operand[]) => Tensor {
  const op: Op = {
    name: fn.name || "customGradient",
    infer: (inputs) => fn(...inputs),
    gradient: (g, node) => {
      const parts = gradient(g, node.inputs, node);
      for (const [i, part] of parts.entries()) refuseUnfit(part, node.inputs[i]);
      return parts;
    },
    expand: (inputs) => fn(...inputs),
    vmap: (_, operands, stack) =>
      customGradient(vmap(fn), perEntry(gradient))(...allStacked(operands, stack)),
    // Once gradients are taken, it is what it computes.
    simplify: ({ inputs }) => fn(...inputs),
  };
  return (...inputs) => apply(op, liftAll(...inputs), {});
}

/** A gradient rule for each entry of stacks. */
const perEntry =
  (rule: Parameters<typeof customGradient>[1]): Parameters<typeof customGradient>[1] =>
  (g, inputs, result) => {
    let flows: boolean[] = [];
    const parts = vmap((g: Tensor, result: Tensor, ...inputs: Tensor[]) => {
      const found = rule(g, inputs, result);
      flows = found.map((part) => part !== undefined);
      return found.filter((part) => part !== undefined);
    })(g, result, ...inputs);
    let next = 0;
    return flows.map((flow) => (flow ? parts[next++] : undefined));
  };

function refuseUnfit(part: Tensor | undefined, input: Tensor | undefined): void {
  if (part === undefined) return;
  if (part instanceof Tensor && input && sameShape(part.shape, input.shape) && part.dtype === input.dtype)
    return;
  const got = part instanceof Tensor ? showAval(part) : String(part);
  const wanted = input ? showAval(input) : "nothing: there is no such argument";
  throw new EngineError(`customGradient: the gradient of an argument has its form, ${wanted}; got ${got}.`);
}
