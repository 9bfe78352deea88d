// How far apart two results are, element by element, in units of the last place of the dtype they are in.
import type { DType, NdArray } from "@pliant/engine";
import { isFloat } from "../../src/dtype.js";

interface Format {
  /** Bits after the leading one. */
  readonly bits: number;
  readonly smallestNormal: number;
  readonly largest: number;
}
const formats: Partial<Record<DType, Format>> = {
  float32: { bits: 23, smallestNormal: 2 ** -126, largest: 3.4028234663852886e38 },
  float64: { bits: 52, smallestNormal: 2 ** -1022, largest: Number.MAX_VALUE },
};

/** The distance from a number to the next of its dtype. */
export function unitOf(x: number, dtype: DType): number {
  const { bits, smallestNormal } = formats[dtype]!;
  const magnitude = Math.max(Math.abs(x), smallestNormal);
  // log2 may round up at the edge of a power, and at that of the largest.
  const power = 2 ** Math.min(Math.floor(Math.log2(magnitude)), 1023);
  return (power > magnitude ? power / 2 : power) * 2 ** -bits;
}

export const smallestNormal = (dtype: DType): number => formats[dtype]?.smallestNormal ?? 0;
export const largestOf = (dtype: DType): number => formats[dtype]?.largest ?? Infinity;

export interface Allowance {
  /** Units of the last place, of the result or of `scale` where that is larger. */
  readonly units: number;
  /** The size of what was summed, where the result is a sum. */
  readonly scale?: ArrayLike<number>;
  /** What else passes for equal. */
  readonly accepts?: (wanted: number, got: number, i: number) => boolean;
}

/** The first element in which two arrays differ by more than is allowed, in words; undefined where there is none. */
export function difference(wanted: NdArray, got: NdArray, allowed: Allowance): string | undefined {
  const { dtype, shape, data } = wanted;
  const { units, scale, accepts } = allowed;
  if (got.dtype !== dtype || got.shape.join() !== shape.join())
    return `${got.dtype}[${got.shape}] instead of ${dtype}[${shape}]`;
  for (let i = 0; i < data.length; i++) {
    const [w, g] = [data[i], got.data[i]];
    if (Object.is(w, g) || accepts?.(w, g, i)) continue;
    const off = isFloat(dtype)
      ? Math.abs(w - g) / unitOf(Math.max(Math.abs(w), scale?.[i] ?? 0), dtype)
      : Infinity;
    // Two zeros are 0 apart, and not equal.
    if (off > 0 && off <= units) continue;
    return `element ${i} is ${show(g)} instead of ${show(w)}, ${off.toPrecision(3)} units apart`;
  }
  return undefined;
}

const show = (v: number): string => (Object.is(v, -0) ? "-0" : String(v));
