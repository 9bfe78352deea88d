// The results that a program may have within the stated accuracy. The reference runs it, once as it is and several times with every
// operation's result nudged within the units it may be off (Monte Carlo arithmetic; Parker, Pierce and Eggert, 2000), zeros
// signed at random, numbers below the smallest normal one flushed at random, and what is not promised replaced by anything.
// What that does to an element is how far two back ends may be apart in it; where it makes another kind of number of it,
// nothing is promised.
import type { Data, NdArray } from "@pliant/engine";
import { allocate, isFloat } from "../../src/dtype.js";
import { type Program, topological } from "../../src/graph.js";
import { lower } from "../../src/passes.js";
import { isConstant, type Tensor } from "../../src/tensor.js";
import { Draw } from "../calls/draw.js";
import { promised } from "../edges/promises.js";
import { largestOf, smallestNormal, unitOf } from "../edges/units.js";

/** Results that are some operand's element, or 0, or a whole number. */
const exact = new Set(
  "constant neg abs sign floor ceil round rem relu clip cast maximum minimum max min where reshape transpose broadcastTo concat"
    .concat(" slice pad flip gather pick unfold alias stopGradient takeAlong cummax")
    .split(" "),
);
const pools = new Set(["maxPool", "maxUnpool", "maxPoolLike"]);
/** Sums of many terms: run on magnitudes, the operation gives their scale. */
const sums = new Set(
  "sum cumsum matmul conv2d conv2dInput conv2dKernel scatterAdd addAlong maxUnpool fold".split(" "),
);
/** A padding's 0 times NaN or infinity may count, or not. */
const padded = ({ op, attrs }: Tensor): boolean =>
  op.name.startsWith("conv2d") && (attrs as { padding: number[][] }).padding.flat().some((p) => p > 0);
/** So may zeros around the gradient of a convolution's result, which may be convolved with the kernel in turn. */
const aroundGradient = ({ op }: Tensor, [, kernel]: readonly Data[]): boolean =>
  op.name === "conv2dInput" && (kernel as Float32Array).some((v) => !Number.isFinite(v));
/** Rounded on the scale of 1. */
const nearOne = new Set(["sin", "cos", "logSumExp", "logSoftmax"]);

/** Among these, a 0 is the difference of two roundings. */
const logarithms = new Set(["logSumExp", "logSoftmax"]);

const unitsOf = (name: string, dtype: "float32"): number => {
  const units = promised.get(name);
  return Math.max(1, units?.onnx[dtype] ?? 0, units?.xla[dtype] ?? 0);
};

/** Rounded once: results that need few digits are exact, and nothing but exact if whole numbers went in. */
const rounded = new Set(["add", "sub", "mul", "div", "sqrt"]);
const isWhole = (v: number): boolean => Number.isInteger(v) || !Number.isFinite(v);
const isCoarse = (v: number): boolean => Number.isInteger(64 * v) && Math.abs(v) < 2 ** 16;

interface Mood {
  /** From −1 to 1: how far from the exact result, of as far as is promised. */
  nudge(): number;
  /** A number in place of one that is not promised; `other` is what it would be if paddings did not count. */
  anything(node: Tensor, was: number, other?: number): number;
  /** Whether results that need few digits may be rounded too. */
  readonly roundsAll: boolean;
  /** Whether results nudged downwards are whole numbers where they may be: none is reached by chance. */
  readonly settles: boolean;
}
type Change = (out: Data, inputs: readonly Data[], mood: Mood) => void;

