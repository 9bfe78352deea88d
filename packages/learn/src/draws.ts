// Where initial numbers come from. A model asks for its numbers in a fixed order, so another source in this place (a stream
// compatible with another library) gives that library's initial weights.
import { type NdArray, random, type Shape } from "@pliant/engine";

/** Where the initial numbers of a model come from. */
export interface Draws {
  /** Numbers in [low, high), in row-major order of the shape. */
  uniform(shape: Shape, low: number, high: number): NdArray;
}

/** The engine's numbers: each call folds its own number into the key. */
export function keyed(key: random.Key): Draws {
  let calls = 0;
  return {
    uniform: (shape, low, high) => random.uniform(random.foldIn(key, calls++), shape, { low, high }),
  };
}
