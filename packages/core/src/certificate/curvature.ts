// Whether a stationary point is a minimum. Two looks at the ground around it: the lowest curvature on the tangent space of what is active
// (Lanczos), and, where that is about 0 and the second order decides nothing, the augmented Lagrangian from displaced starts.
import { dense, host, lowest } from "./krylov.js";
import type { LocalModel } from "./local-model.js";
import type { KktStep, Point } from "./newton-kkt.js";
import { norm, plus, quotient, randomNumbers, roots, type Vector, vector } from "./vectors.js";

/** Products in the search for negative curvature. */
const products = 24;
/** Curvature, of a matrix whose diagonal is 1: negative below the first, and deciding nothing below the second. */
const [negative, flat] = [-1e-3, 1e-2];
/** The penalty of what is tight in that search, in natural units. */
const stiff = 100;
/** Displaced starts, by these shares of natural sizes, and the steps down from each. */
const shares = [0.3, 1, 0.1];
const steps = 25;

/** Random numbers of either sign. */
function fromTheMiddle(): () => number {
  const { uniform } = randomNumbers();
  return () => uniform() - 0.5;
}

export interface Ground {
  readonly kind: "minimum" | "saddle" | "not lowest";
  /** The curvature is well above 0 in all directions that were seen. */
  readonly isBowl: boolean;
  /** Lower ground, where there is some. */
  readonly lower?: Vector;
}

interface Options {
  /** What rounding makes of a merit, in units of it. */
  readonly rounding: number;
  /** What prices follow here and at other parameters, where some of it is counted. */
  readonly priced: Vector;
  readonly pricedAt?: (x: Vector) => Promise<Vector>;
}

/** c of H + Jᵀ(c ⊙ J): the curvature that D/(1 − D + 1/stiff) in natural units leaves to the tangent space. */
export const tangentPenalty = (active: Vector, t: Vector): Vector =>
  vector(t.length, (i) => active[i] / (1 - active[i] + 1 / stiff) / t[i]);

export async function inspectGround(
  model: LocalModel,
  point: Point,
  step: KktStep,
  { rounding, priced, pricedAt }: Options,
): Promise<Ground> {
  const { n } = model;
  const { d, t } = step.scales;
  const rd = roots(d);
  const { active } = step;
  const c = tangentPenalty(active, t);
  const penalty = c.some((x) => x !== 0) ? { c } : { withoutJv: true as const };
  const tangent = async (q: Vector): Promise<Vector> =>
    quotient((await step.scales.products({ v: quotient(q, rd), ...penalty })).Hv, rd);
  const start = vector(n, fromTheMiddle());
  const isSmall = n <= dense;
  const { value, along: towards } = model.krylov
    ? await model.krylov.lowest(point, { d, c }, start, products)
    : await lowest(host, tangent, start, { products: isSmall ? n : products, orthogonal: isSmall });
  if (!(value < flat)) return { kind: "minimum", isBowl: true };
  const isSaddle = value < negative;
  const along = isSaddle ? await towards() : new Float64Array(n);
  const size = Math.max(Math.abs(step.at.objective), step.scales.worth, step.scales.gain);
  const own = Math.max(1, norm(point.x) / Math.sqrt(n));
  // Where nothing bends d is rounding, and says nothing of the length of a step.
  const e = d.map((x) => Math.max(x, size / own ** 2) || 1);
  const { normal } = randomNumbers(7);
  const reach = (j: number): number => Math.min(size > 0 ? Math.sqrt((2 * size) / e[j]) : own, own);
  const random = shares.map((share) => vector(n, (j) => share * normal() * reach(j)));
  const down = [1, -1].map((side) =>
    vector(n, (j) => (side * along[j] * Math.sqrt((2 * (size || 1)) / Math.max(-value, flat))) / rd[j]),
  );
  const found = await descend(model, point, isSaddle ? await firstLower(model, point, down, t) : random, {
    e,
    t,
  });
  const known =
    Math.abs(step.dObjective) +
    Math.abs(step.at.gradient.reduce((sum, g, j) => sum + g * step.dx[j], 0)) +
    Math.abs(step.bend) +
    Math.abs(step.dPrices.reduce((sum, p, i) => sum + p * step.at.slacks[i], 0));
  const enough = 3 * known + rounding * (Math.abs(step.at.objective) + found.range);
  const isLower = found.fall > enough && found.fall - (await onlyByStandIns(found.lowest)) > enough;
  const lower = isLower ? { lower: found.lowest } : {};
  // The curvature of what stands for a count is none of the count's own.
  if (isSaddle && (isLower || !pricedAt)) return { kind: "saddle", isBowl: false, ...lower };
  return { kind: isLower ? "not lowest" : "minimum", isBowl: false, ...lower };

  /** By how much less the merit falls by counts themselves than by what stands for them. */
  async function onlyByStandIns(y: Vector): Promise<number> {
    if (!pricedAt) return 0;
    const [counts, { slacks }] = [await pricedAt(y), await model.augmented(y, point.prices, t)];
    return model.followed.reduce((sum, follows, i) => {
      if (follows > 0) return sum;
      return sum + point.prices[i] * (counts[i] - priced[i] - (slacks[i] - step.at.slacks[i]));
    }, 0);
  }
}

/** Along a direction that bends down a step that is short enough is lower: the longest of ever shorter ones that is. */
async function firstLower(
  model: LocalModel,
  { x, prices }: Point,
  sides: readonly Vector[],
  t: Vector,
): Promise<readonly Vector[]> {
  const here = (await model.augmented(x, prices, t)).merit;
  for (let share = 1; share > 1e-9; share /= 10) {
    const shorter = sides.map((side) => side.map((s) => s * share));
    for (const by of shorter) if ((await model.augmented(plus(x, by), prices, t)).merit < here) return [by];
  }
  return [];
}

/** From each displaced start some steps down the augmented Lagrangian, of Barzilai and Borwein's length. */
async function descend(
  model: LocalModel,
  { x, prices }: Point,
  displaced: readonly Vector[],
  { e, t }: { e: Vector; t: Vector },
): Promise<{ fall: number; range: number; lowest: Vector }> {
  const here = await model.augmented(x, prices, t);
  let best = { merit: here.merit, y: x };
  let range = 0;
  for (const by of displaced) {
    let y = plus(x, by);
    let at = await model.augmented(y, prices, t);
    if (!Number.isFinite(at.merit)) continue;
    range = Math.max(range, at.merit - here.merit);
    let rate = 1;
    for (let k = 0; k < steps; k++) {
      const z = new Float64Array(y.length);
      for (let j = 0; j < y.length; j++) z[j] = y[j] - (rate * at.gradient[j]) / e[j];
      const there = await model.augmented(z, prices, t);
      if (!(there.merit < at.merit)) {
        rate /= 4;
        continue;
      }
      let [ss, sy] = [0, 0];
      for (let j = 0; j < y.length; j++) {
        const s = z[j] - y[j];
        ss += e[j] * s * s;
        sy += s * (there.gradient[j] - at.gradient[j]);
      }
      rate = sy > 0 ? ss / sy : 2 * rate;
      [y, at] = [z, there];
    }
    if (at.merit < best.merit) best = { merit: at.merit, y };
  }
  return { fall: here.merit - best.merit, range, lowest: best.y };
}
