// How close results must be to a function's: element by element, within what the promised roundings can have moved each of them.
import { leaves, type NdArray } from "@pliant/engine";
import { trace } from "../src/compile.js";
import { judge } from "./fuzz/judge.js";

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
  for (const [k, { path, dtype, shape }] of got.entries()) {
    const wanted = program.outputs[k];
    if (dtype !== wanted.dtype || shape.join() !== wanted.shape.join())
      return `${path} is ${dtype}[${shape}] instead of ${wanted.dtype}[${wanted.shape}]`;
  }
  const { elements, promised, found } = judge(
    program,
    inputs,
    got.map((x) => x.data),
  );
  if (found) return `${got[found.output].path}: ${found.what}`;
  return 2 * promised < elements ? `only ${promised} of ${elements} elements are promised` : undefined;
}
