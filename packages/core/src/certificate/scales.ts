// The natural sizes of a problem at a point, from its curvature there. No units, no start and no constant in the objective enter.
//
//   dⱼ  how a parameter bends:                    |Hⱼⱼ|, and what priced requirements add where H says nothing (a linear programme)
//   tᵢ  how far a requirement moves for a unit of its price:   Σⱼ Jᵢⱼ²/dⱼ
//   U   what dropping all prices would gain:      ½ Σⱼ (Jᵀλ)ⱼ²/dⱼ, or each by itself: ½ Σᵢ λᵢ²tᵢ

import { isFiniteArray } from "../problem/finite-array.js";
import { cholesky, dense } from "./krylov.js";
import { type Along, type LocalModel, NotSmoothError } from "./local-model.js";
import { dot, norm, plus, quotient, randomNumbers, roots, square, type Vector, vector } from "./vectors.js";

/** Hv + Jᵀ(w + c ⊙ Jv) and Jv, as far as they are known without further work on the device. */
export type Products = (along: Along) => Promise<{ Hv: Vector; Jv: Vector }>;

export interface Scales {
  readonly d: Vector;
  readonly t: Vector;
  /** What the objective changes by over the parameters' own size, or prices pay for their levels: a constant in it says nothing. */
  readonly worth: number;
  /** U, ∇ℓ₀, and ½θᵀdθ of the curvature alone. */
  readonly gain: number;
  readonly slope: Vector;
  readonly bent: number;
  /** What rounding may make of ∇ℓ₀ + Jᵀλ, a sum of parts that cancel at a minimum, and of g + tλ. */
  readonly rounding: { readonly slope: Vector; readonly slack: Vector };
  /** Whether anything bends at all. */
  readonly bends: boolean;
  /** r ↦ (H + Σ cᵢJᵢᵀJᵢ)⁻¹r where matrices are at hand, and whether that is positive definite; r/d elsewhere. */
  preconditioner(c: Vector): ((r: Vector) => Vector) & { readonly isPositive?: boolean };
  /** Products with H and J at this point, from matrices where the problem is small. */
  readonly products: Products;
}

/** Where no matrices are formed, diagonals are estimated from so many random products; the first ones only find the units. */
const probes = 12;
const rounds = [1, 2, probes - 3];
/** So many roundings of a number are nothing. */
const roundings = 16;
/** d below this share of its usual size is rounding. */
const rounding = 1e-14;

/**
 * The natural sizes of what is 0: a slack's σ = √(2Ut), a price's U/σ. Where nothing is priced, or prices are worth no more than their
 * rounding, U is what the parameters are worth.
 */
export function naturalSizes(
  { t, gain, worth }: Pick<Scales, "t" | "gain" | "worth">,
  epsilon: number,
): { unit: number; sigma: Vector } {
  const unit = gain > epsilon * worth ? gain : worth;
  return { unit, sigma: t.map((ti) => Math.sqrt(2 * unit * ti)) };
}

export interface At {
  readonly x: Vector;
  readonly prices: Vector;
  readonly slacks: Vector;
  /** ∇(ℓ₀ + λ·g). */
  readonly gradient: Vector;
  readonly objective: number;
  /** Requirements bend too, as a penalty of this share of the objective over their own size would: for steps before prices are known. */
  readonly penalty?: number;
}

