// Runs a stack of models one after another, each on its own pieces of the whole program's memory.
import type { Executable } from "../../backend.js";
import { allocate, type Data } from "../../dtype.js";
import { type Program, topological } from "../../graph.js";
import { NdArray } from "../../ndarray.js";
import { convKernelOp, convOp } from "../../ops/conv.js";
import { is, type Tensor } from "../../tensor.js";
import { type Unstacked, unstack } from "../../unstack.js";

/** A program that runs on preallocated memory. */
export type Bound = Required<Pick<Executable, "bind" | "release">>;

/** The numbers of groups of its grouped convolutions. */
const groupsIn = ({ outputs }: Program): number[] =>
  topological(outputs).flatMap((node) =>
    (is(node, convOp) || is(node, convKernelOp)) && node.attrs.groups > 1 ? [node.attrs.groups] : [],
  );

/** A stack of models with convolutions: the runtime's grouped ones are slow, and what they make is large. */
export function modelsOf(program: Program): Unstacked | undefined {
  const groups = groupsIn(program);
  if (groups.length === 0) return undefined;
  const leading = new Set(program.inputs.map(({ shape }) => shape[0]));
  const counts = [...leading].filter((n) => n > 1 && groups.every((g) => g % n === 0));
  for (const models of counts.sort((a, b) => b - a)) {
    const found = unstack(program, models);
    // Nor is it worth it where convolutions are left to be done together.
    if (found && groupsIn(found.rest).length === 0) return found;
  }
  return undefined;
}

const piece = (data: Data, models: number, i: number): Data => {
  const size = data.length / models;
  return data.subarray(i * size, (i + 1) * size);
};

export async function stackOf(
  { models, one, stacked, parts, rest, restReads, outputs }: Unstacked,
  compile: (program: Program) => Promise<Bound>,
): Promise<Bound> {
  const [each, all] = [await compile(one), rest.outputs.length > 0 ? await compile(rest) : undefined];
  const partOf = ({ data, dtype }: NdArray, like: Tensor, i: number): NdArray =>
    new NdArray(piece(data, models, i), like.shape, dtype);
  return {
    bind(inputs, results) {
      const written = new Map(outputs.map(({ part }, k) => [part, results[k]]));
      const made = parts.map(
        ({ dtype, shape, size }, k) => new NdArray(written.get(k) ?? allocate(dtype, size), shape, dtype),
      );
      const calls = Array.from({ length: models }, (_, i) =>
        each.bind(
          inputs.map((x, k) => (stacked[k] ? partOf(x, one.inputs[k], i) : x)),
          made.map(({ data }) => piece(data, models, i)),
        ),
      );
      const last = all?.bind(
        restReads.map((k) => [...inputs, ...made][k]),
        rest.outputs.map((_, k) => results[outputs.findIndex(({ rest }) => rest === k)]),
      );
      return async () => {
        for (const call of calls) await call();
        await last?.();
      };
    },
    release() {
      each.release();
      all?.release();
    },
  };
}
