// Concrete arrays on the host: inputs of compiled functions, and results read from them.
import { allocate, type Data, type DType, dtypeOf, dtypes, type Shape } from "./dtype.js";
import { EngineError } from "./errors.js";
import { checkShape, showShape, sizeOf } from "./shape.js";

/** An array that lies somewhere: on the host or on a device. Its contents never change. */
export interface Stored {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Brings the contents to the host. */
  read(): Promise<NdArray>;
}

export type Nested = number | boolean | readonly Nested[];

export class NdArray implements Stored {
  readonly data: Data;
  readonly shape: Shape;
  readonly dtype: DType;

  constructor(data: Data, shape: Shape, dtype: DType = storedType(data)) {
    if (storedType(data) !== dtype) {
      throw new EngineError(
        `array: ${kind(data)} does not store ${dtype}; array(values, { dtype }) converts.`,
      );
    }
    if (dtype === "bool") refuseOtherThanTruth(data);
    if (data.length !== sizeOf(checkShape("array", shape))) {
      throw new EngineError(
        `array: shape ${showShape(shape)} holds ${sizeOf(shape)} elements, got ${data.length}`,
      );
    }
    this.data = data;
    this.shape = shape;
    this.dtype = dtype;
  }

  get size(): number {
    return this.data.length;
  }

  read(): Promise<NdArray> {
    return Promise.resolve(this);
  }

  /** The only element of an array that has one. */
  item(): number {
    if (this.size !== 1)
      throw new EngineError(`item: an array of shape ${showShape(this.shape)} is not one number`);
    return this.data[0];
  }

  /** Nested plain arrays, as written in code. */
  toNested(): Nested {
    const build = (axis: number, offset: number): Nested => {
      if (axis === this.shape.length)
        return this.dtype === "bool" ? this.data[offset] !== 0 : this.data[offset];
      const stride = sizeOf(this.shape.slice(axis + 1));
      return Array.from({ length: this.shape[axis] }, (_, i) => build(axis + 1, offset + i * stride));
    };
    return build(0, 0);
  }
}

const kind = ({ constructor: { name } }: ArrayBufferView): string =>
  `${name.startsWith("I") ? "an" : "a"} ${name}`;

function storedType(data: ArrayBufferView): DType {
  const dtype = dtypeOf(data);
  if (dtype) return dtype;
  throw new EngineError(
    `array: ${kind(data)} is not storage of ${dtypes.join(", ")}; say which to make of it, as in array(values, { dtype: "float32" }).`,
  );
}

/** Bytes that are neither 0 nor 1 are pixels or counts, and as conditions would be neither true nor false. */
function refuseOtherThanTruth(data: Data): void {
  for (let i = 0; i < data.length; i++) {
    if (data[i] > 1) {
      throw new EngineError(
        `array: a Uint8Array holds bools, 0 or 1, and element ${i} is ${data[i]}; for numbers say array(values, { dtype: "float32" }), for "not 0" { dtype: "bool" }.`,
      );
    }
  }
}

/** Any numbers as storage of a dtype; those an int32 does not hold are refused. */
function converted(values: ArrayLike<number | boolean | bigint>, dtype: DType): Data {
  const data = allocate(dtype, values.length);
  for (let i = 0; i < data.length; i++) {
    const v = values[i];
    if (typeof v === "bigint")
      throw new EngineError("array: numbers are not taken as bigint; convert them with Number.");
    const number = Number(v);
    if (dtype === "int32" && (number | 0) !== number) {
      throw new EngineError(
        `array: element ${i} is ${number}, which is no int32; round it, or choose float32.`,
      );
    }
    data[i] = dtype === "bool" ? Number(number !== 0) : number;
  }
  return data;
}

/** Typed arrays of every kind, of which those that are no storage of a dtype are converted. */
type Numbers = Data | Int8Array | Uint8ClampedArray | Int16Array | Uint16Array | Uint32Array;

/**
 * An array from nested numbers or booleans, or from a typed array and its shape. Nested numbers become float32; typed
 * arrays what they store, a Uint8Array bool. Any of them is converted to a `dtype` that is given.
 */
export function array(values: Nested | Numbers, options: { shape?: Shape; dtype?: DType } = {}): NdArray {
  if (ArrayBuffer.isView(values)) {
    const { dtype, shape = [values.length] } = options;
    const asStored = dtype === undefined || (dtype !== "bool" && dtypeOf(values) === dtype);
    return asStored
      ? new NdArray(values as Data, shape)
      : new NdArray(converted(values, dtype), shape, dtype);
  }
  const shape: number[] = [];
  for (let level: Nested = values; Array.isArray(level); level = level[0]) shape.push(level.length);
  const flat: (number | boolean)[] = [];
  const visit = (level: Nested, axis: number): void => {
    if (!Array.isArray(level)) {
      if (axis !== shape.length) throw new EngineError("array: rows of different depth");
      flat.push(level as number | boolean);
      return;
    }
    if (level.length !== shape[axis]) {
      throw new EngineError(
        `array: rows of different length (${shape[axis]} and ${level.length}) on axis ${axis}`,
      );
    }
    for (const entry of level) visit(entry, axis + 1);
  };
  visit(values, 0);
  const dtype = options.dtype ?? (typeof flat[0] === "boolean" ? "bool" : "float32");
  return new NdArray(converted(flat, dtype), options.shape ?? shape, dtype);
}

/** An array with the same value everywhere (default: float32). */
export function full(shape: Shape, value: number, dtype: DType = "float32"): NdArray {
  const [stored] = converted([value], dtype);
  return new NdArray(allocate(dtype, sizeOf(checkShape("full", shape))).fill(stored), shape, dtype);
}
