// A step repeated while a condition holds, the number of steps being known only as the program runs: a `while` on XLA, Loop on
// ONNX Runtime. Derivatives go forward only, as the tangents of the states are states of a longer loop. Going back would take
// the states of every step, and their number is not known when memory is laid out.
import { Mixed } from "../batch.js";
import { isFloat } from "../dtype.js";
import { EngineError } from "../errors.js";
import { zerosLike } from "../grad.js";
import { pushforward } from "../jvp.js";
import { gt, where } from "../ops/binary.js";
import { broadcastTo, reshape } from "../ops/movement.js";
import { sum } from "../ops/reduce.js";
import { cast } from "../ops/unary.js";
import { range } from "../shape.js";
import type { Stack } from "../stacked.js";
import { apply, input, type Op, type Tensor } from "../tensor.js";
import { stackedBody } from "../vmap.js";
import { Body, inlined } from "./body.js";
import type { Narrowed, OfFamily } from "./family.js";
import { onnxWhile, referenceWhile, xlaWhile } from "./while-emission.js";

/** Operands: the states, then what condition and step close over; so are the inputs of both. Results: the last states. */
export interface WhileAttrs extends OfFamily {
  readonly test: Body;
  readonly step: Body;
  readonly states: number;
}

const whole = <Attrs extends OfFamily>({ inputs, attrs }: Tensor<Attrs>): Narrowed<Attrs> => ({
  operands: range(inputs.length),
  attrs,
  renumber: (result) => result,
});

/** Marks where a gradient would go back through a loop; only its derivative with respect to the cotangents is used. */
interface BackAttrs extends WhileAttrs {
  /** Which results have a cotangent. */
  readonly given: readonly number[];
}

const backwards = (): never => {
  throw new EngineError(
    "whileLoop: derivatives go forward only (jvp, jacobian); for a gradient repeat a fixed number of steps with scan.",
  );
};

/** The result of the loop that carries tangents along, for each result with a cotangent. */
function tangents(
  directions: ReadonlyMap<number, Tensor>,
  { inputs, attrs }: Tensor<BackAttrs>,
): (Tensor | undefined)[] {
  const { test, step, states, given } = attrs;
  const count = step.inputs.length;
  const operands = inputs.slice(0, count);
  const moving = range(states).filter((i) => isFloat(step.inputs[i].dtype));
  const closed = range(count).filter((i) => i >= states && directions.has(i));
  const wrt = [...moving, ...closed];
  const symbols = wrt.map((i) => input(`tangent${i}`, step.inputs[i]));
  const outputs = moving.map((i) => step.outputs[i]);
  const found = pushforward(
    outputs,
    wrt.map((i) => step.inputs[i]),
    symbols,
  ).map((t, k) => t ?? zerosLike(outputs[k]));
  const own = [
    ...step.inputs.slice(0, states),
    ...symbols.slice(0, moving.length),
    ...step.inputs.slice(states),
    ...symbols.slice(moving.length),
  ];
  const longer: Omit<WhileAttrs, "result"> = {
    test: new Body({ inputs: own, outputs: inlined(test, step.inputs) }),
    step: new Body({ inputs: own, outputs: [...step.outputs, ...found] }),
    states: states + moving.length,
  };
  const direction = (i: number): Tensor => directions.get(i) ?? zerosLike(operands[i]);
  const all = [
    ...operands.slice(0, states),
    ...moving.map(direction),
    ...operands.slice(states),
    ...closed.map(direction),
  ];
  const moved = given.map((r) => apply(whileOp, all, { ...longer, result: states + moving.indexOf(r) }));
  return [...operands.map(() => undefined), ...moved];
}

const backOp: Op<BackAttrs> = {
  name: "whileBack",
  infer: (inputs, { result }) => inputs[result],
  gradientOfAll: tangents,
  narrow: whole,
  expand: backwards,
};

/** Each entry stops by itself: the loop goes on while one does, and those that have stopped keep their state. */
function stacked({ attrs }: Tensor<WhileAttrs>, operands: readonly Tensor[], { n, has }: Stack): Tensor {
  const { test, step, states } = attrs;
  const now = { n, has: has.map((own, i) => own || i < states) };
  const given = operands.map((x, i) => (i < states && !has[i] ? broadcastTo(x, [n, ...x.shape]) : x));
  const symbols = given.map((x, i) => input(`stack${i}`, x));
  const [goesOn] = inlined(stackedBody(test, now), symbols);
  const next = inlined(stackedBody(step, now), symbols).map((x, i) =>
    where(reshape(goesOn, [n, ...range(x.rank - 1).map(() => 1)]), x, symbols[i]),
  );
  return apply(whileOp, given, {
    ...attrs,
    test: new Body({ inputs: symbols, outputs: [gt(sum(cast(goesOn, "int32")), 0)] }),
    step: new Body({ inputs: symbols, outputs: next }),
  });
}

export const whileOp: Op<WhileAttrs> = {
  name: "while",
  vmap: stacked,
  nests: true,
  batch: ({ inputs: [x] }) => new Mixed(x, undefined),
  infer: (_, { step, result }) => step.outputs[result],
  gradientOfAll: (gradients, { inputs, attrs }) => {
    const given = [...gradients.keys()];
    const all = [...inputs, ...gradients.values()];
    return inputs.map(({ dtype }, result) =>
      isFloat(dtype) ? apply(backOp, all, { ...attrs, given, result }) : undefined,
    );
  },
  narrow: whole,
  expand: () => {
    throw new EngineError(
      "whileLoop: the number of steps is known only as it runs, so it cannot be written out; a model that is exported uses scan.",
    );
  },
  reference: referenceWhile,
  onnx: onnxWhile,
  xla: xlaWhile,
};