export async function measureScales(model: LocalModel, at: At): Promise<Scales> {
  const { n, m } = model;
  const { x, prices, gradient } = at;
  const products = n <= dense ? await matrices(model, at) : direct(model, at);
  const { Hv: pulled } = await products({ w: prices });
  const slope = plus(gradient, pulled, -1);
  const d = products.columns
    ? products.columns.d
    : model.krylov
      ? await model.krylov.rows({ x, prices }, vector(n, randomNumbers(1).uniform), rounds)
      : await estimatedRows(products, n);
  if (!isFiniteArray({ data: d })) throw new NotSmoothError("A second derivative");
  const { Jv: Jx } = await products({ v: x });
  const bent = 0.5 * square(x, d);
  const priced = prices.reduce(
    (sum, price, i) => sum + Math.abs(price) * Math.max(Math.abs(model.levels[i]), Math.abs(Jx[i])),
    0,
  );
  const worth = Math.max(Math.abs(dot(slope, x)), priced, bent);
  const byCurvature = movedByCurvature();
  // What a requirement changes by over the parameters' own size; where that is nothing, over what the objective's curvature allows.
  const own = vector(m, (i) =>
    Math.max(Math.abs(model.levels[i]), Math.abs(at.slacks[i]), Math.abs(Jx[i]), byCurvature[i]),
  );
  const largest = own.reduce((a, b) => Math.max(a, b), 0) || 1;
  // A level of 0 has no size of its own, nor has what rounding alone keeps from it.
  for (let i = 0; i < m; i++)
    if (model.levels[i] === 0 && own[i] <= model.epsilon * largest) own[i] = largest;
  const assumed = worth || 1;
  const stiff = vector(m, (i) =>
    Math.sqrt(Math.max(prices[i] ** 2 / assumed, ((at.penalty ?? 0) * assumed) / own[i] ** 2)),
  );
  await addRequirements();
  // Before flat directions are given the curvature of others, which rounds nothing there.
  const few = roundings * model.epsilon;
  const slopeRounding = vector(
    n,
    (j) => few * (Math.sqrt(2 * worth * d[j]) + Math.abs(slope[j]) + Math.abs(pulled[j])),
  );
  const bends = fill(d, model.tiny);
  const t = await responses();
  // Where its gradient vanishes a requirement still has a size of its own.
  const least = at.penalty === undefined ? Math.sqrt(model.epsilon) : 1e-3;
  for (let i = 0; i < m; i++) t[i] = Math.max(t[i], (least * own[i] ** 2) / assumed);
  const slackRounding = vector(m, (i) => few * (own[i] + t[i] * Math.abs(prices[i])));
  const rounding = { slope: slopeRounding, slack: slackRounding };
  // All prices together, or each by itself: those that pull against each other are worth something too.
  let [together, apart] = [0, 0];
  for (let j = 0; j < n; j++) together += (0.5 * pulled[j] * pulled[j]) / d[j];
  for (let i = 0; i < m; i++) apart += 0.5 * prices[i] * prices[i] * t[i];
  const gain = Math.max(together, apart);
  const preconditioner: Scales["preconditioner"] = (c) => {
    if (!products.columns) return (r) => quotient(r, d);
    const { H, J } = products.columns;
    const M = Float64Array.from(H);
    for (let a = 0; a < n; a++)
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let i = 0; i < m; i++) if (c[i] !== 0) sum += c[i] * J[a * m + i] * J[b * m + i];
        M[a * n + b] += sum;
        if (a !== b) M[b * n + a] += sum;
      }
    return cholesky(M, n);
  };
  return { d, t, worth, gain, slope, bent, rounding, bends, preconditioner, products };

  /** √(worth Σⱼ Jᵢⱼ²/dⱼ), where matrices are at hand. */
  function movedByCurvature(): Vector {
    const moved = new Float64Array(m);
    if (!products.columns || at.penalty === undefined) return moved;
    const { J } = products.columns;
    let falls = worth;
    if (falls === 0) for (let j = 0; j < n; j++) if (d[j] > 0) falls += (0.5 * slope[j] * slope[j]) / d[j];
    for (let j = 0; j < n; j++)
      if (d[j] > 0) for (let i = 0; i < m; i++) moved[i] += (falls * J[j * m + i] ** 2) / d[j];
    return moved.map(Math.sqrt);
  }

  /** d ← d + Σᵢ stiffᵢ² Jᵢⱼ². */
  async function addRequirements(): Promise<void> {
    if (m === 0) return;
    if (products.columns) {
      const { J } = products.columns;
      for (let j = 0; j < n; j++) for (let i = 0; i < m; i++) d[j] += (stiff[i] * J[j * m + i]) ** 2;
      return;
    }
    if (stiff.every((s) => s === 0)) return;
    const { sign } = randomNumbers(2);
    const draws = 4;
    for (let k = 0; k < draws; k++) {
      const { Hv } = await products({ w: vector(m, (i) => sign() * stiff[i]) });
      for (let j = 0; j < n; j++) d[j] += (Hv[j] * Hv[j]) / draws;
    }
  }

  /** tᵢ. */
  async function responses(): Promise<Vector> {
    const t = new Float64Array(m);
    if (m === 0) return t;
    if (products.columns) {
      const { J } = products.columns;
      for (let j = 0; j < n; j++) for (let i = 0; i < m; i++) t[i] += J[j * m + i] ** 2 / d[j];
    } else if (m <= probes) {
      for (let i = 0; i < m; i++) {
        const { Hv } = await products({ w: vector(m, (k) => Number(k === i)) });
        for (let j = 0; j < n; j++) t[i] += (Hv[j] * Hv[j]) / d[j];
      }
    } else {
      const { sign } = randomNumbers(3);
      for (let k = 0; k < probes; k++) {
        const { Jv } = await products({ v: vector(n, (j) => sign() / Math.sqrt(d[j])) });
        for (let i = 0; i < m; i++) t[i] += Jv[i] ** 2 / probes;
      }
    }
    const most = t.reduce((a, b) => Math.max(a, b), 0) || 1;
    return t.map((x) => Math.max(x, 1e-20 * most));
  }
}