/** Random changes within the promises, in place. */
function changeOf(node: Tensor): Change | undefined {
  const { dtype } = node;
  if (!isFloat(dtype) || isConstant(node)) return undefined;
  const { name } = node.op;
  const units = exact.has(name) || pools.has(name) ? 0 : unitsOf(name, dtype as "float32");
  const rounds = rounded.has(name);
  const inPadding = padded(node);
  const kernel = sums.has(name) ? node.op.reference!(node) : undefined;
  const isTerm = (i: number) => isFloat(node.inputs[i].dtype) && !(name === "maxUnpool" && i === 0);
  const magnitudes = (inputs: readonly Data[]): Data | undefined => {
    if (!kernel) return undefined;
    const scale = new Float64Array(node.size);
    const positive = (x: Data) => Float64Array.from(x, (v) => (Number.isFinite(v) ? Math.abs(v) : 0));
    kernel(scale, ...inputs.map((x, i) => (isTerm(i) ? positive(x) : x)));
    return scale;
  };
  // Numbers so large that their sums are infinite, but 0 times which is 0.
  const withoutPaddings = (inputs: readonly Data[]): Data => {
    const result = new Float64Array(node.size);
    const large = (v: number): number => (Math.abs(v) === Infinity ? Math.sign(v) * 1e200 : v);
    kernel!(result, ...inputs.map((x) => Float64Array.from(x as Float32Array, large)));
    return result.map((v) => (Math.abs(v) > 1e150 ? Math.sign(v) * Infinity : v));
  };
  const overflows = largestOf(dtype) / (name === "maxPool" ? poolSize(node) : 1);
  return (out, inputs, mood) => {
    const scale = magnitudes(inputs);
    // Which element of a window with NaN is chosen is not promised, nor, on onnx, the largest of one with −∞ whose others
    // add up to ∞, or of nothing else.
    const anywhere = pools.has(name) && name !== "maxPool" && (inputs[0] as Float32Array).some(Number.isNaN);
    const below = name === "maxPool" && inputs[0].includes(-Infinity);
    const around = aroundGradient(node, inputs);
    const others = inPadding && dtype === "float32" ? withoutPaddings(inputs) : undefined;
    // Sums and products of whole numbers are exact wherever they are computed.
    const wholes = rounds && inputs.every((x) => (x as Float32Array).every(isWhole));
    const isLost = (v: number, size: number): boolean =>
      size > largestOf(dtype) ||
      (inPadding && !Number.isFinite(v)) ||
      anywhere ||
      around ||
      (below && (v >= overflows || v === -Infinity));
    for (let i = 0; i < out.length; i++) {
      const by = mood.nudge();
      const of = Math.max(Math.abs(out[i]), scale?.[i] ?? 0, nearOne.has(name) ? 1 : 0);
      const isExact =
        (out[i] === 0 && !logarithms.has(name)) ||
        (rounds && (wholes || !mood.roundsAll) && isCoarse(out[i]));
      if (isLost(out[i], scale?.[i] ?? 0)) out[i] = mood.anything(node, out[i], others?.[i]);
      else if (units > 0 && Number.isFinite(out[i]) && (scale || !isExact)) {
        const most = units * unitOf(of, dtype) + (rounds || of === 0 ? 0 : smallestNormal(dtype));
        const whole = mood.settles && by < 0 ? wholeWithin(out[i], most) : undefined;
        out[i] = whole ?? out[i] + by * most;
      }
      if (Math.abs(out[i]) < smallestNormal(dtype) && by < 0) out[i] = 0;
      if (out[i] === 0) out[i] = by < 0 ? -0 : 0;
    }
  };
}

/** Another number that is no farther and whole, 0 before the rest. */
const wholeWithin = (v: number, most: number): number | undefined =>
  [0, Math.round(v)].find((whole) => v !== whole && Math.abs(v - whole) <= most);

const poolSize = ({ attrs }: Tensor): number =>
  (attrs as { window: readonly number[] }).window.reduce((a, b) => a * b);

export interface Allowed {
  readonly wanted: Data;
  /** How far from it; NaN where nothing is promised. */
  readonly within: Float64Array;
}

/** In place of what is not promised. */
const kinds = [0, NaN, Infinity, -Infinity];

/** All as it is but what one operation does not promise: what a loss before it does may hide that. */
const justOne = (lost: Tensor, kind?: number): Mood => ({
  nudge: () => 0,
  anything: (node, was, other = was) => (node === lost ? (kind ?? other) : was),
  roundsAll: false,
  settles: false,
});

