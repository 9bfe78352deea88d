// Krylov methods against dense algebra: every answer is checked by a matrix that the test can multiply by hand.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cholesky, host, lowest, minres, steihaug } from "../src/certificate/krylov.js";
import { dot, norm, plus, randomNumbers, type Vector, vector } from "../src/certificate/vectors.js";

type Matrix = readonly Vector[];

const timesOf =
  (A: Matrix) =>
  (v: Vector): Vector =>
    vector(A.length, (i) => dot(A[i], v));

/** All eigenvalues and eigenvectors of a symmetric matrix: Jacobi's rotations. */
function eigen(given: Matrix): { values: number[]; vectors: Vector[] } {
  const n = given.length;
  const A = given.map((row) => Float64Array.from(row));
  const V = A.map((_, i) => vector(n, (j) => Number(i === j)));
  for (let sweep = 0; sweep < 60; sweep++)
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (A[p][q] === 0) continue;
        const angle = 0.5 * Math.atan2(2 * A[p][q], A[q][q] - A[p][p]);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (const M of [A, V])
          for (const row of M) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
        for (let k = 0; k < n; k++) {
          const [a, b] = [A[p][k], A[q][k]];
          [A[p][k], A[q][k]] = [c * a - s * b, s * a + c * b];
        }
      }
  return { values: A.map((row, i) => row[i]), vectors: A.map((_, j) => vector(n, (i) => V[i][j])) };
}

/** QᵀΛQ, for a random orthogonal Q. */
function withEigenvalues(values: readonly number[], seeds: readonly number[]): Matrix {
  const n = values.length;
  let A: Matrix = values.map((value, i) => vector(n, (j) => (i === j ? value : 0)));
  // Householder reflections at random keep the eigenvalues.
  for (let k = 0; k + n <= seeds.length; k += n) {
    const h = Float64Array.from(seeds.slice(k, k + n));
    const square = dot(h, h);
    if (!(square > 1e-3)) continue;
    const left = A.map((_, i) =>
      vector(n, (j) => A[i][j] - (2 * h[i] * A.reduce((sum, row, l) => sum + h[l] * row[j], 0)) / square),
    );
    A = left.map((row) => plus(row, h, (-2 * dot(row, h)) / square));
  }
  return A.map((_, i) => vector(n, (j) => (A[i][j] + A[j][i]) / 2));
}

/** In steps of a thousandth: nothing underflows. */
const between = (min: number, max: number) =>
  fc.integer({ min: Math.ceil(1e3 * min), max: Math.floor(1e3 * max) }).map((x) => x / 1e3);
/** Away from 0, so that solutions are as exact as the matrix. */
const eigenvalue = fc
  .tuple(between(0.1, 5), fc.boolean())
  .map(([size, isNegative]) => (isNegative ? -size : size));
const matrixOf = (values: fc.Arbitrary<number>) =>
  fc.integer({ min: 2, max: 9 }).chain((n) =>
    fc.record({
      values: fc.array(values, { minLength: n, maxLength: n }),
      seeds: fc.array(between(-1, 1), { minLength: 2 * n, maxLength: 2 * n }),
      b: fc.array(between(-2, 2), { minLength: n, maxLength: n }).filter((x) => Math.hypot(...x) > 0.1),
    }),
  );
const exactly = { products: 60, solved: 1e-12, orthogonal: true };
const identity = (r: Vector): Vector => Float64Array.from(r);

