// How many threads a program is worth. The runtime shares out one operation at a time, and its threads wait for the next one at
// full speed: where operations worth sharing out are not most of the work the second thread has little to do, keeps a processor
// busy with it, and, where others want that processor, holds up every operation until it gets it back.
import { type Program, topological } from "../../graph.js";
import type { Tensor } from "../../tensor.js";

/** Elements worth sharing out: some tens of microseconds. */
const shared = 100_000;
/** The fixed cost of an operation, in elements: a few microseconds. */
const start = 10_000;
/** Products of elements done in the time of one element by itself. */
const products = 20;

/**
 * OMP_NUM_THREADS, as in other numerical programs; otherwise the processors that this process may use: the runtime counts
 * the machine's, also those it was kept from.
 */
export function usualThreads(): number | undefined {
  const { process } = globalThis;
  const told = Number(process?.env?.OMP_NUM_THREADS);
  return Number.isInteger(told) && told > 0
    ? told
    : process?.getBuiltinModule?.("node:os").availableParallelism();
}

/** Whether most of what a program does is done by operations that are worth sharing out. */
export function isMostlyLarge(program: Program): boolean {
  const { large, small } = workOf(program);
  return large > small;
}

/** In elements, by whether the operations that do it are worth sharing out. */
function workOf({ outputs }: Program): { large: number; small: number } {
  let [large, small] = [0, 0];
  for (const node of topological(outputs)) {
    const bodies = Object.values(node.attrs ?? {}).filter(isProgram);
    for (const inside of bodies.map(workOf)) {
      large += inside.large;
      small += inside.small;
    }
    if (bodies.length > 0 || node.inputs.length === 0) continue;
    const work = elementsOf(node);
    if (work > shared) large += work;
    else small += work + start;
  }
  return { large, small };
}

function elementsOf({ op, size, inputs: [a, b] }: Tensor): number {
  if (op.elementwise) return size;
  // The work of a product [m, k] · [k, n] is m·k·n; that of other contractions is of the same order.
  if (b) return Math.sqrt(a.size * b.size * size) / products;
  return size < a.size ? a.size : 0;
}

/** The body of a loop and the branches of a condition are programs of their own. */
const isProgram = (x: unknown): x is Program =>
  typeof x === "object" && x !== null && "inputs" in x && "outputs" in x;
