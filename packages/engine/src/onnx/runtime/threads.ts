// How many threads a program is worth. The runtime shares out one operation at a time, and its threads wait for the next one at
// full speed: where no operation is large the second thread has nothing to do, keeps a processor busy with it, and, where others
// want that processor, holds up every operation until it gets it back.
import { type Program, topological } from "../../graph.js";
import type { Tensor } from "../../tensor.js";

/** Elements, and products of elements, that are worth sharing out: some tens of microseconds. */
const shared = { elements: 100_000, products: 2_000_000 };

/**
 * What OMP_NUM_THREADS says, as to other numerical programs; else the processors this process may run on: the runtime counts
 * the machine's, also those it was kept from.
 */
export function usualThreads(): number | undefined {
  const { process } = globalThis;
  const told = Number(process?.env?.OMP_NUM_THREADS);
  return Number.isInteger(told) && told > 0
    ? told
    : process?.getBuiltinModule?.("node:os").availableParallelism();
}

export const hasLargeOperations = ({ outputs }: Program): boolean => topological(outputs).some(isLarge);

function isLarge({ op, size, inputs, attrs }: Tensor): boolean {
  const bodies = Object.values(attrs ?? {}).filter(isProgram);
  if (bodies.length > 0) return bodies.some(hasLargeOperations);
  if (op.elementwise) return size > shared.elements;
  const [a, b] = inputs;
  // Of a product [m, k] · [k, n] this is m·k·n; of others that contract, of its order.
  if (b) return Math.sqrt(a.size * b.size * size) > shared.products;
  return a !== undefined && size < a.size && a.size > shared.elements;
}

/** What a loop repeats or a condition chooses is a program of its own. */
const isProgram = (x: unknown): x is Program =>
  typeof x === "object" && x !== null && "inputs" in x && "outputs" in x;
