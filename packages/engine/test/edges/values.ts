// Values at which implementations differ: NaN, infinities, both zeros, the smallest and the largest of a dtype,
// and those around which formulas change.
import { type Data, type DType, NdArray, type Shape } from "@pliant/engine";
import { allocate } from "../../src/dtype.js";

const around = [
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2.5,
  -2.5,
  3,
  -3,
  1e-3,
  -1e-3,
  1e-8,
  -1e-8,
  7,
  -7,
  15,
  -15,
  16.7,
  -16.7,
  20,
  -20,
  40,
  -40,
  87,
  -87,
  89,
  -89,
  95,
  -95,
  103,
  -103,
  105,
  -105,
  1e4,
  -1e4,
  1e8,
  -1e8,
  1e20,
  -1e20,
  1e-30,
];
const limits: Partial<Record<DType, readonly number[]>> = {
  float32: [
    2 ** -149,
    -(2 ** -149),
    2 ** -127,
    -(2 ** -127),
    2 ** -126,
    -(2 ** -126),
    3.4028234663852886e38,
    -3.4028234663852886e38,
    1 + 2 ** -23,
  ],
  float64: [
    5e-324,
    -5e-324,
    2 ** -1023,
    2 ** -1022,
    -(2 ** -1022),
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    709,
    -709,
    745,
    -745,
    1 + 2 ** -52,
  ],
};
const wholes = [
  0,
  1,
  -1,
  2,
  -2,
  3,
  -3,
  7,
  -7,
  46340,
  46341,
  -46341,
  2 ** 30,
  -(2 ** 30),
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31 - 2,
  -(2 ** 31) + 1,
];

/** Every special number of a dtype, once. */
export function specials(dtype: DType): readonly number[] {
  if (dtype === "bool") return [0, 1];
  if (dtype === "int32") return wholes;
  const round = dtype === "float32" ? Math.fround : (v: number) => v;
  return [...around.map(round), ...limits[dtype]!];
}

/** An array of the special numbers, again and again, so many apart. */
export function special(shape: Shape, dtype: DType, { from = 0, apart = 1 } = {}): NdArray {
  const all = specials(dtype);
  const data: Data = allocate(
    dtype,
    shape.reduce((n, d) => n * d, 1),
  );
  for (let i = 0; i < data.length; i++) data[i] = all[(from + i * apart) % all.length];
  return new NdArray(data, shape, dtype);
}

/** Every pair of special numbers, as two arrays of one shape. */
export function pairs(dtype: DType): [NdArray, NdArray] {
  const all = specials(dtype);
  const n = all.length;
  const [a, b] = [0, 1].map(() => allocate(dtype, n * n));
  for (let i = 0; i < n * n; i++) {
    a[i] = all[Math.floor(i / n)];
    b[i] = all[i % n];
  }
  return [new NdArray(a, [n, n], dtype), new NdArray(b, [n, n], dtype)];
}

/** Ordinary numbers, of which no two neighbours are equal. */
export function ordinary(shape: Shape, dtype: DType): NdArray {
  const data = allocate(
    dtype,
    shape.reduce((n, d) => n * d, 1),
  );
  for (let i = 0; i < data.length; i++)
    data[i] =
      dtype === "int32"
        ? ((i * 37) % 23) - 11
        : dtype === "bool"
          ? ((i * 7) % 3) & 1
          : ((i * 37) % 64) / 16 - 2;
  return new NdArray(data, shape, dtype);
}

/** Numbers of both signs, spread over every size from 1e-30 to 1e4, and evenly from −110 to 110. */
export function sweep(dtype: DType): NdArray {
  const n = 2000;
  const data = allocate(dtype, 4 * n);
  for (let i = 0; i < n; i++) {
    const size = 10 ** (-30 + (34 * i) / n);
    data[2 * i] = size;
    data[2 * i + 1] = -size;
    data[2 * n + 2 * i] = (110 * (i + 0.37)) / n;
    data[2 * n + 2 * i + 1] = (-110 * (i + 0.37)) / n;
  }
  return new NdArray(data, [4 * n], dtype);
}

/** An array whose elements are asked for one after another. */
export function filled(shape: Shape, dtype: DType, element: () => number): NdArray {
  const data = allocate(
    dtype,
    shape.reduce((n, d) => n * d, 1),
  );
  for (let i = 0; i < data.length; i++) data[i] = element();
  return new NdArray(data, shape, dtype);
}
