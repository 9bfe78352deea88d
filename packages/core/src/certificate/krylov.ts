// Krylov methods on float64 vectors. All they need of a matrix is its product with a vector.
import { add, dot, norm, randomNumbers, scale, type Vector, vector } from "./vectors.js";

/** A product with v, perhaps written over a vector that is no longer needed; it may be written over too. */
export type Products = (v: Vector, into: Vector) => Promise<Vector> | Vector;

export interface Solved {
  readonly z: Vector;
  /** ‖b − Az‖/‖b‖. */
  readonly left: number;
}

/** A direction below this share of the one before is rounding. */
const rounding = 1e-13;

/** next ← next − α·v − β·before, of Lanczos' recurrence. */
function orthogonalise(next: Vector, v: Vector, alpha: number, before: Vector, beta: number): void {
  for (let i = 0; i < next.length; i++) next[i] -= alpha * v[i] + beta * before[i];
}

/** A z = b for a symmetric A, which may be indefinite or singular: MINRES (Paige and Saunders, 1975). */
export async function minres(
  times: Products,
  b: Vector,
  { products, solved }: { products: number; solved: number },
): Promise<Solved> {
  const n = b.length;
  const size = norm(b);
  const z = new Float64Array(n);
  if (!(size > 0)) return { z, left: 0 };
  let v = b.slice();
  scale(v, 1 / size);
  let [before, spare] = [new Float64Array(n), new Float64Array(n)];
  let [w, wBefore] = [new Float64Array(n), new Float64Array(n)];
  let [c, s, cBefore, sBefore, beta, eta, left, most] = [1, 0, 1, 0, 0, size, 1, 0];
  for (let k = 0; k < products && left > solved; k++) {
    const next = await times(v, spare);
    const alpha = dot(v, next);
    orthogonalise(next, v, alpha, before, beta);
    const length = norm(next);
    const r0 = c * alpha - cBefore * s * beta;
    const r1 = Math.hypot(r0, length);
    const [r2, r3] = [s * alpha + cBefore * c * beta, sBefore * beta];
    // ‖Ar‖ = ‖r‖·‖(r0, c·length)‖: where that is rounding beside ‖A‖ no further step makes the residual smaller.
    most = Math.max(most, Math.hypot(beta, alpha, length));
    if (!(Math.hypot(r0, c * length) > 1e-8 * most)) break;
    [cBefore, sBefore, c, s] = [c, s, r0 / r1, length / r1];
    const far = c * eta;
    for (let i = 0; i < n; i++) {
      const along = (v[i] - r3 * wBefore[i] - r2 * w[i]) / r1;
      wBefore[i] = along;
      z[i] += far * along;
    }
    [w, wBefore] = [wBefore, w];
    eta *= -s;
    left = Math.abs(eta) / size;
    if (!(length > rounding)) break;
    scale(next, 1 / length);
    [spare, before, v] = [before, v, next];
    beta = length;
  }
  return { z, left };
}

export interface Lowest {
  /** The smallest eigenvalue seen. */
  readonly value: number;
  /** Its vector, which takes the same products again. */
  along(): Promise<Vector>;
}

/** Up to so many parameters matrices are formed, one product a column, and vectors are kept orthogonal to all before them. */
export const dense = 96;

/** The smallest eigenvalue of a symmetric matrix, as far as so many products show it: Lanczos, with three vectors in memory. */
export async function lowest(times: Products, n: number, products: number): Promise<Lowest> {
  const lanczos = async (visit: (k: number, q: Vector) => void) => {
    const { normal } = randomNumbers();
    const basis: Vector[] = [];
    const [diagonal, beside]: [number[], number[]] = [[], []];
    let [before, spare] = [new Float64Array(n), new Float64Array(n)];
    let q = vector(n, normal);
    let size = norm(q);
    for (let k = 0; k < Math.min(products, n) && size > 1e-10; k++) {
      if (k > 0) beside.push(size);
      scale(q, 1 / size);
      visit(k, q);
      const next = await times(q, spare);
      const own = dot(q, next);
      diagonal.push(own);
      orthogonalise(next, q, own, before, k > 0 ? size : 0);
      if (n <= dense) {
        basis.push(q.slice());
        for (const other of basis) add(next, other, -dot(other, next));
      }
      size = norm(next);
      [spare, before, q] = [before, q, next];
    }
    return { diagonal, beside };
  };
  const { diagonal, beside } = await lanczos(() => {});
  const { value, vector: mix } = lowestOfTridiagonal(diagonal, beside);
  const along = async (): Promise<Vector> => {
    const sum = new Float64Array(n);
    await lanczos((k, q) => add(sum, q, mix[k]));
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
  const spare = new Float64Array(n);
  let z = precondition(rest);
  const along = z.slice();
  let rz = dot(rest, z);
  // ‖along‖², step·along and ‖step‖² in M, by recurrence.
  let [pp, sp, ss] = [rz, 0, 0];
  const enough = rz * solved * solved;
  const model = (): number => -0.5 * (dot(b, step) + dot(rest, step));
  for (let k = 0; k < products && rz > enough && rz > 0; k++) {
    const bent = await times(along, spare);
    const curvature = dot(along, bent);
    const length = rz / curvature;
    const isBentDown = !(curvature > rounding * pp);
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
