// A function of tensors as part of a larger one: a step that is repeated, a branch that may be taken, a part that is computed
// again. Values that it closes over become operands, so that gradients flow into them.
import { EngineError } from "../errors.js";
import { type Program, programKey, topological } from "../graph.js";
import { optimize, rebuild } from "../passes.js";
import { type Aval, input, isConstant, lift, type Operand, type Tensor } from "../tensor.js";
import { mapTree } from "../tree.js";

/** A traced function. Two of the same text compute the same. */
export class Body implements Program {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  private text?: string;

  constructor(program: Program) {
    const { inputs, outputs } = optimize(program);
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /** What stands for it among the attributes of a node. */
  toJSON(): string {
    this.text ??= programKey(this);
    return this.text;
  }
}

/** Fresh inputs for a tree of tensors, in its form. */
export const symbolsFor = <T>(name: string, tree: T, aval: (leaf: Tensor) => Aval = (x) => x) =>
  mapTree(tree, (leaf: Operand, path) => input(`${name}${path}`, aval(lift(leaf))));

export interface Closed {
  readonly outputs: readonly Tensor[];
  /** What they read of the world outside, and the inputs that stand for it. */
  readonly outside: readonly Tensor[];
  readonly standIns: readonly Tensor[];
}

/**
 * The outputs made to depend on the given inputs and on stand-ins alone. Nodes that depend on the inputs stay, and so do constants and
 * nodes for which `isOwn` holds; all others become inputs.
 */
export function closedOver(
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
  isOwn: (node: Tensor) => boolean = () => false,
): Closed {
  const own = new Set(inputs);
  const order = topological(outputs);
  for (const node of order) if (isOwn(node) || node.inputs.some((x) => own.has(x))) own.add(node);
  const read = new Set(
    [...order.filter((node) => own.has(node)).flatMap((node) => node.inputs), ...outputs].filter(
      (x) => !own.has(x) && !isConstant(x),
    ),
  );
  const outside = [...read];
  const standIns = outside.map((x, i) => input(`outside${i}`, x));
  const places = new Map(outside.map((x, i) => [x, standIns[i]]));
  return { outputs: rebuild({ inputs, outputs }, (node) => node, places).outputs, outside, standIns };
}

/** The outputs of a body for these operands, in the operands' graph. */
export function inlined({ inputs, outputs }: Program, operands: readonly Tensor[]): readonly Tensor[] {
  const places = new Map(inputs.map((x, i) => [x, operands[i]]));
  return rebuild({ inputs: [], outputs }, (node) => node, places).outputs;
}

/** The leaves of what a function returned, which must be tensors. */
export function tensorsOf(name: string, result: unknown): { tree: unknown; outputs: Tensor[] } {
  const outputs: Tensor[] = [];
  const tree = mapTree(result, (leaf: Operand, path) => {
    try {
      outputs.push(lift(leaf));
    } catch {
      throw new EngineError(
        `${name}: the function returns tensors, or objects and lists of them; result${path} is none.`,
      );
    }
    return outputs.length - 1;
  });
  return { tree, outputs };
}
