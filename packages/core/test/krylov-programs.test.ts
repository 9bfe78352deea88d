// Krylov methods as programs find what those on the host find: the same matrices, given to both.
import { array, concat, matmul, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { host, lowest, minres } from "../src/certificate/krylov.js";
import { type Both, krylovPrograms } from "../src/certificate/krylov-programs.js";
import { dot, norm, randomNumbers, type Vector, vector } from "../src/certificate/vectors.js";
import { float64 } from "./float64.js";

const [n, m] = [8, 2];
const like = { a: float64(new Array(5).fill(0)), b: float64(new Array(3).fill(0)) };
type Tree = { a: Tensor; b: Tensor };
const joined = (x: unknown): Tensor => concat([(x as Tree).a, (x as Tree).b]);
const parted = (x: Tensor): Tree => ({ a: x.slice([[0, 5]]), b: x.slice([[5, 8]]) });
const times = (A: Tensor, x: Tensor): Tensor => matmul(A, x.reshape([x.size, 1])).reshape([x.size]);

const programs = krylovPrograms(
  {
    hessian: (v, { H }: { H: Tensor }) => parted(times(H, joined(v))),
    tangent: (q, r, { H }: { H: Tensor }) => parted(times(H, joined(q).mul(joined(r))).mul(joined(r))),
    system: ({ x, y }: Both, _, { K }: { K: Tensor }) => {
      const z = times(K, concat([joined(x), y[0]]));
      return { x: parted(z.slice([[0, n]])), y: [z.slice([[n, n + m]])] };
    },
  },
  { backend: reference(), dtype: "float64" },
)(like, (y) => [float64([...y])]);

const { normal } = randomNumbers(5);
/** A symmetric matrix of random numbers, indefinite. */
function symmetric(size: number): Vector[] {
  const A = Array.from({ length: size }, () => vector(size, normal));
  return A.map((row, i) => vector(size, (j) => row[j] + A[j][i]));
}
const closed = (A: readonly Vector[], name: "H" | "K") => ({
  [name]: array(
    A.map((row) => [...row]),
    { dtype: "float64" },
  ),
});
const timesOf = (A: readonly Vector[]) => (v: Vector) => vector(A.length, (i) => dot(A[i], v));
const ones = vector(n, () => 1);

describe("programs", () => {
  test("solve an indefinite system to the same residual, and give its solution", async () => {
    const K = symmetric(n + m);
    const right = vector(n + m, normal);
    const how = { products: 30, solved: 1e-9 };
    const { z, left } = await programs.minres(right, ones, how, closed(K, "K"));
    expect(left).toBeLessThan(1e-9);
    const off = timesOf(K)(z).map((a, i) => a - right[i]);
    expect(norm(off)).toBeLessThan(1e-7 * norm(right));
    const cut = { products: 4, solved: 1e-9 };
    const there = await minres(host, timesOf(K), right, cut);
    const here = await programs.minres(right, ones, cut, closed(K, "K"));
    expect(here.left).toBeCloseTo(there.left, 10);
    expect([...here.z]).toEqual([...there.z].map((a) => expect.closeTo(a, 10)));
  });

  test("with a right-hand side of 0, or outside the range of a singular matrix, change nothing", async () => {
    const nothing = new Float64Array(n + m);
    const K = Array.from({ length: n + m }, (_, i) => vector(n + m, (j) => Number(i === j && i < n)));
    const how = { products: 30, solved: 1e-9 };
    expect(await programs.minres(nothing, ones, how, closed(K, "K"))).toEqual({ z: nothing, left: 0 });
    const right = vector(n + m, (i) => Number(i === n));
    const { z, left } = await programs.minres(right, ones, how, closed(K, "K"));
    expect([left, [...z]]).toEqual([1, new Array(n + m).fill(expect.closeTo(0, 12))]);
  });

  test("find the lowest curvature in natural units, and its direction", async () => {
    const H = symmetric(n);
    const d = vector(n, (j) => 4 ** (j % 3));
    const scaled = H.map((row, i) => vector(n, (j) => row[j] / Math.sqrt(d[i] * d[j])));
    const found = await programs.lowest(vector(n, normal), d, n, closed(H, "H"));
    const there = await lowest(host, timesOf(scaled), vector(n, normal), { products: n, orthogonal: true });
    expect(found.value).toBeCloseTo(there.value, 8);
    const along = await found.along();
    const off = timesOf(scaled)(along).map((a, i) => a - found.value * along[i]);
    expect(norm(off)).toBeLessThan(1e-5 * norm(along));
  });

  test("measure the diagonal, and rows that are nothing", async () => {
    const H = Array.from({ length: n }, (_, i) => vector(n, (j) => (i === j && i > 0 ? 10 ** (i - 4) : 0)));
    const d = await programs.rows(vector(n, randomNumbers(3).uniform), [1, 2, 9], closed(H, "H"));
    for (let j = 1; j < n; j++) expect(d[j] / 10 ** (j - 4)).toBeCloseTo(1, 9);
    expect(d[0]).toBeLessThan(1e-29);
  });
});
