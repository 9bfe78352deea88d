import { array, compile, NdArray, type Tensor } from "@pliant/engine";
import { augerinoGenerators, augerinoMatrices, matrixExponential } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, distance, doubles, numbers } from "./backends.js";
import { gradientError } from "./finite-differences.js";

/** eᴬ of one n×n matrix by its series, term by term until nothing is added. */
function series(a: readonly number[], n: number): number[] {
  const sum: number[] = a.map((_, i) => (i % (n + 1) === 0 ? 1 : 0));
  let term = [...sum];
  for (let k = 1; k < 200; k++) {
    term = term.map((_, i) => {
      const [row, column] = [Math.floor(i / n), i % n];
      let total = 0;
      for (let j = 0; j < n; j++) total += term[row * n + j] * a[j * n + column];
      return total / k;
    });
    for (const [i, v] of term.entries()) sum[i] += v;
  }
  return sum;
}

describe("the exponential of a matrix", () => {
  test.each([2, 3])("agrees with its series in float64, at size %i", async (n) => {
    const a = numbers(1, [50, n, n], { low: -2.5, high: 2.5, dtype: "float64" });
    const found = await (await compile(matrixExponential)(a)).read();
    for (let m = 0; m < 50; m++) {
      const expected = series([...a.data.slice(m * n * n, (m + 1) * n * n)], n);
      const scale = Math.max(...expected.map(Math.abs));
      for (const [i, v] of expected.entries())
        expect(Math.abs(found.data[m * n * n + i] - v) / scale).toBeLessThan(1e-12);
    }
  });

  test("has the closed forms of a rotation, a scaling and a shift", async () => {
    const run = compile(matrixExponential);
    const turn = array([0, -2, 0, 2, 0, 0, 0, 0, 0], { shape: [3, 3], dtype: "float64" });
    const turned = await (await run(turn)).read();
    const [c, s] = [Math.cos(2), Math.sin(2)];
    expect(distance(turned, array([c, -s, 0, s, c, 0, 0, 0, 1], { shape: [3, 3] }))).toBeLessThan(1e-7);
    const stretch = array([1, 0, 3, 0, -1, 0, 0, 0, 0], { shape: [3, 3], dtype: "float64" });
    const expected = [Math.E, 0, 3 * (Math.E - 1), 0, 1 / Math.E, 0, 0, 0, 1];
    const stretched = await (await run(stretch)).read();
    for (const [i, v] of expected.entries()) expect(stretched.data[i]).toBeCloseTo(v, 12);
  });

  test("has the gradient of finite differences", async () => {
    const a = numbers(2, [2, 3, 3], { low: -1.5, high: 1.5, dtype: "float64" });
    const weights = numbers(3, [2, 3, 3], { dtype: "float64" });
    const f = (x: Tensor): Tensor => matrixExponential(x).mul(weights).sum();
    expect(await gradientError(f, a)).toBeLessThan(1e-7);
  });
});

describe.each(backends)("on $name", ({ backend }) => {
  const run = async (eta: NdArray, k: NdArray): Promise<NdArray> =>
    (await compile(augerinoMatrices, { backend: await backend() })(eta, k)).read();

  test.each([
    ["xShift", [1, 0, 0.5, 0, 1, 0]],
    ["yShift", [1, 0, 0, 0, 1, 0.5]],
    ["rotation", [Math.cos(0.5), -Math.sin(0.5), 0, Math.sin(0.5), Math.cos(0.5), 0]],
    ["xScale", [Math.exp(0.5), 0, 0, 0, 1, 0]],
    ["yScale", [1, 0, 0, 0, Math.exp(0.5), 0]],
    ["shear", [Math.cosh(0.5), Math.sinh(0.5), 0, Math.sinh(0.5), Math.cosh(0.5), 0]],
  ] as const)("%s alone has its closed form", async (name, expected) => {
    const eta = array(augerinoGenerators.map((g) => (g === name ? 2 : 0)));
    const matrix = await run(eta, array([[0.25, 0.25, 0.25, 0.25, 0.25, 0.25]]));
    expect(matrix.shape).toEqual([1, 2, 3]);
    for (const [i, v] of expected.entries()) expect(matrix.data[i]).toBeCloseTo(v, 5);
  });

  test("no range gives the identity, exactly", async () => {
    const matrices = await run(array([0, 0, 0, 0, 0, 0]), numbers(4, [5, 6]));
    for (const [i, v] of matrices.data.entries()) expect(v).toBe(i % 6 === 0 || i % 6 === 4 ? 1 : 0);
  });

  test.each([
    [1, [-1, 0, 0, 0, -1, 0]],
    // A quarter turn, not the half turn that 50 radians would be cut to: the whole circle stays uniform.
    [0.5, [0, -1, 0, 1, 0, 0]],
  ])("a range beyond half a turn is the whole circle: at %d of it", async (share, expected) => {
    const matrix = await run(array([0, 0, 100, 0, 0, 0]), array([[0, 0, share, 0, 0, 0]]));
    for (const [i, v] of expected.entries()) expect(matrix.data[i]).toBeCloseTo(v, 5);
  });

  test("a stack of ranges gives each model its own matrices", async () => {
    const eta = numbers(5, [3, 6]);
    const k = numbers(6, [3, 4, 6]);
    const all = await run(eta, k);
    for (let s = 0; s < 3; s++) {
      const own = await run(
        new NdArray(eta.data.slice(6 * s, 6 * s + 6), [6]),
        new NdArray(k.data.slice(24 * s, 24 * s + 24), [4, 6]),
      );
      expect(distance(own, new NdArray(all.data.slice(24 * s, 24 * s + 24), [4, 2, 3]))).toBeLessThan(1e-6);
    }
  });

  test("agrees with float64", async () => {
    const [eta, k] = [numbers(7, [6]), numbers(8, [20, 6])];
    const exact = await (await compile(augerinoMatrices)(doubles(eta), doubles(k))).read();
    expect(distance(await run(eta, k), exact)).toBeLessThan(5e-6);
  });
});

test("gradients in the ranges agree with finite differences", async () => {
  const k = numbers(9, [5, 6], { dtype: "float64" });
  const weights = numbers(10, [5, 2, 3], { dtype: "float64" });
  const f = (eta: Tensor): Tensor => augerinoMatrices(eta, eta.mul(0).sum().add(k)).mul(weights).sum();
  expect(await gradientError(f, numbers(11, [6], { dtype: "float64" }))).toBeLessThan(1e-7);
});
