// The certificate of a problem with kinks, where no second derivative says how far a minimum is. The objective's error is the bound of
// an ε-subgradient (subgradient.ts), the requirements' errors are their own residuals.
import { beyond, type Checked, type CheckOptions, check } from "./certificate.js";
import type { LocalModel } from "./local-model.js";
import { type Point, residual, taken } from "./newton-kkt.js";
import { naturalSizes } from "./scales.js";
import { leastSlope } from "./subgradient.js";
import { dependent } from "./undetermined.js";
import { add, dot, larger, norm, type Vector, vector } from "./vectors.js";
import { type Failure, sentences } from "./words.js";

/** How far below the objective a bound may be, in units of what the tolerance makes of it. */
const below = 0.01;

export async function acrossKinks(model: LocalModel, point: Point, options: CheckOptions): Promise<Checked> {
  const smooth = await check(model, point, options);
  const { tolerance } = options;
  if (smooth.certificate.holds || smooth.lower) return smooth;
  const { step } = smooth;
  const { scales, at, augmented } = step;
  const { m } = model;
  // Where the Newton step does what it says no kink is in its way, and the errors that it shows are real.
  const { left } = await taken(model, step, scales);
  if (left < 0.5 * residual(at, augmented, scales)) return smooth;
  const ones = new Float64Array(m).fill(1);
  // In natural units: θ√d, and slopes over √d.
  const over = (v: Vector): Vector => vector(v.length, (j) => v[j] / Math.sqrt(scales.d[j]));
  const looked = async (z: Vector) => {
    const x = over(z);
    const { objective, slacks, gradient } = await model.augmented(x, point.prices, ones, { atPrices: true });
    let [value, summed] = [objective, Math.abs(objective)];
    for (let i = 0; i < m; i++) {
      value += point.prices[i] * slacks[i];
      summed += Math.abs(point.prices[i] * slacks[i]);
    }
    return { point: z, value, slope: over(gradient), rounding: 8 * model.epsilon * summed };
  };
  const pulled = vector(model.n, (j) => at.gradient[j] - scales.slope[j]);
  const along = Math.max(Math.abs(at.objective), scales.worth);
  // At a kink the slopes of both sides cancel: over the parameters' own size the objective changes by about itself.
  const theta = vector(model.n, (j) => point.x[j] * Math.sqrt(scales.d[j]));
  const parts = norm(over(scales.slope)) + norm(over(pulled));
  const length = Math.max(parts, along / (norm(theta) || 1));
  const { unit, sigma } = naturalSizes(scales, model.epsilon);
  const isPriced = vector(m, (i) => Number(model.followed[i] > 0 && augmented.active[i] > 0));
  const size = vector(m, (i) => Math.max(Math.abs(point.prices[i]), unit / sigma[i]));
  const shortest = size.reduce(
    (least, s, i) => (isPriced[i] > 0 ? Math.min(least, s * Math.sqrt(scales.t[i])) : least),
    length,
  );
  const least = await leastSlope(looked, theta, {
    length,
    along,
    error: below * tolerance * along,
    enough: (tolerance * shortest) / length,
  });
  // Kinks hold the parameters where they are in all directions in which slopes jump. In the others a requirement moves by f for a unit of
  // its price, and what its cost buys moves by C = t(1 − D)/D: a slope s leaves a price off by s√f/(f + C), and what its proximal step
  // would still move it by, times (t + C)/(f + C). Where f and C are 0 any of many prices holds the parameters there.
  const free = await responses(isPriced, kinkedDirections(least.sides, tolerance * length));
  const missed = vector(m, (i) => (isPriced[i] > 0 ? Math.abs(at.slacks[i] - augmented.relaxations[i]) : 0));
  const prices = vector(m, (i) => {
    if (isPriced[i] === 0) return proximal(i);
    const { active } = augmented;
    const answer = active[i] * free[i] + (1 - active[i]) * scales.t[i];
    if (answer < dependent * scales.t[i]) return Number.NaN;
    return (active[i] * Math.sqrt(free[i]) * least.slope * length + scales.t[i] * proximal(i)) / answer;
  });
  const known = vector(m, (i) => (Number.isNaN(prices[i]) ? proximal(i) : prices[i]));
  const relative = vector(m, (i) => (known[i] === 0 ? 0 : known[i] / size[i]));
  // A price that is off by δ buys t(1 − D)/D·δ more.
  const relaxations = vector(m, (i) => {
    if (model.followed[i] === 0 || options.firm[i] > 0) return 0;
    const bought =
      isPriced[i] > 0 ? (scales.t[i] * (1 - augmented.active[i]) * known[i]) / augmented.active[i] : 0;
    return Math.abs(point.relaxations[i] - augmented.relaxations[i]) + bought;
  });
  const relaxed = vector(m, (i) => relaxations[i] / Math.max(point.relaxations[i], sigma[i]) || 0);
  const paid = missed.reduce((sum, off, i) => sum + off * Math.abs(point.prices[i]), 0);
  const stationary = larger(least.slope, least.growth);
  const objective = (stationary * along + paid) / along;
  // What the slope makes of both is said once.
  const beside = stationary <= tolerance ? objective : paid / along;
  const failing = (what: "prices" | "relaxations", errors: Vector): Failure[] => {
    const names = beyond(errors, options);
    return names.length > 0 ? [{ what, names }] : [];
  };
  const failures: Failure[] = [
    ...(stationary <= tolerance ? [] : [{ what: "parameters", by: stationary } as const]),
    ...(beside <= tolerance ? [] : [{ what: "objective", by: objective } as const]),
    ...failing("prices", relative),
    ...failing("relaxations", relaxed),
    ...smooth.failures.filter(({ what }) => what === "missed" || what === "counted"),
  ];
  // Without requirements the bundle's lowest point is one to go on from; prices would follow what it does.
  return {
    ...smooth,
    ...(failures.length > 0 && m === 0 && least.lower && { lower: over(Float64Array.from(least.lower)) }),
    failures,
    errors: {
      ...smooth.errors,
      objective: objective * along,
      prices: vector(m, (i) => (model.followed[i] > 0 ? prices[i] : Number.NaN)),
      relaxations,
    },
    certificate: {
      ...smooth.certificate,
      holds: failures.length === 0,
      kind: options.convex ? "global" : "stationary",
      errors: {
        ...smooth.certificate.errors,
        objective,
        parameters: stationary,
        prices: relative.reduce(larger, 0),
        relaxations: relaxed.reduce(larger, 0),
        values: smooth.failures.some(({ what }) => what === "missed") ? smooth.certificate.errors.values : 0,
      },
      objectiveError: objective * along,
      short: sentences(failures),
    },
  };

  function proximal(i: number): number {
    return model.followed[i] > 0 ? Math.abs(point.prices[i] - augmented.prices[i]) : 0;
  }

  /** tᵢ, the squared length of each requirement's gradient in natural units, less what lies along these directions. */
  async function responses(asked: Vector, directions: readonly Vector[]): Promise<Vector> {
    const found = scales.t.slice();
    if (directions.length === 0) return found;
    for (let i = 0; i < m; i++) {
      if (asked[i] === 0) continue;
      const { Hv } = await scales.products({ w: vector(m, (k) => Number(k === i)) });
      const row = over(Hv);
      const held = directions.reduce((sum, q) => sum + dot(row, q) ** 2, 0);
      found[i] = Math.max(0, dot(row, row) - held);
    }
    return found;
  }
}

/** An orthonormal basis of the differences between slopes that are longer than what counts as none. */
function kinkedDirections([first, ...others]: readonly ArrayLike<number>[], none: number): Vector[] {
  const basis: Vector[] = [];
  for (const other of others) {
    const jump = vector(first.length, (j) => other[j] - first[j]);
    for (const q of basis) add(jump, q, -dot(jump, q));
    const size = norm(jump);
    if (size > none) basis.push(jump.map((x) => x / size));
  }
  return basis;
}
