// Loops, branches and computing again, as functions of functions of tensors.
import { allocate } from "../dtype.js";
import { EngineError, kindOf } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { sameShape } from "../shape.js";
import { apply, constant, lift, type Operand, scalar, type Tensor } from "../tensor.js";
import { formOf, leaves, mapTree, type Replace } from "../tree.js";
import { Body, closedOver, symbolsFor, tensorsOf } from "./body.js";
import { callOp } from "./checkpoint.js";
import { condOp } from "./cond.js";
import { scanOp } from "./scan.js";
import { whileOp } from "./while.js";

const list = (tree: unknown): Tensor[] => leaves(tree).map(({ leaf }) => leaf as Tensor);
const lifted = (tree: unknown): unknown => mapTree(tree, (leaf: Operand) => lift(leaf));

/** Refuses results of another form than was asked for. */
function refuseUnlike(
  name: string,
  what: string,
  got: readonly Tensor[],
  wanted: readonly Tensor[],
  tree: unknown,
): void {
  for (const [i, { path }] of leaves(tree).entries()) {
    if (sameShape(got[i].shape, wanted[i].shape) && got[i].dtype === wanted[i].dtype) continue;
    throw new EngineError(
      `${name}: ${what}${path} is ${showAval(wanted[i])} and becomes ${showAval(got[i])}.`,
    );
  }
}

/** In which order `scan` goes over its slices. */
export interface ScanOptions {
  /** From the last slice to the first; records lie where their slices do. */
  reverse?: boolean;
}

/**
 * A step repeated over slices along the leading axis of arrays: (state, slice) → { state, record }. Gives the last state and
 * the records along such an axis. Values that the step closes over may be differentiated too.
 */
export function scan<S, X, R>(
  step: (state: Replace<S, Tensor>, slice: Replace<X, Tensor>) => { state: Replace<S, Operand>; record: R },
  state: S,
  slices: X,
  { reverse = false }: ScanOptions = {},
): { state: Replace<S, Tensor>; record: Replace<R, Tensor> } {
  const [first, arrays] = [lifted(state), lifted(slices)] as [S, X];
  const [states, sliced] = [list(first), list(arrays)];
  const length = sliced[0]?.shape[0];
  if (length === undefined || sliced.some((x) => x.shape[0] !== length)) {
    const shapes = sliced.map(showAval).join(", ");
    throw new EngineError(
      `scan: slices need one leading axis of equal length, the number of steps; got ${shapes || "none"}.`,
    );
  }
  const carry = symbolsFor("state", first);
  const slice = symbolsFor("slice", arrays, ({ shape, dtype }) => ({ shape: shape.slice(1), dtype }));
  const result: unknown = step(carry as never, slice as never);
  if (typeof result !== "object" || result === null || !("state" in result && "record" in result))
    throw new EngineError(`scan: a step returns { state, record }, not ${kindOf(result)}.`);
  if (formOf(result.state) !== formOf(first))
    throw new EngineError("scan: the step's next state must have the form of the state it was given.");
  const after = tensorsOf("scan", result.state);
  const record = tensorsOf("scan", result.record);
  refuseUnlike("scan", "state", after.outputs, states, first);
  const own = [...list(carry), ...list(slice)];
  const { outputs, outside, standIns } = closedOver(own, [...after.outputs, ...record.outputs]);
  const body = new Body({ inputs: [...own, ...standIns], outputs });
  const make = (i: number): Tensor => {
    if (length === 0) return i < states.length ? states[i] : nothing(body.outputs[i]);
    return apply(scanOp, [...states, ...sliced, ...outside], {
      body,
      states: states.length,
      sliced: sliced.length,
      length,
      reverse,
      result: i,
    });
  };
  return {
    state: mapTree(after.tree, make) as Replace<S, Tensor>,
    record: mapTree(record.tree, (i: number) => make(states.length + i)) as Replace<R, Tensor>,
  };
}

