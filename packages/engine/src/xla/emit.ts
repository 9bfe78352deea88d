// Emits a program as a StableHLO module: a plain function, or a whole loop of steps as one `while`.
import type { Precision, StepProgram } from "../backend.js";
import { EngineError } from "../errors.js";
import { type Program, topological } from "../graph.js";
import { lower } from "../passes.js";
import { type Aval, inputOp, isConstant, type Op, type Tensor } from "../tensor.js";
import { HloFunction, type HloValue, hloTypes, shardingOf, tensorType } from "./hlo.js";
import { moves, statesInProducts } from "./narrow.js";
import { inOrder } from "./order.js";

const hasEmission = (node: Tensor): boolean => node.op.xla !== undefined;

const named = (name: string, { shape, dtype }: Tensor): HloValue => ({
  name,
  shape,
  type: hloTypes[dtype],
});

/**
 * Adds a program's operations to a function. In precision bf16 products are computed on bfloat16 operands, and
 * element-wise and moving operations follow their largest operand, so that activations stay small; sums, exponentials
 * and everything the program returns are float32. `copies` are arguments, by number, in bfloat16.
 */
export function emitBody(
  program: Program,
  hlo: HloFunction,
  args: readonly HloValue[],
  copies: ReadonlyMap<number, HloValue> = new Map(),
): HloValue[] {
  const { inputs, outputs } = inOrder(lower(program, hasEmission));
  const values = new Map<Tensor, HloValue>(inputs.map((node, i) => [node, args[i]]));
  const low = new Map<Tensor, HloValue>([...copies].map(([i, copy]) => [inputs[i], copy]));
  for (const node of topological(outputs)) {
    if (values.has(node)) continue;
    if ((node.op as Op) === (inputOp as Op)) {
      throw new EngineError("A tensor of another traced function was used; pass it as an argument.");
    }
    if (!hasEmission(node)) throw new EngineError(`${node.op.name} is not available on the xla back end.`);
    const operands = node.inputs.map((i) => values.get(i)!);
    if (moves(node) && node.inputs.some((x) => low.has(x))) {
      const moved = node.inputs.map(
        (x, i) => low.get(x) ?? (isReal(operands[i]) ? hlo.convert(operands[i], "bf16") : operands[i]),
      );
      low.set(node, node.op.xla!(hlo, moved, node));
    }
    const given =
      node.op.bf16 === "compute" ? node.inputs.map((x, i) => low.get(x) ?? operands[i]) : operands;
    values.set(node, node.op.xla!(hlo, inPrecision(node, given, hlo), node));
  }
  return outputs.map((node) => hlo.convert(values.get(node)!, node.dtype));
}

/** The operands in the element type this operation computes in. */
function inPrecision(node: Tensor, operands: readonly HloValue[], hlo: HloFunction): HloValue[] {
  if (hlo.precision !== "bf16") return [...operands];
  const low = node.op.bf16 === "compute" || (node.op.bf16 === "follow" && followsLow(node, operands));
  const to = low ? "bf16" : "f32";
  return operands.map((x) => (isReal(x) ? hlo.convert(x, to) : x));
}

const isReal = ({ type }: HloValue): boolean => type === "f32" || type === "bf16";

/** An element-wise operation is bfloat16 when its largest floating-point operands all are. */
function followsLow(node: Tensor, operands: readonly HloValue[]): boolean {
  const floats = node.inputs
    .map((tensor, i) => ({ ...operands[i], tensor }))
    .filter((one) => isReal(one) && !isConstant(one.tensor));
  const largest = Math.max(...floats.map(({ tensor }) => tensor.size));
  return (
    floats.length > 0 &&
    floats.filter(({ tensor }) => tensor.size === largest).every(({ type }) => type === "bf16")
  );
}

/** A program over several devices: the axes along which its arguments and results lie in parts. */
interface Spread {
  readonly devices: number;
  readonly inputs: readonly (number | undefined)[];
  readonly outputs: readonly (number | undefined)[];
}

/** The memory of the first `overwritten` arguments may be reused for the results at the same positions. */
function moduleText(
  hlo: HloFunction,
  args: readonly HloValue[],
  results: readonly HloValue[],
  overwritten = 0,
  over?: Spread,
): string {
  const alias = (i: number) => (i < overwritten && !over ? [`tf.aliasing_output = ${i} : i32`] : []);
  const sharding = (v: HloValue, axis?: number) =>
    over ? [`mhlo.sharding = ${shardingOf(v, axis, over.devices)}`] : [];
  const noted = (notes: readonly string[]) => (notes.length > 0 ? ` {${notes.join(", ")}}` : "");
  const parameters = args
    .map((a, i) => `${a.name}: ${tensorType(a)}${noted([...alias(i), ...sharding(a, over?.inputs[i])])}`)
    .join(", ");
  const types = results.map(tensorType).join(", ");
  const given = results.map((r, i) => `${tensorType(r)}${noted(sharding(r, over?.outputs[i]))}`).join(", ");
  const about = over
    ? ` attributes {mhlo.num_partitions = ${over.devices} : i32, mhlo.num_replicas = 1 : i32}`
    : "";
  return [
    `module @pliant${about} {`,
    `func.func public @main(${parameters}) -> (${given}) {`,
    ...hlo.lines,
    `"func.return"(${results.map((r) => r.name).join(", ")}) : (${types}) -> ()`,
    "}",
    "}",
    "",
  ].join("\n");
}

