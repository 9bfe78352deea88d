// State as text: JSON, arrays by their bytes.
import { NdArray } from "@pliant/engine";

const types = { float32: Float32Array, float64: Float64Array, int32: Int32Array } as const;

/** Plain data as text, arrays of numbers to the bit. */
export const encodePlain = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (!(inner instanceof NdArray)) return inner;
    const { buffer, byteOffset, byteLength } = inner.data;
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("base64");
    return { array: inner.dtype, shape: inner.shape, bytes };
  });

/** The way back from `encodePlain`. */
export const decodePlain = <T>(text: string): T =>
  JSON.parse(text, (_, inner: { array?: keyof typeof types; shape: number[]; bytes: string } | null) => {
    if (typeof inner !== "object" || inner === null || !("array" in inner)) return inner;
    const bytes = Buffer.from(inner.bytes, "base64");
    const data = new types[inner.array!](
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
    );
    return new NdArray(data, inner.shape);
  });
