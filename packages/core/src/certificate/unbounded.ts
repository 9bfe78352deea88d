// Whether the augmented Lagrangian has a minimum. Along a ray a convex function that has one rises in the end. One that falls for ever either goes on
// falling at the same pace (unbounded) or towards a bound that it never reaches, with |φ′(s)| < ε/s: so it is with separable data, where
// larger weights always lower the loss.
import type { LocalModel } from "./local-model.js";
import type { KktStep } from "./newton-kkt.js";
import { dot, plus, square, type Vector, vector } from "./vectors.js";

/** How far out, in units of the point itself. */
const far = [2, 4, 16, 64, 256, 1024];
const farther = [2 ** 20, 2 ** 30, 2 ** 40];
/** Still falling at this share of its pace there, the function is taken to be unbounded. */
const samePace = 0.99;

export type Unbounded = "falls without bound" | "falls towards a bound";

export async function fallsForEver(
  model: LocalModel,
  { at: { x, prices }, dx, scales: { d, t, bent } }: KktStep,
): Promise<Unbounded | undefined> {
  const slopeAt = async (p: Vector, s: number): Promise<number> => {
    const { gradient } = await model.augmented(plus(x, p, s - 1), prices, t);
    return dot(gradient, p);
  };
  let from = 0;
  const parts = model.arrays.map((size) => {
    const [a, b] = [from, from + size];
    from = b;
    return vector(x.length, (j) => (j >= a && j < b ? x[j] : 0));
  });
  const grown = Math.sqrt(dot(x, x) / (dot(dx, dx) || 1));
  const rays = [x, ...(parts.length > 1 ? parts : []), dx.map((s) => s * grown)];
  for (const p of rays) {
    const first = await slopeAt(p, 1);
    // Below this it is rounding.
    const nothing = 16 * model.epsilon * Math.sqrt(2 * bent * square(p, d));
    if (!(first < -nothing)) continue;
    let last = first;
    let falls = true;
    for (const s of far) {
      const next = await slopeAt(p, s);
      // A pace that drops to exactly 0 at once has reached a flat bottom.
      if (!(next <= 0) || (next === 0 && last === first)) falls = false;
      if (!falls) break;
      last = next;
    }
    if (!falls) continue;
    if (-last * far[far.length - 1] <= -first) return "falls towards a bound";
    for (const s of farther) last = Math.max(last, await slopeAt(p, s));
    if (last <= samePace * first) return "falls without bound";
  }
  return undefined;
}

/** Halvings after which no parameters are large any more. */
const halvings = 130;
/** A slope this small beside that at 0 has died out on the way. */
const diedOut = 1e-6;

/**
 * Whether a point without slope and curvature lies on a flat bottom, as that of a hinge. Towards 0 a slope appears: one of ordinary size at the
 * edge of the bottom, next to nothing where exponentials have underflowed.
 */
export async function isFlatBottom(
  model: LocalModel,
  { at: { x, prices }, scales: { t } }: KktStep,
): Promise<boolean> {
  const slopeAt = async (s: number): Promise<number> =>
    dot(
      (
        await model.augmented(
          x.map((v) => v * s),
          prices,
          t,
        )
      ).gradient,
      x,
    );
  for (let k = 1; k <= halvings; k++) {
    const slope = await slopeAt(2 ** -k);
    if (slope !== 0) return Math.abs(slope) > diedOut * Math.abs(await slopeAt(0));
  }
  return false;
}
