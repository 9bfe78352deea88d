// The certificate of a problem with kinks, where no second derivative says how far a minimum is. The objective's error is the bound of
// an ε-subgradient (subgradient.ts), the requirements' errors are their own residuals.
import { type Checked, type CheckOptions, check } from "./certificate.js";
import type { LocalModel } from "./local-model.js";
import { type Point, residual } from "./newton-kkt.js";
import { leastSlope } from "./subgradient.js";
import { larger, norm, plus, type Vector, vector } from "./vectors.js";
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
  const newton = plus(point.x, step.dx);
  const moved = plus(point.prices, step.dPrices);
  const there = await model.augmented(newton, moved, scales.t, { atPrices: true });
  const after = residual({ gradient: there.gradient, prices: moved }, there, scales);
  if (after < 0.5 * residual(at, augmented, scales)) return smooth;
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
  const least = await leastSlope(looked, theta, {
    length,
    along,
    error: below * tolerance * along,
    enough: tolerance,
  });
  // Prices and relaxations by what a proximal step of natural size would move them.
  const unit = scales.gain > 0 ? scales.gain : scales.worth;
  const sigma = scales.t.map((t) => Math.sqrt(2 * unit * t));
  const prices = vector(m, (i) =>
    model.followed[i] > 0 ? Math.abs(point.prices[i] - augmented.prices[i]) : 0,
  );
  const relative = vector(m, (i) =>
    prices[i] === 0 ? 0 : prices[i] / Math.max(Math.abs(point.prices[i]), unit / sigma[i]),
  );
  const relaxed = vector(m, (i) => {
    const off =
      model.followed[i] > 0 && options.firm[i] === 0 ? point.relaxations[i] - augmented.relaxations[i] : 0;
    return Math.abs(off) / Math.max(point.relaxations[i], sigma[i]) || 0;
  });
  const stationary = larger(least.slope, least.growth);
  const names = [
    ...new Set([...relative.keys()].filter((i) => !(relative[i] <= tolerance)).map(options.name)),
  ];
  const failures: Failure[] = [
    ...(stationary <= tolerance ? [] : [{ what: "parameters", by: stationary } as const]),
    ...(names.length > 0 ? [{ what: "prices", names } as const] : []),
    ...(relaxed.every((e) => e <= tolerance)
      ? []
      : [
          {
            what: "relaxations",
            names: [
              ...new Set([...relaxed.keys()].filter((i) => !(relaxed[i] <= tolerance)).map(options.name)),
            ],
          } as const,
        ]),
    ...smooth.failures.filter(({ what }) => what === "missed" || what === "counted"),
  ];
  return {
    ...smooth,
    failures,
    errors: {
      ...smooth.errors,
      objective: stationary * along,
      prices: prices.map(() => Number.NaN),
    },
    certificate: {
      ...smooth.certificate,
      holds: failures.length === 0,
      kind: options.convex ? "global" : "stationary",
      errors: {
        ...smooth.certificate.errors,
        objective: stationary,
        parameters: stationary,
        prices: relative.reduce(larger, 0),
        relaxations: relaxed.reduce(larger, 0),
        values: smooth.failures.some(({ what }) => what === "missed") ? smooth.certificate.errors.values : 0,
      },
      objectiveError: stationary * along,
      short: sentences(failures),
    },
  };
}
