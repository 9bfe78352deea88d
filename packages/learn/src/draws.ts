// The source of initial numbers. A model draws them in a fixed order, so a stream compatible with another library gives
// that library's initial weights.
import { type NdArray, random, type Shape } from "@pliant/engine";

/** The source of a model's initial numbers. */
export interface Draws {
  /** Numbers in [low, high), in row-major order of the shape. */
  uniform(shape: Shape, low: number, high: number): NdArray;
}

/** Numbers from the engine's generator: each call folds its index into the key. */
export function keyed(key: random.Key): Draws {
  let calls = 0;
  return {
    uniform: (shape, low, high) => random.uniform(random.foldIn(key, calls++), shape, { low, high }),
  };
}
