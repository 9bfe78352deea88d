// The reference back end: plain TypeScript, no dependency, runs in a page. It is the oracle for the others.
import type { Backend, Executable } from "../backend.js";
import { allocate, type Data } from "../dtype.js";
import { EngineError } from "../errors.js";
import { type Program, topological } from "../graph.js";
import { NdArray, type Stored } from "../ndarray.js";
import { lower, rebuild } from "../passes.js";
import { inputOp, isConstant, type Kernel, type Op, type Tensor } from "../tensor.js";
import { untransposed } from "./columns.js";

type Run = (inputs: readonly Data[], results: readonly Data[]) => void;

/**
 * Turns a program into a list of kernels over numbered memory. Intermediate arrays are allocated once and reused as
 * soon as their last reader has run; results go where the caller says.
 */
export function prepare(program: Program): Run {
  const lowered = lower(program, (node) => node.op.reference !== undefined);
  const { inputs, outputs } = rebuild(lowered, untransposed);
  const order = topological(outputs);
  const given = new Map(inputs.map((node, i) => [node, i]));
  const lastUse = new Map<Tensor, number>();
  for (const [at, node] of order.entries()) for (const i of node.inputs) lastUse.set(i, at);

  const memory = new Map<Tensor, Data>();
  const free: Data[] = [];
  const steps: { kernel: Kernel; node: Tensor }[] = [];
  const results = new Set(outputs);
  for (const [at, node] of order.entries()) {
    if (isConstant(node)) {
      // A copy: the executable may serve another function, and this one's caller may write into the array.
      memory.set(node, node.attrs.value.data.slice());
      continue;
    }
    if ((node.op as Op) === (inputOp as Op)) {
      if (!given.has(node))
        throw new EngineError("A tensor of another traced function was used; pass it as an argument.");
      continue;
    }
    const kernel = node.op.reference!(node);
    if (!results.has(node)) {
      const spare = free.findIndex((d) => d.length === node.size && sameKind(d, node));
      memory.set(node, spare < 0 ? allocate(node.dtype, node.size) : free.splice(spare, 1)[0]);
    }
    steps.push({ kernel, node });
    for (const i of new Set(node.inputs)) {
      const own = memory.get(i);
      if (own && !isConstant(i) && lastUse.get(i) === at) free.push(own);
    }
  }
  // Operands by number: memory of its own first, then what a call brings.
  const places = new Map<Tensor, number>([...memory.keys()].map((node, i) => [node, i]));
  const own = [...memory.values()];
  const placeOf = (node: Tensor): number => {
    const place = places.get(node) ?? places.size;
    places.set(node, place);
    return place;
  };
  const brought = [...given].map(([node, argument]) => ({ place: placeOf(node), argument }));
  const asked = outputs.map((node, result) => ({ isNew: !places.has(node), place: placeOf(node), result }));
  const calls = steps.map(({ kernel, node }) => {
    const [to, ...from] = [node, ...node.inputs].map(placeOf);
    return { kernel, to, from };
  });
  return (args, into) => {
    const at = own.slice();
    for (const { place, argument } of brought) at[place] = args[argument];
    for (const { isNew, place, result } of asked) if (isNew) at[place] = into[result];
    for (const { kernel, to, from } of calls) {
      if (from.length === 1) kernel(at[to], at[from[0]]);
      else if (from.length === 2) kernel(at[to], at[from[0]], at[from[1]]);
      else kernel(at[to], ...from.map((place) => at[place]));
    }
    for (const { place, result } of asked) if (at[place] !== into[result]) into[result].set(at[place]);
  };
}

const sameKind = (data: Data, { dtype }: Tensor): boolean =>
  data.constructor === allocate(dtype, 0).constructor;

/** Fresh arrays for a program's results. */
const blank = ({ outputs }: Program): NdArray[] =>
  outputs.map(({ shape, dtype, size }) => new NdArray(allocate(dtype, size), shape, dtype));

const dataOf = (arrays: readonly NdArray[]): Data[] => arrays.map(({ data }) => data);

/** Plain TypeScript: runs everywhere, in float32 and float64, on one thread. The other back ends are compared with it. */
export function reference(): Backend {
  return {
    name: "reference",
    put: (value) => value,
    async compile(program): Promise<Executable> {
      const run = prepare(program);
      return {
        async run(inputs: readonly Stored[]) {
          const arrays = await Promise.all(inputs.map((i) => i.read()));
          const results = blank(program);
          run(dataOf(arrays), dataOf(results));
          return results;
        },
        bind: (inputs, results) => async () => run(dataOf(inputs), results),
        release() {},
      };
    },
    async close() {},
  };
}

/** The contents of tensors that depend on no input, worked out at once. */
export function evaluateAll(outputs: readonly Tensor[]): NdArray[] {
  const program = { inputs: [], outputs };
  const results = blank(program);
  prepare(program)([], dataOf(results));
  return results;
}
