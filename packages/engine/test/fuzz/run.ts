// Runs random programs on a back end and counts those that differ from the reference by more than is promised.
import { type Backend, type NdArray, print } from "@pliant/engine";
import { isFloat } from "../../src/dtype.js";
import { smallestNormal } from "../edges/units.js";
import { filled } from "../edges/values.js";
import { judge } from "./judge.js";
import { type Fuzzed, fuzzed, type Growth, together } from "./program.js";

export interface Tally {
  programs: number;
  /** Programs with something the back end says it does not have. */
  refused: number;
  elements: number;
  /** Elements for which something is promised. */
  promised: number;
  disagreements: string[];
}

/** XLA takes numbers below the smallest normal one for 0. */
const flushed = (x: NdArray): NdArray => {
  let i = 0;
  const least = smallestNormal(x.dtype);
  return filled(x.shape, x.dtype, () => (Math.abs(x.data[i++]) < least ? 0 : x.data[i - 1]));
};

const inputsOf = ({ inputs }: Fuzzed, { name }: Backend): readonly NdArray[] =>
  name === "xla" ? inputs.map((x) => (isFloat(x.dtype) ? flushed(x) : x)) : inputs;

/** Results of several programs; one by one where they cannot be run together. */
async function resultsOf(all: readonly Fuzzed[], backend: Backend): Promise<(NdArray[] | Error)[]> {
  try {
    const executable = await backend.compile(together(all));
    const stored = await executable.run(all.flatMap((p) => inputsOf(p, backend)));
    const results = await Promise.all(stored.map((s) => s.read()));
    executable.release();
    let to = 0;
    return all.map(({ program }) => {
      to += program.outputs.length;
      return results.slice(to - program.outputs.length, to);
    });
  } catch (reason) {
    if (all.length === 1) return [reason as Error];
    return (await Promise.all(all.map((one) => resultsOf([one], backend)))).flat();
  }
}

function count(one: Fuzzed, got: NdArray[] | Error, backend: Backend, tally: Tally): void {
  tally.programs++;
  const say = (what: string): void => {
    tally.disagreements.push(`seed ${one.seed} on ${backend.name}: ${what}\n${print(one.program)}`);
  };
  if (got instanceof Error) {
    if (got.message.includes("is not available on the onnx back end")) tally.refused++;
    else say(got.message);
    return;
  }
  const data = got.map((x) => x.data);
  const { elements, promised, found } = judge(one.program, inputsOf(one, backend), data, {
    seed: one.seed,
    many: 96,
  });
  tally.elements += elements;
  tally.promised += promised;
  if (found) say(`output ${found.output}: ${found.what}`);
}

const batch = 20;

export const seedsFrom = (seed: number, programs: number): number[] =>
  Array.from({ length: programs }, (_, i) => (Math.imul(seed, 0x9e3779b1) + i) | 0);

/** Runs the program of each seed. */
export async function fuzz(
  backend: Backend,
  seeds: readonly number[],
  progress?: (t: Tally) => void,
  growth: Growth = {},
): Promise<Tally> {
  const tally: Tally = { programs: 0, refused: 0, elements: 0, promised: 0, disagreements: [] };
  for (let from = 0; from < seeds.length; from += batch) {
    const all: Fuzzed[] = [];
    for (const own of seeds.slice(from, from + batch)) {
      try {
        const one = fuzzed(own, growth);
        if (one.program.outputs.length > 0) all.push(one);
      } catch (reason) {
        tally.disagreements.push(`seed ${own} cannot be traced: ${(reason as Error).message}`);
      }
    }
    const results = await resultsOf(all, backend);
    for (const [i, one] of all.entries()) count(one, results[i], backend, tally);
    progress?.(tally);
  }
  return tally;
}