/** Parameters that bend nowhere bend as the others do on average; false where none does. */
function fill(d: Vector, tiny: number): boolean {
  let [logs, some] = [0, 0];
  // Of many a part says as much, unless hardly any bend.
  for (const apart of [Math.ceil(d.length / 1e5), 1]) {
    if (some > 0) break;
    for (let j = 0; j < d.length; j += apart)
      if (d[j] > tiny && Number.isFinite(d[j])) {
        logs += Math.log(d[j]);
        some++;
      }
  }
  const usual = some > 0 ? Math.exp(logs / some) : 1;
  for (let j = 0; j < d.length; j++) if (!(d[j] > rounding * usual)) d[j] = usual;
  return some > 0;
}

type Known = Products & { columns?: { d: Vector; H: Vector; J: Vector } };

const direct = ({ m, n, ...model }: LocalModel, { x, prices }: At): Known =>
  (async (along) => {
    // Requirements that are not asked for, and prices of 0, take no product.
    if (!along.v && along.w?.every((w) => w === 0))
      return { Hv: new Float64Array(n), Jv: new Float64Array(m) };
    return model.products(x, prices, along);
  }) as Known;

/** H and J, column by column; products with them then cost nothing on the device. */
async function matrices(model: LocalModel, { x, prices }: At): Promise<Known> {
  const { n, m } = model;
  const H = new Float64Array(n * n);
  const J = new Float64Array(n * m);
  for (let j = 0; j < n; j++) {
    const { Hv, Jv } = await model.products(x, prices, { v: vector(n, (i) => Number(i === j)) });
    H.set(Hv, j * n);
    J.set(Jv, j * m);
  }
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) H[i * n + j] = H[j * n + i] = (H[i * n + j] + H[j * n + i]) / 2;
  const times: Products = ({ v, w, c }) => {
    const [Hv, Jv] = [new Float64Array(n), new Float64Array(m)];
    for (let j = 0; j < n; j++) {
      if (!v || v[j] === 0) continue;
      for (let i = 0; i < n; i++) Hv[i] += H[j * n + i] * v[j];
      for (let i = 0; i < m; i++) Jv[i] += J[j * m + i] * v[j];
    }
    if (!w && !c) return Promise.resolve({ Hv, Jv });
    const pull = vector(m, (i) => (w ? w[i] : 0) + (c ? c[i] * Jv[i] : 0));
    for (let j = 0; j < n; j++) for (let i = 0; i < m; i++) Hv[j] += J[j * m + i] * pull[i];
    return Promise.resolve({ Hv, Jv });
  };
  // A diagonal of 0 says nothing where others in its row bend.
  const d = vector(n, (j) => Math.abs(H[j * n + j]) || norm(H.subarray(j * n, (j + 1) * n)));
  return Object.assign(times, { columns: { d, H, J } });
}

/** Equilibration: d with rows of d^−½Hd^−½ of length 1, from products with random signs in the units found so far. */
async function estimatedRows(products: Products, n: number): Promise<Vector> {
  const { sign } = randomNumbers(1);
  const d = new Float64Array(n).fill(1);
  for (const count of rounds) {
    const [rd, squares] = [roots(d), new Float64Array(n)];
    for (let k = 0; k < count; k++) {
      const { Hv } = await products({ v: rd.map((root) => sign() / root), withoutJv: true });
      for (let j = 0; j < n; j++) squares[j] += Hv[j] * Hv[j];
    }
    // Terms may cancel in a few probes of a row that does bend.
    const isLast = count === rounds[rounds.length - 1];
    for (let j = 0; j < n; j++)
      if (squares[j] > 0 || isLast)
        d[j] = squares[j] === 0 ? 1e-30 * d[j] : Math.sqrt((d[j] * squares[j]) / count);
  }
  return d;
}
