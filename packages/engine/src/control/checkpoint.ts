// Computing again instead of keeping. The gradient of a checkpointed function starts from its operands as they are once the
// gradient of its result is known, which no pass takes for the operands themselves: so nothing made of them before is found
// again, and nothing is made of them too early.
import { isFloat } from "../dtype.js";
import { pullback } from "../grad.js";
import { broadcastTo } from "../ops/movement.js";
import { range } from "../shape.js";
import { apply, type Op } from "../tensor.js";
import { stackedBody } from "../vmap.js";
import { type Body, inlined } from "./body.js";
import type { Narrowed, OfFamily } from "./family.js";

/** x, but not before `when` is known, and not the same as x. */
const afterOp: Op = {
  name: "after",
  vmap: ({ op, attrs }, [x, when], { n, has }) =>
    apply(op, [has[0] ? x : broadcastTo(x, [n, ...x.shape]), when], attrs),
  bf16: "follow",
  infer: ([x]) => x,
  gradient: (g) => [g, undefined],
  empty: ([x]) => x,
  reference: () => (out, x) => out.set(x),
  // A reshape to its own shape, of which the runtime cannot know that it is: 0 is worked out of an element of `when`.
  onnx: (graph, [x, when], { shape }) => {
    const flat = graph.op("Reshape", [when, graph.ints([-1])]);
    const one = graph.op("Cast", [graph.op("Gather", [flat, graph.ints([0])], { axis: 0 })], { to: 7 });
    const zero = graph.op("Sub", [one, one]);
    return graph.op("Reshape", [x, graph.op("Add", [graph.ints(shape), zero])], { allowzero: 1 });
  },
  // XLA's barrier is gone on a CPU before equal computations are merged. That p² + p is even it does not know.
  xla: (hlo, [x, when]) => {
    const one = hlo.scalar(1, "i32");
    const p = hlo.convert(hlo.firstOf(when), "i32");
    const even = hlo.emit("stablehlo.add", [hlo.emit("stablehlo.multiply", [p, p], []), p], []);
    const never = hlo.compare(hlo.emit("stablehlo.and", [even, one], []), one, "EQ");
    const nothing = hlo.broadcast(hlo.scalar(0, x.type), x.shape);
    return hlo.emit("stablehlo.select", [never, nothing, x], x.shape, { type: x.type });
  },
};

export interface CallAttrs extends OfFamily {
  readonly body: Body;
}

/** A function's result; once gradients are taken, what it is made of. */
export const callOp: Op<CallAttrs> = {
  name: "checkpoint",
  vmap: ({ attrs: { body, result } }, operands, stack) =>
    apply(callOp, operands, { body: stackedBody(body, stack), result }),
  infer: (_, { body, result }) => body.outputs[result],
  gradientOfAll: (gradients, { inputs, attrs: { body } }) => {
    const results = [...gradients.keys()];
    const [when] = gradients.values();
    const again = inputs.map((x) => apply(afterOp, [x, when], {}));
    const outputs = inlined(body, again);
    const real = range(inputs.length).filter((i) => isFloat(inputs[i].dtype));
    const found = pullback(
      results.map((r) => outputs[r]),
      [...gradients.values()],
      real.map((i) => again[i]),
    );
    return inputs.map((_, i) => found[real.indexOf(i)]);
  },
  narrow: ({ inputs, attrs }): Narrowed<CallAttrs> => ({
    operands: range(inputs.length),
    attrs,
    renumber: (result) => result,
  }),
  simplify: ({ inputs, attrs: { body, result } }) => inlined(body, inputs)[result],
  expand: (inputs, { body, result }) => inlined(body, inputs)[result],
};
