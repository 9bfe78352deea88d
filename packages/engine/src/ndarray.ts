// Concrete arrays on the host: what goes into a compiled function and what is read back from one.
import { allocate, type Data, type DType, dtypeOf, type Shape } from "./dtype.js";
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

  constructor(data: Data, shape: Shape, dtype: DType = dtypeOf(data)) {
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

/** An array from nested numbers or booleans, or from a typed array and its shape. Numbers become float32. */
export function array(values: Nested | Data, options: { shape?: Shape; dtype?: DType } = {}): NdArray {
  if (ArrayBuffer.isView(values)) {
    const dtype = options.dtype ?? dtypeOf(values);
    let data: Data = values;
    if (dtypeOf(values) !== dtype) {
      data = allocate(dtype, values.length);
      data.set(values);
    }
    return new NdArray(data, options.shape ?? [values.length], dtype);
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
  const data = allocate(dtype, flat.length);
  for (let i = 0; i < flat.length; i++) data[i] = Number(flat[i]);
  return new NdArray(data, options.shape ?? shape, dtype);
}

export function full(shape: Shape, value: number, dtype: DType = "float32"): NdArray {
  return new NdArray(allocate(dtype, sizeOf(checkShape("full", shape))).fill(value), shape, dtype);
}
