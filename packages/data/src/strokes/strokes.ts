// strokes: handwritten-like digits, generated. For tests, demos and machines without a network.

import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";
import type { Dataset, ImageSet } from "../dataset.js";
import { type Dice, SEGMENT, write } from "./hand.js";
import { draw, SIDE } from "./ink.js";
import { skeletons } from "./skeletons.js";

/** How many digits to draw, and from which seed; default: 10,000 and 2,000. */
export interface StrokesOptions {
  /** How many images to train on. */
  train?: number;
  /** How many images to test on. */
  test?: number;
  seed?: number;
}

const classes = skeletons.map((_, digit) => String(digit));
const PIXELS = SIDE * SIDE;
/** More than any skeleton needs. */
const MOST_SEGMENTS = 160;
/** Numbers drawn for a writing, more than any needs. */
const MOST_DRAWS = 80;

/**
 * Grey digits of 28 × 28 in ten classes of equal size. Image i depends on the seed and i alone: a smaller set is the
 * beginning of a larger one.
 */
export function strokes({ train = 10_000, test = 2_000, seed = 0 }: StrokesOptions = {}): Dataset {
  for (const [name, value] of Object.entries({ train, test, seed })) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new InputError(`strokes: ${name} is a whole number of at least 0, not ${value}.`);
  }
  const [trainKey, testKey] = random.split(random.key(seed));
  return { name: "strokes", train: generate(train, trainKey), test: generate(test, testKey) };
}

function generate(count: number, key: random.Key): ImageSet {
  const pixels = new Uint8Array(count * PIXELS);
  const labels = new Uint8Array(count);
  const ink = new Float32Array(PIXELS);
  const segments = new Float64Array(SEGMENT * MOST_SEGMENTS);
  let order: ArrayLike<number> = [];
  for (let i = 0; i < count; i++) {
    // Every ten images hold every digit once.
    if (i % 10 === 0) order = random.permutation(random.foldIn(key, i), 10).data;
    const digit = order[i % 10];
    const own = random.split(random.foldIn(key, i), 3);
    const dice = diceOf(own[0], own[1]);
    const styles = skeletons[digit];
    const style = styles[Math.floor(dice.between(0, styles.length))];
    ink.fill(0);
    draw(write(style, dice, segments), dice.between(0.9, 1.5), ink);
    develop(ink, dice.between(0.75, 1), own[2], pixels.subarray(i * PIXELS, (i + 1) * PIXELS));
    labels[i] = digit;
  }
  return { pixels, shape: [count, 1, SIDE, SIDE], labels, classes };
}

function diceOf(uniformKey: random.Key, normalKey: random.Key): Dice {
  const u = random.uniform(uniformKey, [MOST_DRAWS]).data;
  const z = random.normal(normalKey, [MOST_DRAWS]).data;
  let nextU = 0;
  let nextZ = 0;
  return {
    between: (low, high) => low + u[nextU++] * (high - low),
    normal: (std) => z[nextZ++] * std,
  };
}

/** Ink to grey: a contrast, and a little noise that differs from pixel to pixel. */
function develop(ink: Float32Array, contrast: number, key: random.Key, pixels: Uint8Array): void {
  const words = random.bits(key, PIXELS / 4);
  for (let i = 0; i < PIXELS; i++) {
    const byte = (words[i >> 2] >>> (8 * (i & 3))) & 255;
    const noise = (byte - 127.5) / 127.5;
    pixels[i] = Math.min(255, Math.max(0, Math.round(255 * contrast * ink[i] + 8 * noise)));
  }
}
