// What a program may give within the written promises. The reference runs it, once as it is and several times with every
// operation's result nudged by the units it may be off (Monte Carlo arithmetic; Parker, Pierce and Eggert, 2000), zeros
// signed at random and numbers below the smallest normal one flushed at random. What the nudges do to an element is how
// far two back ends may be apart in it; where they make another kind of number of it, nothing is promised.
import type { Data, NdArray } from "@pliant/engine";
import { allocate, isFloat } from "../../src/dtype.js";
import { type Program, topological } from "../../src/graph.js";
import { lower } from "../../src/passes.js";
import { isConstant, type Tensor } from "../../src/tensor.js";
import { promised } from "../edges/promises.js";
import { largestOf, smallestNormal, unitOf } from "../edges/units.js";
import { Draw } from "./draw.js";

/** Results that are some operand's element, or 0, or a whole number. */
const exact = new Set(
  "constant neg abs sign floor ceil relu clip cast maximum minimum max min where reshape transpose broadcastTo concat"
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
/** Rounded on the scale of 1. */
const nearOne = new Set(["sin", "cos"]);

const unitsOf = (name: string, dtype: "float32"): number => {
  const units = promised.get(name);
  return Math.max(1, units?.onnx[dtype] ?? 0, units?.xla[dtype] ?? 0);
};

/** Rounded once: results that need few digits are exact, and nothing but exact if whole numbers went in. */
const rounded = new Set(["add", "sub", "mul", "div", "sqrt"]);
const isCoarse = (v: number): boolean => Number.isInteger(64 * v) && Math.abs(v) < 2 ** 16;

/** Answers with 1 or −1. */
type Sign = () => number;

/** Another kind of number, which says that nothing is promised. */
const otherKind = (v: number): number => (Number.isNaN(v) ? 0 : NaN);
type Nudge = (out: Data, inputs: readonly Data[], sign: Sign, exactToo: boolean) => void;

/** Random changes within the promises, in place. */
function nudgeOf(node: Tensor): Nudge | undefined {
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
  return (out, inputs, next, exactToo) => {
    const scale = magnitudes(inputs);
    // Which element of a window with NaN is chosen is not promised, nor, on onnx, the largest of both infinities.
    const anywhere = pools.has(name) && name !== "maxPool" && (inputs[0] as Float32Array).some(Number.isNaN);
    const both = name === "maxPool" && [Infinity, -Infinity].every((v) => inputs[0].includes(v));
    for (let i = 0; i < out.length; i++) {
      const size = Math.max(Math.abs(out[i]), scale?.[i] ?? 0, nearOne.has(name) ? 1 : 0);
      const sign = next();
      if (size > largestOf(dtype) && scale && scale[i] > largestOf(dtype)) out[i] = otherKind(out[i]);
      else if (inPadding && !Number.isFinite(out[i])) out[i] = 0;
      else if (anywhere || (both && out[i] === Infinity)) out[i] = otherKind(out[i]);
      else if (
        Number.isFinite(out[i]) &&
        units > 0 &&
        (scale || !(out[i] === 0 || (rounds && !exactToo && isCoarse(out[i]))))
      )
        out[i] += sign * units * unitOf(size, dtype);
      if (Math.abs(out[i]) < smallestNormal(dtype) && sign < 0) out[i] = 0;
      if (out[i] === 0) out[i] = sign * 0;
    }
  };
}

export interface Allowed {
  readonly wanted: Data;
  /** How far from it; NaN where nothing is promised. */
  readonly within: Float64Array;
}

/** Samples come in pairs of opposite signs, so that a value on the edge of a decision falls to both sides. */
const samples = 10;

export function allowed(program: Program, inputs: readonly NdArray[], seed: number): Allowed[] {
  // ONNX Runtime's GridSample rounds coordinates that are exact as its expansion computes them.
  const grids = topological(program.outputs).some(({ op }) => op.name === "gridSample");
  const { inputs: nodes, outputs } = lower(program, (node) => node.op.reference !== undefined);
  const given = new Map(nodes.map((node, i) => [node, inputs[i].data]));
  const order = topological(outputs)
    .filter((node) => !given.has(node))
    .map((node) => ({ node, kernel: node.op.reference!(node), nudge: nudgeOf(node) }));
  const run = (sign?: Sign, exactToo = false): Data[] => {
    const values = new Map<Tensor, Data>(given);
    for (const { node, kernel, nudge } of order) {
      const out = allocate(node.dtype, node.size);
      const args = node.inputs.map((i) => values.get(i)!);
      kernel(out, ...args);
      if (sign) nudge?.(out, args, sign, exactToo);
      values.set(node, out);
    }
    return outputs.map((node) => values.get(node)!);
  };
  const wanted = run();
  const within = outputs.map((node, k) =>
    Float64Array.from(wanted[k], (v) =>
      isFloat(node.dtype) && Number.isFinite(v) ? 2 * unitOf(v, node.dtype) + smallestNormal(node.dtype) : 0,
    ),
  );
  for (let s = 0; s < samples; s++) {
    const draw = new Draw(seed + (s >> 1));
    const side = s % 2 === 0 ? 1 : -1;
    for (const [k, out] of run(() => (draw.chance(2) ? side : -side), grids && s % 4 > 1).entries()) {
      for (let i = 0; i < out.length; i++) {
        const [w, v] = [wanted[k][i], out[i]];
        if (w === v || (Number.isNaN(w) && Number.isNaN(v))) continue;
        const off = isFloat(outputs[k].dtype) ? 8 * Math.abs(w - v) : NaN;
        within[k][i] = Number.isFinite(off) ? Math.max(within[k][i], off) : NaN;
      }
    }
  }
  return wanted.map((data, k) => ({ wanted: data, within: within[k] }));
}

/** The first element that is not within what is allowed, in words, and how many are promised at all. */
export function beyond({ wanted, within }: Allowed, got: Data): { promised: number; found?: string } {
  let promisedElements = 0;
  for (let i = 0; i < wanted.length; i++) {
    if (Number.isNaN(within[i])) continue;
    promisedElements++;
    const [w, g] = [wanted[i], got[i]];
    if (w === g || (Number.isNaN(w) && Number.isNaN(g)) || Math.abs(w - g) <= within[i]) continue;
    return { promised: promisedElements, found: `element ${i} is ${g} instead of ${w} ± ${within[i]}` };
  }
  return { promised: promisedElements };
}
