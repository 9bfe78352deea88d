// The reference back end: plain TypeScript, no dependency, runs in a page. It is the oracle for the others.
import type { Backend, Executable } from "../backend.js";
import { allocate, type Data } from "../dtype.js";
import { EngineError } from "../errors.js";
import { type Program, topological } from "../graph.js";
import { NdArray, type Stored } from "../ndarray.js";
import { lower } from "../passes.js";
import { inputOp, isConstant, type Op, type Tensor } from "../tensor.js";

type Run = (inputs: readonly Data[], into: readonly (Data | undefined)[]) => Data[];

/**
 * Turns a program into a list of kernels over numbered memory. Intermediate arrays are allocated once and reused as
 * soon as their last reader has run; results are fresh at every run, since callers keep them.
 */
export function prepare(program: Program): Run {
  const { inputs, outputs } = lower(program, (node) => node.op.reference !== undefined);
  const order = topological(outputs);
  const given = new Map(inputs.map((node, i) => [node, i]));
  const lastUse = new Map<Tensor, number>();
  for (const [at, node] of order.entries()) for (const i of node.inputs) lastUse.set(i, at);

  const memory = new Map<Tensor, Data>();
  const free: Data[] = [];
  const steps: ((results: Map<Tensor, Data>) => void)[] = [];
  const results = new Set(outputs);
  for (const [at, node] of order.entries()) {
    if (isConstant(node)) {
      memory.set(node, node.attrs.value.data);
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
    steps.push((bound) => {
      const find = (t: Tensor): Data => memory.get(t) ?? bound.get(t)!;
      kernel(find(node), ...node.inputs.map(find));
    });
    for (const i of new Set(node.inputs)) {
      const own = memory.get(i);
      if (own && !isConstant(i) && lastUse.get(i) === at) free.push(own);
    }
  }
  return (args, into) => {
    const bound = new Map<Tensor, Data>();
    for (const [node, i] of given) bound.set(node, args[i]);
    for (const [i, node] of outputs.entries()) {
      if (!bound.has(node) && !memory.has(node)) bound.set(node, into[i] ?? allocate(node.dtype, node.size));
    }
    for (const step of steps) step(bound);
    return outputs.map((node, i) => {
      const made = bound.get(node) ?? memory.get(node)!;
      if (into[i] === undefined || into[i] === made) return made;
      into[i].set(made);
      return into[i];
    });
  };
}

const sameKind = (data: Data, { dtype }: Tensor): boolean =>
  data.constructor === allocate(dtype, 0).constructor;

/** Results of a run as arrays. */
const wrap = (program: Program, data: readonly Data[]): NdArray[] =>
  program.outputs.map(({ shape, dtype }, i) => new NdArray(data[i], shape, dtype));

export function reference(): Backend {
  return {
    name: "reference",
    put: (value) => value,
    async compile(program): Promise<Executable> {
      const run = prepare(program);
      return {
        async run(inputs: readonly Stored[], into = []) {
          const arrays = await Promise.all(inputs.map((i) => i.read()));
          return wrap(
            program,
            run(
              arrays.map((a) => a.data),
              into,
            ),
          );
        },
        release() {},
      };
    },
    async close() {},
  };
}

/** The contents of tensors that depend on no input, worked out at once. */
export function evaluateAll(outputs: readonly Tensor[]): NdArray[] {
  const program = { inputs: [], outputs };
  return wrap(program, prepare(program)([], []));
}
