// The paper's example of a problem that hard empirical constraints make unlearnable: they exclude the best model for any number of
// samples, while the resilient problem finds it.
import { random } from "@pliant/engine";

/** Models θ and their true objective; b is the best that meets the true requirements θ₁ ≥ 1 and θ₂ ≤ 1. */
const candidates = { a: [1 / 2, 1 / 2], b: [1, 1], c: [1, 1 / 3], d: [1, 0] } as const;
const best = 1 / 16;
const near = (value: number): boolean => Math.abs(value - best) <= 1 / 64;
type Name = keyof typeof candidates;
const names = Object.keys(candidates) as Name[];

/** How often each method finds the best model of the paper's example, by number of samples. */
export interface LearnabilityRow {
  /** Samples. */
  readonly n: number;
  /** How often each method picks the best model. */
  readonly resilientPicksB: number;
  readonly empiricalPicksB: number;
  /** The same for the problem relaxed by a fixed amount, by that amount. */
  readonly fixed: Readonly<Record<number, { readonly picksB: number; readonly within: number }>>;
  /** How often the value of the empirical constrained problem is within 1/64 of the true one. */
  readonly empiricalWithin: number;
}

interface Trial {
  resilient: Name;
  empirical: Name;
  /** In the order of `fixedRelaxations`. */
  fixed: { name: Name; objective: number }[];
  value: number;
}

/** u₁ = u₂ of the paper's relaxed problem, chosen before the samples are seen. */
const fixedRelaxations = [0.05, 0.2, 0.6] as const;

function trial(key: random.Key, n: number): Trial {
  const [t, a, side] = random.split(key, 3);
  const draw = (k: random.Key, low: number, high: number) =>
    random.uniform(k, [n], { low, high, dtype: "float64" }).data;
  const tau = draw(t, -0.5, 0.5);
  const height = draw(a, 0, 0.25);
  const first = random.bernoulli(side, [n], 0.5).data;
  // Objective and requirements see the same τ; its mean tilts them: θ₁ ≥ 1 + t̄θ₂ − u₁ and θ₂ ≤ 1 + t̄θ₁ + u₂.
  let tilt = 0;
  for (const value of tau) tilt += value / n;

  const judged = names.map((name) => {
    const [p, q] = candidates[name];
    let objective = 0;
    for (let i = 0; i < n; i++) objective += Math.abs(first[i] ? (p - q) * tau[i] : q * height[i]) / n;
    const [u1, u2] = [Math.max(0, 1 + tilt * q - p), Math.max(0, q - 1 - tilt * p)];
    return { name, objective, needed: Math.max(u1, u2), cost: objective + (u1 * u1 + u2 * u2) / 2 };
  });
  const least = <T>(list: readonly T[], of: (item: T) => number): T =>
    list.reduce((x, y) => (of(y) < of(x) ? y : x));
  const relaxedBy = (u: number) =>
    least(
      judged.filter(({ needed }) => needed <= u),
      ({ objective }) => objective,
    );
  const empirical = relaxedBy(0);
  return {
    resilient: least(judged, ({ cost }) => cost).name,
    empirical: empirical.name,
    fixed: fixedRelaxations.map(relaxedBy),
    value: empirical.objective,
  };
}

/** Simulates the paper's example of a problem that insisting makes unlearnable; one row a number of samples. */
export function learnability(
  trials: number,
  seed: number,
  sizes: readonly number[] = [10, 30, 100, 300],
): LearnabilityRow[] {
  return sizes.map((n) => {
    const key = random.foldIn(random.key(seed), n);
    const runs = Array.from({ length: trials }, (_, i) => trial(random.foldIn(key, i), n));
    const share = (holds: (run: Trial) => boolean) => runs.filter(holds).length / trials;
    return {
      n,
      resilientPicksB: share(({ resilient }) => resilient === "b"),
      empiricalPicksB: share(({ empirical }) => empirical === "b"),
      fixed: Object.fromEntries(
        fixedRelaxations.map((u, i) => [
          u,
          {
            picksB: share(({ fixed }) => fixed[i].name === "b"),
            within: share(({ fixed }) => near(fixed[i].objective)),
          },
        ]),
      ),
      empiricalWithin: share(({ value }) => near(value)),
    };
  });
}
