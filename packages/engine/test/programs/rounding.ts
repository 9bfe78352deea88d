// How far rounding can move a program's results. The program is run in float64, once exactly and several times with
// every operation's result nudged by what float32 arithmetic may get wrong there (Monte Carlo arithmetic; Parker, Pierce
// and Eggert, 2000). What the nudges do to a result is the scale on which two float32 back ends may differ in it.
import { type Data, type NdArray, random } from "@pliant/engine";
import { allocate, isFloat } from "../../src/dtype.js";
import { type Program, topological } from "../../src/graph.js";
import { lower } from "../../src/passes.js";
import { isConstant, type Tensor } from "../../src/tensor.js";
import { largestOf } from "./builder.js";

const unit = 2 ** -23;

/** Results that are some operand's element, or 0, or a whole number. */
const exact = new Set(
  "constant neg abs sign floor ceil relu clip cast maximum minimum max min where reshape transpose broadcastTo concat"
    .concat(" slice pad flip gather maxPool maxPoolLike alias stopGradient")
    .split(" "),
);
/** Sums of many terms lose what their largest partial sums lose: run on magnitudes, the operation gives their scale. */
const sums = new Set("sum cumsum matmul conv2d conv2dInput conv2dKernel scatterAdd maxUnpool".split(" "));
/** Approximated to a few units, and near 0 to an absolute precision. */
const approximated = new Set("exp log log1p sin cos erf tanh sigmoid softplus pow".split(" "));

/** Multiples of 1/64 below 64, whose products and their sums, of a few hundred terms, float32 holds. */
const isCoarse = (x: Data): boolean => x.every((v: number) => Number.isInteger(64 * v) && Math.abs(v) < 64);

/** By how much an operation's result may be off, element by element. */
type Inexactness = (out: Data, inputs: readonly Data[]) => ArrayLike<number>;

function errorOf(node: Tensor): Inexactness | undefined {
  const { name } = node.op;
  if (!isFloat(node.dtype) || exact.has(name)) return undefined;
  if (approximated.has(name)) return (out) => out.map((v) => 4 * unit * Math.max(Math.abs(v), 1));
  // A result that float32 holds is not rounded.
  if (!sums.has(name)) return (out) => out.map((v) => (Math.fround(v) === v ? 0 : unit * Math.abs(v)));
  const kernel = node.op.reference!(node);
  const none = allocate("float64", node.size);
  // Where the first operand of an unpooling is largest is a position, not a term.
  const isTerm = (i: number) => isFloat(node.inputs[i].dtype) && !(name === "maxUnpool" && i === 0);
  return (out, inputs) => {
    if (inputs.every(isCoarse)) return none;
    const scale = new Float64Array(out.length);
    kernel(scale, ...inputs.map((x, i) => (isTerm(i) ? x.map(Math.abs) : x)));
    return scale.map((v) => unit * v);
  };
}

export interface Rounding {
  /** Each result in float64. */
  readonly exact: readonly Data[];
  /** How far apart two float32 evaluations of each result may lie. */
  readonly tolerance: readonly number[];
}

const samples = 4;
const allowance = 8;

export function roundingOf(program: Program, inputs: readonly NdArray[]): Rounding {
  const lowered = lower(program, (node) => node.op.reference !== undefined);
  const given = new Map(lowered.inputs.map((node, i) => [node, inputs[i].data]));
  let left: number[] = [];
  let draw = 0;
  const noise = () => {
    if (left.length === 0)
      left = [...random.uniform(random.foldIn(random.key(5), draw++), [4096], { low: -1, high: 1 }).data];
    return left.pop()!;
  };
  const order = topological(lowered.outputs)
    .filter((node) => !given.has(node))
    .map((node) => ({
      node,
      kernel: node.op.reference!(node),
      error: isConstant(node) ? undefined : errorOf(node),
    }));
  const run = (nudged: boolean): Data[] => {
    const values = new Map<Tensor, Data>(given);
    for (const { node, kernel, error } of order) {
      const out = allocate(node.dtype, node.size);
      const args = node.inputs.map((i) => values.get(i)!);
      kernel(out, ...args);
      const off = nudged ? error?.(out, args) : undefined;
      if (off) for (let i = 0; i < out.length; i++) out[i] += noise() * off[i];
      values.set(node, out);
    }
    return lowered.outputs.map((node) => values.get(node)!);
  };
  const values = run(false);
  const tolerance = values.map((y) => 8 * unit * largestOf(y));
  for (let s = 0; s < samples; s++) {
    for (const [i, y] of run(true).entries())
      tolerance[i] = Math.max(tolerance[i], allowance * farthest(y, values[i]));
  }
  return { exact: values, tolerance };
}

/** The largest distance between corresponding elements; infinite where one is not a number. */
export function farthest(a: Data, b: Data): number {
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const gap = Math.abs(a[i] - b[i]);
    worst = Number.isNaN(gap) ? (Object.is(a[i], b[i]) ? worst : Infinity) : Math.max(worst, gap);
  }
  return worst;
}
