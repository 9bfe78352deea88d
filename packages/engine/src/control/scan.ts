// A step repeated over the slices of arrays, inside a traced function: sₜ₊₁, yₜ = step(sₜ, xₜ). A loop on XLA, Scan on ONNX
// Runtime. The gradient runs the other way over the states before each step, which are kept, and does each step again:
//   λₜ, ∂xₜ = λₜ₊₁·∂s/∂(sₜ, xₜ) + ȳₜ·∂y/∂(sₜ, xₜ),   ∂k = Σₜ the same in k, which the step closes over.
import { isFloat } from "../dtype.js";
import { pullback, zerosLike } from "../grad.js";
import { topological } from "../graph.js";
import { add } from "../ops/binary.js";
import { broadcastTo, concat, expandDims, squeeze } from "../ops/movement.js";
import { slice } from "../ops/slicing.js";
import { range } from "../shape.js";
import { moveAxis, type Stack } from "../stacked.js";
import { type Aval, apply, input, type Op, type Tensor } from "../tensor.js";
import { stackedBody } from "../vmap.js";
import { Body, inlined } from "./body.js";
import type { Narrowed, OfFamily } from "./family.js";
import { onnxScan, referenceScan, xlaScan } from "./scan-emission.js";

/**
 * Operands: the states, the sliced arrays, what the step closes over; so are the body's inputs, and its outputs are the next
 * states and the records. Results: the last states, the records along a leading axis, then the states before each step likewise.
 */
export interface ScanAttrs extends OfFamily {
  readonly body: Body;
  readonly states: number;
  readonly sliced: number;
  readonly length: number;
  /** From the last slice to the first; records lie where their slices do. */
  readonly reverse: boolean;
}

export interface ScanResult {
  readonly kind: "last" | "record" | "before";
  /** Which of its kind. */
  readonly i: number;
}

export function resultOf({ body, states }: ScanAttrs, result: number): ScanResult {
  const total = body.outputs.length;
  if (result < states) return { kind: "last", i: result };
  return result < total ? { kind: "record", i: result - states } : { kind: "before", i: result - total };
}

/** A scan without the states, slices and operands that nothing wanted depends on. */
function narrow({ inputs, attrs }: Tensor<ScanAttrs>, results: readonly number[]): Narrowed<ScanAttrs> {
  const { body, states, sliced } = attrs;
  const wanted = results.map((r) => resultOf(attrs, r));
  const records = range(body.outputs.length - states).filter((k) =>
    wanted.some(({ kind, i }) => kind === "record" && i === k),
  );
  const kept = new Set(wanted.filter(({ kind }) => kind !== "record").map(({ i }) => i));
  const outputs = () => [...range(states).filter((i) => kept.has(i)), ...records.map((k) => states + k)];
  // A kept output reads other states, whose updates must be kept too.
  let read = new Set<Tensor>();
  for (let before = -1; before !== kept.size; ) {
    before = kept.size;
    read = new Set(topological(outputs().map((i) => body.outputs[i])));
    for (const i of range(states)) if (read.has(body.inputs[i])) kept.add(i);
  }
  const carried = range(states).filter((i) => kept.has(i));
  const others = range(inputs.length).filter((i) => i >= states && read.has(body.inputs[i]));
  const operands = [...carried, ...others];
  const left = outputs();
  const whole = operands.length === inputs.length && left.length === body.outputs.length;
  return {
    operands,
    attrs: {
      ...attrs,
      body: whole
        ? body
        : new Body({
            inputs: operands.map((i) => body.inputs[i]),
            outputs: left.map((i) => body.outputs[i]),
          }),
      states: carried.length,
      sliced: others.filter((i) => i < states + sliced).length,
    },
    renumber: (result) => {
      const { kind, i } = resultOf(attrs, result);
      if (kind === "last") return carried.indexOf(i);
      return kind === "record" ? carried.length + records.indexOf(i) : left.length + carried.indexOf(i);
    },
  };
}

