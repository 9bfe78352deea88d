// Every operation there is and how it is called: by a line here, or as the number of its operands suggests. All tests of all
// operations take them from here.
import { ShapeError, type Tensor } from "@pliant/engine";
import * as derived from "../../src/derived/index.js";
import * as primitive from "../../src/ops/index.js";
import * as statistics from "../../src/statistics.js";
import { derivedCalls } from "./derived.js";
import { type Call, Draw } from "./draw.js";
import { guess } from "./guess.js";
import { layerCalls } from "./layers.js";
import { primitiveCalls } from "./primitives.js";

export type Calls = Readonly<Record<string, Call>>;

/** Those that make arrays of numbers, not tensors of tensors. */
const constructors = "arange eye linspace logspace ones zeros".split(" ");

const all: Readonly<Record<string, unknown>> = { ...derived, ...statistics, ...primitive };
const functions = Object.entries(all).filter(
  (entry): entry is [string, (...xs: Tensor[]) => unknown] =>
    typeof entry[1] === "function" && !constructors.includes(entry[0]),
);

const known: Calls = { ...primitiveCalls, ...derivedCalls, ...layerCalls };

export const calls: Calls = Object.fromEntries(
  functions.map(([name, operation]) => [name, known[name] ?? guess(name, operation)]),
);

/** The operations that no hand has written edges and cases for: those tests draw their calls. */
export const isPrimitive = (name: string): boolean => name in primitive;

/** The share of the draws that the operation takes. */
export function acceptance(name: string): number {
  const draws = 40;
  let taken = 0;
  for (let seed = 0; seed < draws; seed++) {
    try {
      calls[name](new Draw(seed));
      taken++;
    } catch (reason) {
      if (!(reason instanceof ShapeError)) throw reason;
    }
  }
  return taken / draws;
}