/** The program as StableHLO text; the outputs numbered in `narrow` as bfloat16. */
export function toStableHlo(
  program: Program,
  precision: Precision = "tf32",
  narrow: ReadonlySet<number> = new Set(),
  over?: Spread,
): string {
  const hlo = new HloFunction(precision, over?.devices);
  const args = program.inputs.map((node, i) => named(`%arg${i}`, node));
  const results = emitBody(program, hlo, args);
  return moduleText(
    hlo,
    args,
    results.map((value, i) => (narrow.has(i) ? hlo.convert(value, "bf16") : value)),
    0,
    over,
  );
}

/**
 * `steps` steps as one module. Arguments: the states, over which the results may be written, the constants, those
 * numbered in `narrow` as bfloat16, then each sliced array with its leading axis. Results: the states, then each record
 * stacked along such an axis. In bf16 the loop also carries copies of the states that products read: a step then rounds its
 * parameters where it changes them, instead of reading them all once more.
 */
export function toStableHloLoop(
  step: StepProgram,
  steps: number,
  precision: Precision = "tf32",
  narrow: ReadonlySet<number> = new Set(),
  over?: Spread,
): string {
  const { states, constants, inputs, outputs } = step;
  const hlo = new HloFunction(precision, over?.devices);
  const stacked = (v: HloValue): HloValue => ({ ...v, shape: [steps, ...v.shape] });
  const args = inputs.map((node, i): HloValue => {
    const value = named(`%arg${i}`, node);
    if (narrow.has(i - states)) return { ...value, type: "bf16" };
    return i < states + constants ? value : stacked(value);
  });
  const sliced = args.slice(states + constants);
  const copied = precision === "bf16" ? statesInProducts(step) : [];
  const copiesOf = (of: readonly HloValue[]): HloValue[] => copied.map((i) => hlo.convert(of[i], "bf16"));

  const results = whileLoop(
    hlo,
    steps,
    [...args.slice(0, states), ...copiesOf(args)],
    outputs.slice(states).map(({ shape, dtype }) => ({ shape: [steps, ...shape], dtype })),
    (counter, state) => {
      const slices = sliced.map((v) => sliceAt(hlo, v, counter));
      const made = emitBody(
        step,
        hlo,
        [...state.slice(0, states), ...args.slice(states, states + constants), ...slices],
        new Map(copied.map((i, k) => [i, state[states + k]])),
      );
      const next = [...made.slice(0, states), ...copiesOf(made)];
      return { state: next, records: made.slice(states), at: counter };
    },
  );
  const own = [...results.slice(0, states), ...results.slice(states + copied.length)];
  return moduleText(hlo, args, own, states, over);
}

/** One entry of the leading axis. */
export function sliceAt(hlo: HloFunction, x: HloValue, at: HloValue): HloValue {
  const rest = x.shape.slice(1);
  const zero = hlo.scalar(0, "i32");
  const one = hlo.emit("stablehlo.dynamic_slice", [x, at, ...rest.map(() => zero)], [1, ...rest], {
    attrs: { slice_sizes: hlo.i64Array([1, ...rest]) },
  });
  return hlo.emit("stablehlo.reshape", [one], rest);
}

interface Turn {
  readonly state: readonly HloValue[];
  readonly records: readonly HloValue[];
  /** Where the records are written. */
  readonly at: HloValue;
}

/** `steps` turns of a loop: the last states, then each record stacked along a leading axis. */
export function whileLoop(
  hlo: HloFunction,
  steps: number,
  states: readonly HloValue[],
  stacked: readonly Aval[],
  turn: (counter: HloValue, state: readonly HloValue[]) => Turn,
): readonly HloValue[] {
  // What the loop carries: a counter, the states, the records so far.
  const blank = stacked.map(({ shape, dtype }) => hlo.broadcast(hlo.scalar(0, hloTypes[dtype]), shape));
  const carried = [hlo.scalar(0, "i32"), ...states, ...blank];
  const types = carried.map(tensorType).join(", ");
  const inner = carried.map((v) => ({ ...v, name: hlo.fresh() }));
  const header = `^bb0(${inner.map((v) => `${v.name}: ${tensorType(v)}`).join(", ")}):`;
  const [counter, ...rest] = inner;
  const condition = hlo.apart(() => hlo.compare(counter, hlo.scalar(steps, "i32"), "LT"));
  const body = hlo.apart(() => {
    const { state, records, at } = turn(counter, rest.slice(0, states.length));
    const zero = hlo.scalar(0, "i32");
    const written = records.map((r, k) => {
      const row = hlo.emit("stablehlo.reshape", [r], [1, ...r.shape]);
      const all = rest[states.length + k];
      return hlo.emit(
        "stablehlo.dynamic_update_slice",
        [all, row, at, ...r.shape.map(() => zero)],
        all.shape,
      );
    });
    const next = hlo.emit("stablehlo.add", [counter, hlo.scalar(1, "i32")], []);
    return [next, ...state, ...written];
  });
  const answer = (values: readonly HloValue[], of: string): string =>
    `"stablehlo.return"(${values.map((v) => v.name).join(", ")}) : (${of}) -> ()`;
  return hlo
    .region("stablehlo.while", carried, {
      regions: [
        [header, ...condition.lines, answer([condition.result], "tensor<i1>")],
        [header, ...body.lines, answer(body.result, types)],
      ].map((lines) => lines.join("\n")),
      results: carried,
    })
    .slice(1);
}