/**
 * Samples come in pairs of opposite signs, so that a value on the edge of a decision falls to both sides. In every second
 * pair all is off by as much as it may be; in the others by any part of it, lest two roundings undo each other each time.
 */
function moodOf(seed: number, sample: number, grids: boolean): Mood {
  const draw = new Draw(seed + (sample >> 1));
  const side = sample % 2 === 0 ? 1 : -1;
  const whole = sample % 4 < 2;
  return {
    nudge: () => (draw.chance(2) ? side : -side) * (whole ? 1 : (1 + draw.pick(256)) / 256),
    anything: (_node, _was, other) => draw.among(other === undefined ? kinds : [...kinds, other]),
    // ONNX Runtime's GridSample rounds coordinates that are exact as its expansion computes them.
    roundsAll: grids && !whole,
    settles: !whole,
  };
}

/** What so many samples allow, and on the way what each four of them do. */
export function* allowed(
  program: Program,
  inputs: readonly NdArray[],
  seed: number,
  samples: number,
): Generator<Allowed[]> {
  const grids = topological(program.outputs).some(({ op }) => op.name === "gridSample");
  // Loops are written out: what their steps round, the next ones see.
  const { inputs: nodes, outputs } = lower(program, ({ op }) => op.reference !== undefined && !op.nests);
  const given = new Map(nodes.map((node, i) => [node, inputs[i].data]));
  const order = topological(outputs)
    .filter((node) => !given.has(node))
    .map((node) => ({ node, kernel: node.op.reference!(node), change: changeOf(node) }));
  const run = (mood?: Mood): { results: Data[]; decisions: Data[] } => {
    const values = new Map<Tensor, Data>(given);
    const decisions: Data[] = [];
    for (const { node, kernel, change } of order) {
      const out = allocate(node.dtype, node.size);
      const args = node.inputs.map((i) => values.get(i)!);
      kernel(out, ...args);
      if (mood) change?.(out, args, mood);
      if (!isFloat(node.dtype)) decisions.push(out);
      values.set(node, out);
    }
    return { results: outputs.map((node) => values.get(node)!), decisions };
  };
  const { results: wanted, decisions } = run();
  const within = outputs.map((node, k) =>
    Float64Array.from(wanted[k], (v) =>
      isFloat(node.dtype) && Number.isFinite(v) ? 2 * unitOf(v, node.dtype) + smallestNormal(node.dtype) : 0,
    ),
  );
  const lost = new Set<Tensor>();
  const noting = (node: Tensor, was: number): number => {
    lost.add(node);
    return was;
  };
  run({ nudge: () => 0, anything: noting, roundsAll: false, settles: false });
  const tried = (mood: Mood): void => {
    const sample = run(mood);
    const decidesOtherwise = sample.decisions.some((list, k) => list.some((v, i) => v !== decisions[k][i]));
    for (const [k, out] of sample.results.entries()) {
      for (let i = 0; i < out.length; i++) {
        const [w, v] = [wanted[k][i], out[i]];
        if (w === v || (Number.isNaN(w) && Number.isNaN(v))) continue;
        const off = isFloat(outputs[k].dtype) ? Math.abs(w - v) : NaN;
        // What a decision that may fall otherwise changes by more than roundings do, another may change by more still.
        const jumps = decidesOtherwise && off > 1e-3 * Math.abs(w);
        within[k][i] = Number.isFinite(off) && !jumps ? Math.max(within[k][i], 8 * off) : NaN;
      }
    }
  };
  for (const node of lost)
    for (const mood of [justOne(node), ...kinds.map((kind) => justOne(node, kind))]) tried(mood);
  for (let s = 0; s < samples; s++) {
    tried(moodOf(seed, s, grids));
    if (s % 4 === 3 || s === samples - 1)
      yield wanted.map((data, k) => ({ wanted: data, within: within[k] }));
  }
}
