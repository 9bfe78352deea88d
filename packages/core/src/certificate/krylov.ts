// Krylov methods. All they need of a matrix is its product with a vector, and of vectors their sums and inner products, wherever these lie.
import { add, dot, type Vector, vector } from "./vectors.js";

/** Vectors on the host or on a device. */
export interface Space<V> {
  /** Σ sᵢvᵢ. */
  mix(...terms: readonly (readonly [number, V])[]): Promise<V> | V;
  dot(a: V, b: V): Promise<number> | number;
  /** Numbers below this share of the largest are rounding. */
  readonly rounding: number;
}

export type Products<V = Vector> = (v: V) => Promise<V> | V;

/** Float64 vectors on the host. */
export const host: Space<Vector> = {
  mix: (...terms) => {
    const sum = new Float64Array(terms[0][1].length);
    for (const [s, v] of terms) add(sum, v, s);
    return sum;
  },
  dot,
  rounding: 1e-13,
};

export interface Solved<V = Vector> {
  readonly z: V;
  /** ‖b − Az‖/‖b‖. */
  readonly left: number;
}

/** Lanczos' vectors from a unit vector: Av = βv₋ + αv + β₊v₊. On request each is kept orthogonal to all before, as rounding would not. */
async function* lanczos<V>({ mix, dot }: Space<V>, times: Products<V>, start: V, orthogonal: boolean) {
  const basis: V[] = [];
  let [before, v, beta] = [start, start, 0];
  for (;;) {
    const product = await times(v);
    const alpha = await dot(v, product);
    let next = await mix([1, product], [-alpha, v], [-beta, before]);
    if (orthogonal) basis.push(v);
    for (const other of basis) next = await mix([1, next], [-(await dot(other, next)), other]);
    const length = Math.sqrt(await dot(next, next));
    yield { v, alpha, beta, length };
    [before, v, beta] = [v, await mix([1 / length, next]), length];
  }
}

/** A z = b for a symmetric A, which may be indefinite or singular: MINRES (Paige and Saunders, 1975). */
export async function minres<V>(
  space: Space<V>,
  times: Products<V>,
  b: V,
  { products, solved, orthogonal = false }: { products: number; solved: number; orthogonal?: boolean },
): Promise<Solved<V>> {
  const { mix, rounding } = space;
  const size = Math.sqrt(await space.dot(b, b));
  const zero = await mix([0, b]);
  let z = zero;
  if (!(size > 0)) return { z, left: 0 };
  let [w, wBefore] = [zero, zero];
  let [c, s, cBefore, sBefore, eta, left, most, count] = [1, 0, 1, 0, size, 1, 0, 0];
  for await (const { v, alpha, beta, length } of lanczos(
    space,
    times,
    await mix([1 / size, b]),
    orthogonal,
  )) {
    const r0 = c * alpha - cBefore * s * beta;
    const r1 = Math.hypot(r0, length);
    const [r2, r3] = [s * alpha + cBefore * c * beta, sBefore * beta];
    // ‖Ar‖ = ‖r‖·‖(r0, c·length)‖: once that is rounding beside ‖A‖, no further step makes the residual smaller.
    most = Math.max(most, Math.hypot(beta, alpha, length));
    if (!(Math.hypot(r0, c * length) > Math.max(1e-8, 8 * rounding) * most)) break;
    [cBefore, sBefore, c, s] = [c, s, r0 / r1, length / r1];
    [wBefore, w] = [w, await mix([1 / r1, v], [-r3 / r1, wBefore], [-r2 / r1, w])];
    z = await mix([1, z], [c * eta, w]);
    eta *= -s;
    left = Math.abs(eta) / size;
    if (++count === products || left <= solved || !(length > rounding * most)) break;
  }
  return { z, left };
}

export interface Lowest<V = Vector> {
  /** The smallest eigenvalue seen. */
  readonly value: number;
  /** Its vector, which takes the same products again. */
  along(): Promise<V>;
}

/** Up to so many parameters matrices are formed, one product a column, and Lanczos' vectors are kept orthogonal. */
export const dense = 96;

/** The smallest eigenvalue of a symmetric matrix that so many products show: Lanczos from a vector. */
export async function lowest<V>(
  space: Space<V>,
  times: Products<V>,
  start: V,
  { products, orthogonal = false }: { products: number; orthogonal?: boolean },
): Promise<Lowest<V>> {
  const { mix, dot, rounding } = space;
  const unit = await mix([1 / Math.sqrt(await dot(start, start)), start]);
  const [diagonal, beside]: [number[], number[]] = [[], []];
  let most = 0;
  for await (const { alpha, length } of lanczos(space, times, unit, orthogonal)) {
    diagonal.push(alpha);
    most = Math.max(most, Math.abs(alpha));
    if (diagonal.length === products || !(length > 8 * rounding * most)) break;
    beside.push(length);
  }
  const { value, vector: shares } = lowestOfTridiagonal(diagonal, beside);
  const along = async (): Promise<V> => {
    let [sum, k] = [await mix([0, unit]), 0];
    for await (const { v } of lanczos(space, times, unit, orthogonal)) {
      sum = await mix([1, sum], [shares[k], v]);
      if (++k === shares.length) break;
    }
    return sum;
  };
  return { value, along };
}

