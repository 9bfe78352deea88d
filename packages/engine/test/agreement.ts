// How close results must be to a function's: element by element, within what the promised roundings can have moved each of them.
import { leaves, type NdArray } from "@pliant/engine";
import { trace } from "../src/compile.js";
import { allowed, beyond } from "./fuzz/nudge.js";

/** Many: of hundreds of elements none may be off by more than eight times what the samples are. */
const samples = 24;

/**
 * The first element of the results that the function does not explain, in words; undefined where there is none. That most elements
 * are not promised at all is a disagreement too: nothing would be compared.
 */
export function disagreement(
  fn: (...args: never[]) => unknown,
  args: readonly unknown[],
  results: unknown,
): string | undefined {
  const inputs = leaves(args).map(({ leaf }) => leaf as NdArray);
  const { program } = trace(fn, args);
  const got = leaves(results).map(({ leaf, path }) => ({ ...(leaf as NdArray), path }));
  if (got.length !== program.outputs.length) return `${got.length} results of ${program.outputs.length}`;
  let [elements, promised] = [0, 0];
  for (const [k, bound] of allowed(program, inputs, 1, samples).entries()) {
    const { path, dtype, shape, data } = got[k];
    const wanted = program.outputs[k];
    if (dtype !== wanted.dtype || shape.join() !== wanted.shape.join())
      return `${path} is ${dtype}[${shape}] instead of ${wanted.dtype}[${wanted.shape}]`;
    const here = beyond(bound, data);
    if (here.found) return `${path}: ${here.found}`;
    elements += data.length;
    promised += here.promised;
  }
  return 2 * promised < elements ? `only ${promised} of ${elements} elements are promised` : undefined;
}
