// Runs one use of an operation on a back end and on the reference and says where they differ by more than is promised.
import { type Backend, compile, type DType, NdArray, readAll, type Tensor } from "@pliant/engine";
import { allocate, isFloat } from "../../src/dtype.js";
import { type Tested, unitsOf } from "./promises.js";
import { difference, largestOf, smallestNormal } from "./units.js";
import type { Edge } from "./use.js";

/** Sums, whose rounding is that of their terms: the operation itself, of magnitudes, gives the scale. */
const sums = new Set("sum mean cumsum matmul einsum conv2d avgPool scatterAdd gridSample prod".split(" "));
/** Logarithms of sums and waves, which are rounded on the scale of 1. */
const nearOne = new Set(["logSumExp", "logSoftmax", "sin", "cos"]);

const run = async (edges: readonly Edge[], inputs: readonly (readonly NdArray[])[], backend?: Backend) => {
  const all = compile((given: Tensor[][]) => edges.map(({ fn }, i) => fn(given[i])), { backend });
  return (await readAll(await all(inputs as never))) as NdArray[];
};

const mapped = ({ data, shape, dtype }: NdArray, f: (v: number) => number, to: DType = dtype): NdArray => {
  const out = allocate(to, data.length);
  for (let i = 0; i < data.length; i++) out[i] = f(data[i]);
  return new NdArray(out, shape, to);
};

/** The sums of the terms' magnitudes, without NaN. */
async function scalesOf(edges: readonly Edge[], inputs: readonly (readonly NdArray[])[]): Promise<NdArray[]> {
  const magnitudes = edges.map(({ operation }, i) =>
    inputs[i].map((x, k) => {
      if (!isFloat(x.dtype) || (operation === "gridSample" && k === 1)) return x;
      return mapped(x, (v) => (Number.isFinite(v) ? Math.abs(v) : 0), "float64");
    }),
  );
  const grids = edges.map(({ operation }, i) =>
    operation === "gridSample"
      ? [magnitudes[i][0], mapped(inputs[i][1], (v) => v, "float64")]
      : magnitudes[i],
  );
  return run(edges, grids);
}

/** The sentences for what differs. */
export async function disagreements(all: readonly Edge[], backend: Backend): Promise<string[]> {
  const name = backend.name as Tested;
  const inputs = all.map(({ inputs }) => (name === "xla" ? inputs.map(flushed) : inputs));
  const [wanted, got] = [await run(all, inputs), await run(all, inputs, backend)];
  const summed = all.filter(({ operation }) => sums.has(operation));
  const scales = new Map(
    (
      await scalesOf(
        summed,
        all.flatMap((e, i) => (sums.has(e.operation) ? [inputs[i]] : [])),
      )
    ).map((scale, i) => [summed[i], scale.data] as const),
  );
  return all.flatMap((edge, i) => {
    const scale = nearOne.has(edge.operation)
      ? new Float64Array(wanted[i].size).fill(1)
      : isFloat(wanted[i].dtype)
        ? scales.get(edge)
        : undefined;
    const found = difference(wanted[i], got[i], {
      units: unitsOf(edge.operation, name, wanted[i].dtype),
      scale,
      accepts: (w, g, k) =>
        // Which zero, and what is smaller than any normal number, is not promised.
        w === g ||
        Math.abs(w - g) < smallestNormal(wanted[i].dtype) ||
        // Nor where a sum's terms add up to more than the dtype holds.
        (scale?.[k] ?? 0) > largestOf(wanted[i].dtype) ||
        // Nor, on onnx, the largest of a window with both infinities.
        (edge.operation === "maxPool" && name === "onnx" && w === Infinity && Number.isNaN(g)),
    });
    return found ? [`${edge.title}: ${found}`] : [];
  });
}

/** XLA takes numbers below the smallest normal one for 0. */
const flushed = (x: NdArray): NdArray =>
  isFloat(x.dtype) ? mapped(x, (v) => (Math.abs(v) < smallestNormal(x.dtype) ? 0 : v)) : x;
