// Decompositions give back the matrices they came from, of sizes and kinds where formulas part: equal diagonals, pivots of 0, odd
// sizes, singular and indefinite matrices; on every back end.
import * as p from "@pliant/engine";
import {
  array,
  type Backend,
  compile,
  type DType,
  type NdArray,
  random,
  reference,
  type Tensor,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { openNatives } from "./natives.js";

const natives = await openNatives();
const matrix = (n: number, dtype: DType, seed = n): NdArray =>
  array(random.normal(random.key(seed), [n, n], { dtype: "float64" }).data, { shape: [n, n], dtype });
const f64 = (rows: number[][]) => array(rows, { dtype: "float64" });

describe.each<[string, Backend]>([
  ["reference", reference()],
  ...natives.map((b): [string, Backend] => [b.name, b]),
])("on %s", (_, backend) => {
  const run = async (f: (x: Tensor) => Tensor, x: NdArray): Promise<NdArray> =>
    (await compile(f, { backend })(x)).read();
  const largest = async (f: (x: Tensor) => Tensor, x: NdArray): Promise<number> =>
    (await run((a) => f(a).abs().max(), x)).item();
  const unit = (n: number, dtype: DType) => p.eye(n, n, { dtype });

  test.each([
    [1, "float64", 1e-13],
    [2, "float64", 1e-13],
    [9, "float64", 1e-12],
    [16, "float32", 1e-4],
  ] as const)(
    "of %d rows and columns eigenvectors are orthonormal and give the matrix back",
    async (n, dtype, near) => {
      const symmetric = (a: Tensor) => a.add(a.transpose());
      const rest = (a: Tensor): Tensor => {
        const { values, vectors } = p.eigh(symmetric(a));
        return vectors.mul(values).matmul(vectors.transpose()).sub(symmetric(a));
      };
      const skew = (a: Tensor): Tensor => {
        const { vectors } = p.eigh(symmetric(a));
        return vectors.transpose().matmul(vectors).sub(unit(n, dtype));
      };
      expect(await largest(rest, matrix(n, dtype))).toBeLessThan(near * n);
      expect(await largest(skew, matrix(n, dtype))).toBeLessThan(near * n);
    },
  );

  test("equal diagonals are rotated too, equal values stay", async () => {
    const values = (rows: number[][]) => run((a) => p.eigh(a).values, f64(rows));
    const pair = await values([
      [2, 1],
      [1, 2],
    ]);
    expect(pair.data[0]).toBeCloseTo(1, 12);
    expect(pair.data[1]).toBeCloseTo(3, 12);
    const ones = await values([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
    ]);
    for (const [i, v] of [0, 0, 3].entries()) expect(ones.data[i]).toBeCloseTo(v, 12);
    expect(
      (
        await values([
          [5, 0],
          [0, 5],
        ])
      ).toNested(),
    ).toEqual([5, 5]);
  });

  test("systems, inverses and determinants, where a pivot is 0 too", async () => {
    const rest = (a: Tensor): Tensor => a.matmul(p.inverse(a)).sub(unit(12, "float64"));
    expect(await largest(rest, matrix(12, "float64"))).toBeLessThan(1e-10);
    expect(
      (
        await run(
          p.det,
          f64([
            [0, 1],
            [1, 0],
          ]),
        )
      ).item(),
    ).toBe(-1);
    expect(
      (
        await run(
          (a) => p.solve(a, array([2, 3], { dtype: "float64" })),
          f64([
            [0, 1],
            [1, 0],
          ]),
        )
      ).toNested(),
    ).toEqual([3, 2]);
    expect(
      (
        await run(
          p.det,
          f64([
            [1, 2],
            [2, 4],
          ]),
        )
      ).item(),
    ).toBeCloseTo(0, 15);
    expect(
      (
        await run(
          (a) => p.slogdet(a).sign,
          f64([
            [1, 2],
            [2, 4],
          ]),
        )
      ).item(),
    ).toBeCloseTo(0, 15);
  });

  test("Cholesky's factor gives the matrix back; an indefinite one has none", async () => {
    const definite = (a: Tensor) => a.matmul(a.transpose());
    const rest = (a: Tensor): Tensor => {
      const l = p.cholesky(definite(a));
      return l.matmul(l.transpose()).sub(definite(a));
    };
    expect(await largest(rest, matrix(12, "float64"))).toBeLessThan(1e-12);
    expect(
      (
        await run(
          (a) => p.cholesky(a),
          f64([
            [1, 2],
            [2, 1],
          ]),
        )
      ).data[3],
    ).toBeNaN();
  });
});
