// A random program of a few steps: its last values, and the gradient of their sum in its real inputs.
import { grad, type NdArray, ShapeError, type Tensor } from "@pliant/engine";
import { isFloat } from "../../src/dtype.js";
import type { Program } from "../../src/graph.js";
import { optimize } from "../../src/passes.js";
import { Draw } from "../calls/draw.js";
import { type Calls, calls } from "../calls/index.js";

export interface Fuzzed {
  readonly seed: number;
  readonly operations: readonly string[];
  readonly program: Program;
  readonly inputs: readonly NdArray[];
}

const mostElements = 400;

/** The operations of a random program, and its largest length. */
export interface Growth {
  readonly calls?: Calls;
  readonly most?: number;
}

/** Grows a program; steps that do not fit (a maximum of nothing, an axis that is not there) are left out. */
function grow(d: Draw, { calls: of = calls, most = 4 }: Growth): { ends: Tensor[]; operations: string[] } {
  const names = Object.keys(of);
  const operations: string[] = [];
  const ends: Tensor[] = [];
  for (let left = 1 + d.pick(most); left > 0; left--) {
    const name = d.among(names);
    try {
      const made = of[name](d);
      if (made.size > mostElements) continue;
      d.pool.push(made);
      ends.push(made);
      operations.push(name);
    } catch (reason) {
      if (!(reason instanceof ShapeError)) throw reason;
    }
  }
  return { ends, operations };
}

export function fuzzed(seed: number, growth: Growth = {}): Fuzzed {
  const draw = new Draw(seed);
  const { ends, operations } = grow(draw, growth);
  const { inputs } = draw;
  const real = [...inputs.keys()].filter((i) => isFloat(inputs[i].dtype));
  const loss = (params: Tensor[]): Tensor => {
    const given = inputs.map((x, i) => (real.includes(i) ? params[real.indexOf(i)] : x));
    const sums = grow(new Draw(seed, given), growth)
      .ends.filter((x) => isFloat(x.dtype))
      .map((x) => x.sum());
    return sums.reduce((a, b) => a.add(b));
  };
  const smooth = ends.some((x) => isFloat(x.dtype)) && real.length > 0;
  const gradients = smooth ? grad(loss)(real.map((i) => inputs[i])) : [];
  const contents = inputs.map((x) => draw.contents(x));
  return {
    seed,
    operations,
    program: optimize({ inputs, outputs: [...ends, ...gradients] }),
    inputs: contents,
  };
}

/** Several programs as one, which compiles in less time. */
export const together = (all: readonly Fuzzed[]): Program => ({
  inputs: all.flatMap(({ program }) => program.inputs),
  outputs: all.flatMap(({ program }) => program.outputs),
});
