// What happens to a graph between tracing and a back end. One walk, inputs first, rewrites every node: algebraic
// simplification, folding of constants and common subexpressions. Dead code is what the walk never reaches.
import { withFamilies } from "./control/family.js";
import { allocate } from "./dtype.js";
import { attrsKey, opNumber, type Program, showNumbers, topological } from "./graph.js";
import { NdArray } from "./ndarray.js";
import { simplify } from "./simplify.js";
import { constant, inputOp, isConstant, type Op, Tensor } from "./tensor.js";

/** Constants up to this size are folded; larger ones would only fatten the compiled program. */
const foldLimit = 1 << 16;

/**
 * Rebuilds a program node by node. `rewrite` sees each node with its new inputs and may answer with another tensor; those
 * that `given` has an answer for already are not walked.
 */
export function rebuild(
  { inputs, outputs }: Program,
  rewrite: (node: Tensor, was: Tensor) => Tensor,
  given?: ReadonlyMap<Tensor, Tensor>,
): Program {
  const renewed = new Map<Tensor, Tensor>([...inputs.map((i) => [i, i] as const), ...(given ?? [])]);
  for (const node of topological(outputs)) {
    if (renewed.has(node)) continue;
    const args = node.inputs.map((i) => renewed.get(i)!);
    const same = args.every((a, i) => a === node.inputs[i]);
    renewed.set(node, rewrite(same ? node : new Tensor(node.op, args, node.attrs, node), node));
  }
  return { inputs, outputs: outputs.map((o) => renewed.get(o)!) };
}

/** Evaluates an operation on constants. */
function fold(node: Tensor): Tensor {
  // A broadcast stays one: its reader takes the small constant.
  const foldable = node.op.reference && !node.op.repeats && node.size <= foldLimit;
  if (!foldable || node.inputs.length === 0 || !node.inputs.every(isConstant)) return node;
  const out = allocate(node.dtype, node.size);
  const args = node.inputs.map((i) => (i as unknown as Tensor<{ value: NdArray }>).attrs.value.data);
  node.op.reference!(node)(out, ...args);
  return constant(new NdArray(out, node.shape, node.dtype));
}

function keyOf(node: Tensor): string {
  if (!isConstant(node))
    return `${opNumber(node.op)}(${node.inputs.map((i) => i.id)})${attrsKey(node.attrs)}`;
  const { data, shape, dtype } = node.attrs.value;
  return data.length <= 64 ? `${dtype}[${shape}] ${showNumbers(data)}` : `#${node.id}`;
}

/** Programs nothing can be simplified in any more. */
const settled = new WeakSet<Program>();

/**
 * The same program, smaller. Inputs come first, so a node that is simplified sees settled operands, and one walk does; nodes
 * that a simplification makes are settled on the spot.
 */
export function optimize(program: Program): Program {
  if (settled.has(program)) return program;
  const known = new Map<string, Tensor>();
  const done = new Set<Tensor>(program.inputs);
  const settle = (node: Tensor): Tensor => {
    if (done.has(node)) return node;
    const args = node.inputs.map(settle);
    const own = args.every((a, i) => a === node.inputs[i])
      ? node
      : new Tensor(node.op, args, node.attrs, node);
    if (done.has(own) || (own.op as Op) === (inputOp as Op)) return own;
    const simpler = simplify(fold(own));
    if (simpler !== own) return settle(simpler);
    const key = keyOf(own);
    const twin = known.get(key) ?? own;
    known.set(key, twin);
    done.add(twin);
    return twin;
  };
  const optimized = rebuild(program, settle);
  settled.add(optimized);
  return optimized;
}

/** Replaces each operation a back end cannot emit by its expansion, and what that is made of, until all can be. */
export function lower(program: Program, emits: (node: Tensor) => boolean): Program {
  const expandable = (node: Tensor): boolean =>
    (node.op as Op) !== (inputOp as Op) && node.op.expand !== undefined && !emits(node);
  let lowered = optimize(program);
  for (;;) {
    let changed = false;
    const expanded = rebuild(lowered, (node) => {
      if (!expandable(node)) return node;
      changed = true;
      return node.op.expand!(node.inputs, node.attrs);
    });
    if (!changed) return withFamilies(lowered);
    lowered = optimize(expanded);
  }
}
