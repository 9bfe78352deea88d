// The four element types, and how each is stored on the host.

/** The types of array elements. */
export type DType = "float32" | "float64" | "int32" | "bool";
/** The sizes of an array along its axes; `[]` is a scalar. */
export type Shape = readonly number[];
/** The numbers of an array in row-major order; of `bool` 0 and 1 in a Uint8Array. */
export type Data = Float32Array | Float64Array | Int32Array | Uint8Array;

const storage = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  bool: Uint8Array,
} as const;

export const dtypes = Object.keys(storage) as DType[];
export const isFloat = (dtype: DType): boolean => dtype === "float32" || dtype === "float64";
export const bytesPerElement = (dtype: DType): number => storage[dtype].BYTES_PER_ELEMENT;

/** Zero-filled storage. */
export function allocate(dtype: DType, size: number): Data {
  return new storage[dtype](size);
}

/** The dtype whose storage this is, if it is one's. */
export function dtypeOf(data: ArrayBufferView): DType | undefined {
  return dtypes.find((dtype) => data instanceof storage[dtype]);
}