/** By bisection on the number of negative pivots, then inverse iteration. */
export function lowestOfTridiagonal(
  a: readonly number[],
  b: readonly number[],
): { value: number; vector: number[] } {
  const k = a.length;
  const below = (x: number): number => {
    let [count, pivot] = [0, 1];
    for (let i = 0; i < k; i++) {
      pivot = a[i] - x - (i > 0 ? b[i - 1] ** 2 / pivot : 0) || 1e-300;
      if (pivot < 0) count++;
    }
    return count;
  };
  const reach = a.reduce((most, x, i) => Math.max(most, Math.abs(x) + (b[i - 1] ?? 0) + (b[i] ?? 0)), 0);
  let [low, high] = [-reach - 1e-300, reach];
  for (let round = 0; round < 80; round++) {
    const middle = (low + high) / 2;
    if (below(middle) > 0) high = middle;
    else low = middle;
  }
  // (T − low·I) is positive definite, or as good as singular: two rounds find its vector.
  const shift = low - 1e-10 * reach - 1e-300;
  let x = a.map((_, i) => 1 + i / k);
  for (let round = 0; round < 3; round++) {
    const pivots: number[] = [];
    const y = [...x];
    for (let i = 0; i < k; i++) {
      const factor = i > 0 ? b[i - 1] / pivots[i - 1] : 0;
      pivots.push(a[i] - shift - (i > 0 ? factor * b[i - 1] : 0) || 1e-300);
      if (i > 0) y[i] -= factor * y[i - 1];
    }
    for (let i = k - 1; i >= 0; i--) y[i] = (y[i] - (i < k - 1 ? b[i] * y[i + 1] : 0)) / pivots[i];
    const length = Math.hypot(...y);
    x = y.map((entry) => entry / length);
  }
  return { value: (low + high) / 2, vector: x };
}

export interface Minimiser {
  readonly step: Vector;
  /** ‖step‖ in the norm of the preconditioner. */
  readonly length: number;
  /** The predicted change of the quadratic model, at most 0. */
  readonly change: number;
}

/**
 * min ½ pᵀAp − bᵀp with ‖p‖ ≤ radius in the norm of a preconditioner M: conjugate gradients (Steihaug, 1983). Along a direction that
 * bends down it goes to the edge.
 */
export async function steihaug(
  times: Products,
  b: Vector,
  precondition: (r: Vector) => Vector,
  { radius, products, solved }: { radius: number; products: number; solved: number },
): Promise<Minimiser> {
  const n = b.length;
  const step = new Float64Array(n);
  const rest = b.slice();
  let z = precondition(rest);
  const along = z.slice();
  let rz = dot(rest, z);
  // ‖along‖², step·along and ‖step‖² in M, by recurrence.
  let [pp, sp, ss] = [rz, 0, 0];
  const enough = rz * solved * solved;
  const model = (): number => -0.5 * (dot(b, step) + dot(rest, step));
  for (let k = 0; k < products && rz > enough && rz > 0; k++) {
    const bent = await times(along);
    const curvature = dot(along, bent);
    const length = rz / curvature;
    const isBentDown = !(curvature > host.rounding * pp);
    if (isBentDown || ss + 2 * length * sp + length * length * pp >= radius * radius) {
      const way =
        (radius * radius - ss) /
        (sp + Math.sqrt(Math.max(0, sp * sp + pp * (radius * radius - ss))) || 1e-300);
      add(step, along, way);
      add(rest, bent, -way);
      return { step, length: radius, change: model() };
    }
    add(step, along, length);
    add(rest, bent, -length);
    ss += 2 * length * sp + length * length * pp;
    z = precondition(rest);
    const next = dot(rest, z);
    const turn = next / rz;
    for (let i = 0; i < n; i++) along[i] = z[i] + turn * along[i];
    sp = turn * (sp + length * pp);
    pp = next + turn * turn * pp;
    rz = next;
  }
  return { step, length: Math.sqrt(ss), change: model() };
}

/** z ↦ M⁻¹z for a symmetric M of finite numbers, made positive definite by adding to its diagonal; whether that only met rounding. */
export function cholesky(M: Vector, n: number): ((r: Vector) => Vector) & { readonly isPositive: boolean } {
  const diagonal = vector(n, (j) => Math.abs(M[j * n + j]) || 1);
  const L = new Float64Array(n * n);
  let shift = 1e-12;
  for (; shift < Number.POSITIVE_INFINITY; shift *= 100) {
    let isPositive = true;
    for (let i = 0; i < n && isPositive; i++)
      for (let j = 0; j <= i; j++) {
        let sum = M[i * n + j] + (i === j ? shift * diagonal[i] : 0);
        for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
        if (i !== j) L[i * n + j] = sum / L[j * n + j];
        else if (sum > 1e-14 * diagonal[i]) L[i * n + i] = Math.sqrt(sum);
        else isPositive = false;
      }
    if (isPositive) break;
  }
  const inverse = (r: Vector): Vector => {
    const z = r.slice();
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) z[i] -= L[i * n + k] * z[k];
      z[i] /= L[i * n + i];
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) z[i] -= L[k * n + i] * z[k];
      z[i] /= L[i * n + i];
    }
    return z;
  };
  return Object.assign(inverse, { isPositive: shift < 1e-9 });
}