/** The records of no step. */
const nothing = ({ shape, dtype }: Tensor): Tensor =>
  constant(new NdArray(allocate(dtype, 0), [0, ...shape], dtype));

/**
 * Evaluates one of two functions: `then` if the condition, a single bool, is true, and `otherwise` if not. Both return tensors of the
 * same form; gradients flow into what they close over.
 */
export function cond<R>(condition: Operand, then: () => R, otherwise: () => R): Replace<R, Tensor> {
  const which = lift(condition);
  if (which.dtype !== "bool" || which.rank !== 0)
    throw new EngineError(`cond: the condition must be one bool, got ${showAval(which)}.`);
  // Nodes created from here on belong to a branch.
  const { id: start } = scalar(0);
  const [a, b] = [tensorsOf("cond", then()), tensorsOf("cond", otherwise())];
  if (formOf(a.tree) !== formOf(b.tree))
    throw new EngineError("cond: both functions must return results of the same form.");
  refuseUnlike("cond", "result", b.outputs, a.outputs, a.tree);
  // One list of operands for both, each of which reads some of them.
  const { outputs, outside, standIns } = closedOver([], [...a.outputs, ...b.outputs], ({ id }) => id > start);
  const [yes, no] = [outputs.slice(0, a.outputs.length), outputs.slice(a.outputs.length)].map(
    (part) => new Body({ inputs: standIns, outputs: part }),
  );
  return mapTree(a.tree, (result: number) =>
    apply(condOp, [which, ...outside], { yes, no, result }),
  ) as Replace<R, Tensor>;
}

/**
 * The state after a step has been repeated while a condition, a single bool made of the state, holds. Derivatives go forward
 * only: `jvp` and `jacobian`, in the state and in what both functions close over.
 */
export function whileLoop<S>(
  condition: (state: Replace<S, Tensor>) => Operand,
  step: (state: Replace<S, Tensor>) => Replace<S, Operand>,
  state: S,
): Replace<S, Tensor> {
  const first = lifted(state) as S;
  const states = list(first);
  const carry = symbolsFor("state", first);
  const goesOn = lift(condition(carry as never));
  if (goesOn.dtype !== "bool" || goesOn.rank !== 0)
    throw new EngineError(`whileLoop: the condition must be one bool, got ${showAval(goesOn)}.`);
  const result = step(carry as never);
  if (formOf(result) !== formOf(first))
    throw new EngineError("whileLoop: the step's next state must have the form of the state it was given.");
  const after = tensorsOf("whileLoop", result);
  refuseUnlike("whileLoop", "state", after.outputs, states, first);
  const own = list(carry);
  const { outputs, outside, standIns } = closedOver(own, [goesOn, ...after.outputs]);
  const inputs = [...own, ...standIns];
  const attrs = {
    test: new Body({ inputs, outputs: outputs.slice(0, 1) }),
    step: new Body({ inputs, outputs: outputs.slice(1) }),
    states: states.length,
  };
  return mapTree(after.tree, (i: number) =>
    apply(whileOp, [...states, ...outside], { ...attrs, result: i }),
  ) as Replace<S, Tensor>;
}

/**
 * Computes the function again for its gradient, instead of keeping intermediate values: less memory, more time.
 */
export function checkpoint<P extends unknown[], R>(
  fn: (...args: P) => R,
): (...args: P) => Replace<R, Tensor> {
  return (...args) => {
    const given = lifted(args);
    const symbols = symbolsFor("arg", given) as unknown as P;
    const { tree, outputs } = tensorsOf("checkpoint", fn(...symbols));
    const own = list(symbols);
    const closed = closedOver(own, outputs);
    const body = new Body({ inputs: [...own, ...closed.standIns], outputs: closed.outputs });
    return mapTree(tree, (result: number) =>
      apply(callOp, [...list(given), ...closed.outside], { body, result }),
    ) as Replace<R, Tensor>;
  };
}