/** The step's gradients, as the step of a scan the other way. */
function gradientOfAll(
  gradients: ReadonlyMap<number, Tensor>,
  { inputs, attrs }: Tensor<ScanAttrs>,
): (Tensor | undefined)[] {
  const { body, states, sliced } = attrs;
  const total = body.outputs.length;
  const real = (list: readonly Tensor[], from: number, to: number) =>
    range(list.length).filter((i) => i >= from && i < to && isFloat(list[i].dtype));
  const [moving, slices, closed] = [
    real(body.inputs, 0, states),
    real(body.inputs, states, states + sliced),
    real(body.inputs, states + sliced, inputs.length),
  ];
  const records = real(body.outputs, states, total).filter((i) => gradients.has(i));
  const befores = range(states).filter((i) => gradients.has(total + i));

  // What comes in at each step: λ and the sums so far; the state before, the slices, ȳ; what the step closes over.
  const cotangents = moving.map((i) => input(`lambda${i}`, body.outputs[i]));
  const sums = closed.map((i) => input(`sum${i}`, body.inputs[i]));
  const recorded = records.map((i) => input(`record${i}`, body.outputs[i]));
  const seen = befores.map((i) => input(`before${i}`, body.inputs[i]));
  const outputs = [...moving, ...records].map((i) => body.outputs[i]);
  const wrt = [...moving, ...slices, ...closed].map((i) => body.inputs[i]);
  const found = pullback(outputs, [...cotangents, ...recorded], wrt).map((g, i) => g ?? zerosLike(wrt[i]));
  const [m, s] = [moving.length, slices.length];
  // A state that was asked for itself has its own gradient besides.
  const next = found.slice(0, m).map((g, k) => {
    const own = seen[befores.indexOf(moving[k])];
    return own ? add(g, own) : g;
  });
  const step = new Body({
    inputs: [
      ...cotangents,
      ...sums,
      ...body.inputs.slice(0, states + sliced),
      ...recorded,
      ...seen,
      ...body.inputs.slice(states + sliced),
    ],
    outputs: [...next, ...sums.map((sum, k) => add(sum, found[m + s + k])), ...found.slice(m, m + s)],
  });
  const operands = [
    ...moving.map((i) => gradients.get(i) ?? zerosLike(body.outputs[i])),
    ...closed.map((i) => zerosLike(body.inputs[i])),
    ...range(states).map((i) => apply(scanOp, inputs, { ...attrs, result: total + i })),
    ...inputs.slice(states, states + sliced),
    ...records.map((i) => gradients.get(i)!),
    ...befores.map((i) => gradients.get(total + i)!),
    ...inputs.slice(states + sliced),
  ];
  const back = (result: number): Tensor =>
    apply(scanOp, operands, {
      body: step,
      states: m + closed.length,
      sliced: states + sliced + records.length + befores.length,
      length: attrs.length,
      reverse: !attrs.reverse,
      result,
    });
  const parts = new Array<Tensor | undefined>(inputs.length).fill(undefined);
  for (const [k, i] of moving.entries()) parts[i] = back(k);
  for (const [k, i] of closed.entries()) parts[i] = back(m + k);
  for (const [k, i] of slices.entries()) parts[i] = back(m + closed.length + k);
  return parts;
}

/** The same as so many copies of the step. */
function unrolled(inputs: readonly Tensor[], attrs: ScanAttrs): Tensor {
  const { body, states, sliced, length, reverse } = attrs;
  const { kind, i } = resultOf(attrs, attrs.result);
  const closed = inputs.slice(states + sliced);
  let state = inputs.slice(0, states);
  const made: Tensor[] = [];
  for (const t of range(length)) {
    const at = reverse ? length - 1 - t : t;
    const slices = inputs.slice(states, states + sliced).map((x) => squeeze(slice(x, [[at, at + 1]]), 0));
    const results = inlined(body, [...state, ...slices, ...closed]);
    if (kind !== "last") made.push(expandDims(kind === "before" ? state[i] : results[states + i], 0));
    state = [...results.slice(0, states)];
  }
  return kind === "last" ? state[i] : concat(reverse ? made.reverse() : made, 0);
}

/** All states are stacks, as the step may make them such; slices are taken across the stack. */
function stacked({ attrs }: Tensor<ScanAttrs>, operands: readonly Tensor[], { n, has }: Stack): Tensor {
  const { body, states, sliced } = attrs;
  const now = has.map((own, i) => own || i < states);
  const given = operands.map((x, i) => {
    if (i < states) return has[i] ? x : broadcastTo(x, [n, ...x.shape]);
    return i < states + sliced && has[i] ? moveAxis(x, 0, 1) : x;
  });
  const y = apply(scanOp, given, { ...attrs, body: stackedBody(body, { n, has: now }) });
  return resultOf(attrs, attrs.result).kind === "last" ? y : moveAxis(y, 1, 0);
}

export const scanOp: Op<ScanAttrs> = {
  name: "scan",
  vmap: stacked,
  nests: true,
  infer: (_, attrs): Aval => {
    const { body, states, length } = attrs;
    const { kind, i } = resultOf(attrs, attrs.result);
    if (kind === "last") return body.outputs[i];
    const { shape, dtype } = kind === "record" ? body.outputs[states + i] : body.inputs[i];
    return { shape: [length, ...shape], dtype };
  },
  gradientOfAll,
  narrow,
  expand: unrolled,
  reference: referenceScan,
  onnx: onnxScan,
  xla: xlaScan,
};
