// How far from zero the initial weights and biases of a layer reach; they are uniform between the two bounds.
// Read: Glorot & Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010); He et al.,
// "Delving deep into rectifiers" (2015).

import { unknownName } from "@pliant/core";
import { full, type NdArray, type Shape } from "@pliant/engine";
import type { Draws } from "./draws.js";

/** Inputs of one output unit, and output units one input reaches. */
export interface Fans {
  readonly fanIn: number;
  readonly fanOut: number;
}

/** Half the width of the interval; 0 where all start at zero. */
export interface Bounds {
  readonly weight: number;
  readonly bias: number;
}

const rules = {
  /** ±1/√fan-in for both: the default of PyTorch's layers. */
  fanIn: ({ fanIn }: Fans): Bounds => ({ weight: 1 / Math.sqrt(fanIn), bias: 1 / Math.sqrt(fanIn) }),
  /** Keeps the variance of signals and gradients through tanh. */
  glorot: ({ fanIn, fanOut }: Fans): Bounds => ({ weight: Math.sqrt(6 / (fanIn + fanOut)), bias: 0 }),
  /** Keeps the variance of signals through relu. */
  he: ({ fanIn }: Fans): Bounds => ({ weight: Math.sqrt(6 / fanIn), bias: 0 }),
};

/** How far from 0 initial weights reach: `fanIn` as PyTorch's layers, `glorot` for tanh, `he` for relu. */
export type Initialiser = keyof typeof rules;

/** The weight first, then the bias. Bounds of zero draw nothing. */
export function drawAffine(
  draws: Draws,
  { weight, bias, initialiser }: { weight: Shape; bias: Shape; initialiser: Initialiser },
  fans: Fans,
): { weight: NdArray; bias: NdArray } {
  if (!Object.hasOwn(rules, initialiser))
    throw unknownName("an initialiser", initialiser, Object.keys(rules));
  const bounds = rules[initialiser](fans);
  const draw = (shape: Shape, bound: number): NdArray =>
    bound === 0 ? full(shape, 0) : draws.uniform(shape, -bound, bound);
  return { weight: draw(weight, bounds.weight), bias: draw(bias, bounds.bias) };
}
