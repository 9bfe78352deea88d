// The back ends that everything here must run on, and arrays to run it with.
import { type Backend, NdArray, random, reference, type Shape } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { xla } from "@pliant/engine/xla";

/** On whatever device a plugin drives; absent where there is none. */
const compiler = await xla({ precision: "float32", preallocate: false }).catch((reason: Error) => {
  console.log(`Skipped on xla: ${reason.message}`);
  return undefined;
});

export const backends: { name: string; backend: () => Promise<Backend> }[] = [
  { name: "reference", backend: async () => reference() },
  { name: "onnx", backend: () => onnx() },
  ...(compiler ? [{ name: "xla", backend: async () => compiler }] : []),
];

/** Uniform numbers in −1 … 1 by default. */
export const numbers = (
  seed: number,
  shape: Shape,
  { low = -1, high = 1, dtype = "float32" }: random.UniformOptions = {},
): NdArray => random.uniform(random.key(seed), shape, { low, high, dtype });

export const doubles = ({ data, shape }: NdArray): NdArray => new NdArray(Float64Array.from(data), shape);

/** The largest difference of two arrays of one shape. */
export function distance(a: NdArray, b: NdArray): number {
  if (`${a.shape}` !== `${b.shape}`) return Number.POSITIVE_INFINITY;
  return Array.from(a.data, (v, i) => Math.abs(v - b.data[i])).reduce((x, y) => Math.max(x, y), 0);
}