describe("minres", () => {
  test("solves symmetric systems whose eigenvalues have either sign", async () => {
    await fc.assert(
      fc.asyncProperty(matrixOf(eigenvalue), async ({ values, seeds, b }) => {
        const times = timesOf(withEigenvalues(values, seeds));
        const right = Float64Array.from(b);
        const { z, left } = await minres(host, times, right, exactly);
        expect(norm(plus(times(z), right, -1))).toBeLessThan(1e-9 * norm(right));
        expect(left).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });

  test("leaves of a singular system what no solution reaches, and reports it", async () => {
    await fc.assert(
      fc.asyncProperty(matrixOf(eigenvalue), async ({ values, seeds, b }) => {
        const A = withEigenvalues(values.with(0, 0), seeds);
        const { values: found, vectors } = eigen(A);
        const flat =
          vectors[found.reduce((best, x, i) => (Math.abs(x) < Math.abs(found[best]) ? i : best), 0)];
        const right = Float64Array.from(b);
        const reachable = plus(right, flat, -dot(flat, right));
        fc.pre(norm(reachable) > 0.05 && Math.abs(dot(flat, right)) > 0.05);
        const { z, left } = await minres(host, timesOf(A), right, exactly);
        expect(norm(plus(timesOf(A)(z), reachable, -1))).toBeLessThan(1e-6 * norm(right));
        expect(left).toBeCloseTo(Math.abs(dot(flat, right)) / norm(right), 6);
      }),
      { numRuns: 60 },
    );
  });

  test("never leaves more after more products, and reports the residual that is left", async () => {
    const A = withEigenvalues([4, 2, 1, -1, -3, 0.3], [1, -0.5, 0.3, 0.8, -0.2, 0.6]);
    const b = Float64Array.of(1, 2, -1, 0.5, 0.3, -2);
    let before = 1;
    for (let products = 1; products <= 6; products++) {
      const { z, left } = await minres(host, timesOf(A), b, { products, solved: 0 });
      expect(left).toBeCloseTo(norm(plus(timesOf(A)(z), b, -1)) / norm(b), 10);
      expect(left).toBeLessThanOrEqual(before + 1e-12);
      before = left;
    }
    expect(before).toBeLessThan(1e-10);
  });

  test("takes no more products than asked for, and none for a right side of 0", async () => {
    let count = 0;
    const times = (v: Vector): Vector => {
      count++;
      return vector(3, (i) => (i + 1) * v[i]);
    };
    const nothing = await minres(host, times, new Float64Array(3), exactly);
    expect([count, nothing.left, ...nothing.z]).toEqual([0, 0, 0, 0, 0]);
    await minres(host, times, Float64Array.of(1, 1, 1), { products: 2, solved: 0 });
    expect(count).toBe(2);
    count = 0;
    await minres(host, times, Float64Array.of(1, 1, 1), { products: 50, solved: 0.9 });
    expect(count).toBe(1);
  });
});

const start = (n: number): Vector => vector(n, randomNumbers().normal);

describe("the lowest eigenvalue", () => {
  test("is that of Jacobi's rotations, with its vector", async () => {
    await fc.assert(
      fc.asyncProperty(matrixOf(between(-3, 3)), async ({ values, seeds }) => {
        const A = withEigenvalues(values, seeds);
        const least = Math.min(...eigen(A).values);
        // Eigenvalues that are given, as the rotations find them.
        expect(least).toBeCloseTo(Math.min(...values), 9);
        const { value, along: towards } = await lowest(host, timesOf(A), start(A.length), {
          products: A.length,
          orthogonal: true,
        });
        const along = await towards();
        expect(value).toBeCloseTo(least, 7);
        expect(norm(along)).toBeCloseTo(1, 6);
        expect(dot(along, timesOf(A)(along))).toBeCloseTo(least, 5);
      }),
      { numRuns: 80 },
    );
  });

  test("is bounded from above by few products, and found among many near ones in 24", async () => {
    const n = 200;
    const times = (v: Vector): Vector => vector(n, (i) => (i === 77 ? -0.05 : 1 + i / n) * v[i]);
    for (const products of [2, 6, 24]) {
      const { value, along: towards } = await lowest(host, times, start(n), { products });
      const along = await towards();
      expect(value).toBeGreaterThan(-0.05 - 1e-12);
      expect(dot(along, times(along))).toBeCloseTo(value, 6);
    }
    expect((await lowest(host, times, start(n), { products: 24 })).value).toBeLessThan(-0.045);
  });

  test("for one direction is the matrix itself", async () => {
    const { value, along: towards } = await lowest(host, (v) => v.map((x) => -2 * x), start(1), {
      products: 1,
    });
    const along = await towards();
    expect(value).toBeCloseTo(-2, 9);
    expect(Math.abs(along[0])).toBeCloseTo(1, 9);
  });
});

describe("a step in a trust region", () => {
  const far = { radius: 1e6, products: 100, solved: 1e-12 };

  test("is the minimum of a bowl that lies within", async () => {
    await fc.assert(
      fc.asyncProperty(matrixOf(between(0.1, 5)), async ({ values, seeds, b }) => {
        const times = timesOf(withEigenvalues(values, seeds));
        const right = Float64Array.from(b);
        const { step, length, change } = await steihaug(times, right, identity, far);
        expect(norm(plus(times(step), right, -1))).toBeLessThan(1e-7 * norm(right));
        expect(length).toBeCloseTo(norm(step), 6);
        expect(change).toBeCloseTo(-0.5 * dot(right, step), 7);
      }),
      { numRuns: 60 },
    );
  });

  test("ends at the edge where the minimum is beyond, and predicts the change of its model", async () => {
    await fc.assert(
      fc.asyncProperty(matrixOf(between(0.1, 5)), between(0.01, 0.5), async ({ values, seeds, b }, share) => {
        const times = timesOf(withEigenvalues(values, seeds));
        const right = Float64Array.from(b);
        const whole = await steihaug(times, right, identity, far);
        const radius = share * whole.length;
        const { step, length, change } = await steihaug(times, right, identity, { ...far, radius });
        expect(length).toBeCloseTo(radius, 9);
        expect(norm(step)).toBeCloseTo(radius, 7);
        expect(change).toBeCloseTo(0.5 * dot(step, times(step)) - dot(right, step), 8);
        expect(change).toBeLessThan(0);
        expect(change).toBeGreaterThanOrEqual(whole.change - 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  test("goes along a direction that bends down as far as the edge", async () => {
    // ½(4x² − y²) − 2x − 0 y: from (2, 0) the first direction bends up, from (1, 1) it crosses to the other.
    const times = (v: Vector): Vector => Float64Array.of(4 * v[0], -v[1]);
    const down = await steihaug(times, Float64Array.of(0, 3), identity, { ...far, radius: 2 });
    expect([...down.step]).toEqual([0, expect.closeTo(2, 12)]);
    expect(down.change).toBeCloseTo(-0.5 * 4 - 3 * 2, 12);
    const both = await steihaug(times, Float64Array.of(2, 0.1), identity, { ...far, radius: 10 });
    expect(norm(both.step)).toBeCloseTo(10, 9);
    expect(dot(both.step, times(both.step))).toBeLessThan(0);
    expect(both.change).toBeCloseTo(
      0.5 * dot(both.step, times(both.step)) - dot(Float64Array.of(2, 0.1), both.step),
      9,
    );
    // Without any curvature too.
    const flat = await steihaug((v) => v.map(() => 0), Float64Array.of(3, 4), identity, {
      ...far,
      radius: 5,
    });
    expect([...flat.step]).toEqual([3, 4].map((x) => expect.closeTo(x, 12)));
  });

  test("measures its length by the preconditioner", async () => {
    // M = diag(4, 1): along x the edge at 2 is x = 1.
    const by = (r: Vector): Vector => Float64Array.of(r[0] / 4, r[1]);
    const times = (v: Vector): Vector => v.map((x) => -x);
    const { step, length } = await steihaug(times, Float64Array.of(1, 0), by, { ...far, radius: 2 });
    expect([...step]).toEqual([expect.closeTo(1, 12), 0]);
    expect(length).toBe(2);
    const bowl = (v: Vector): Vector => Float64Array.of(4 * v[0], 2 * v[1]);
    const inside = await steihaug(bowl, Float64Array.of(4, 4), by, far);
    expect([...inside.step]).toEqual([1, 2].map((x) => expect.closeTo(x, 10)));
    expect(inside.length).toBeCloseTo(Math.hypot(2, 2), 10);
  });

  test("is none where there is no slope", async () => {
    const { step, change, length } = await steihaug((v) => v, new Float64Array(2), identity, far);
    expect([...step, Math.abs(change), length]).toEqual([0, 0, 0, 0]);
  });
});

describe("the Cholesky factor", () => {
  test("solves a definite system", () => {
    fc.assert(
      fc.property(matrixOf(between(0.1, 5)), ({ values, seeds, b }) => {
        const A = withEigenvalues(values, seeds);
        const n = A.length;
        const right = Float64Array.from(b);
        const z = cholesky(
          vector(n * n, (k) => A[Math.floor(k / n)][k % n]),
          n,
        )(right);
        expect(norm(plus(timesOf(A)(z), right, -1))).toBeLessThan(1e-9 * norm(right));
      }),
      { numRuns: 60 },
    );
  });

  test("of an indefinite matrix belongs to a definite one, so every direction descends", () => {
    fc.assert(
      fc.property(matrixOf(fc.oneof(eigenvalue, fc.constant(0))), ({ values, seeds, b }) => {
        const A = withEigenvalues(values, seeds);
        const n = A.length;
        const right = Float64Array.from(b);
        const z = cholesky(
          vector(n * n, (k) => A[Math.floor(k / n)][k % n]),
          n,
        )(right);
        expect(z.every(Number.isFinite)).toBe(true);
        expect(dot(right, z)).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});
