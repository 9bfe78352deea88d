// The paper's first figure: three problems with one requirement, from easy to impossible, and where each one's price
// meets the slope of the relaxation cost.
import { atMost, minimise, quadratic, sgd, solve } from "@pliant/core";
import { full, type Tensor } from "@pliant/engine";

/** The sensitivity of the optimal objective to a relaxation u: −P'(u) = H((u − T + δ)^(−½) − (Z − T)^(−½)), 0 beyond Z. */
export interface Curve {
  readonly label: string;
  readonly height: number;
  /** Below this relaxation the problem is infeasible. */
  readonly threshold: number;
  /** From this relaxation on the requirement is inactive. */
  readonly zero: number;
  readonly shift: number;
}

/** The three problems of the paper's first figure. */
export const curves: readonly Curve[] = [
  { label: "easy", height: 0.5, threshold: -0.6, zero: 0.8, shift: 0 },
  { label: "difficult", height: 0.6, threshold: -0.2, zero: 2.8, shift: 0 },
  { label: "infeasible", height: 0.6, threshold: 0.3, zero: 5, shift: 0.1 },
];

export function sensitivity({ height, threshold, zero, shift }: Curve, u: number): number {
  return u >= zero ? 0 : height * ((u - threshold + shift) ** -0.5 - (zero - threshold) ** -0.5);
}

/** The figure's cost h = u²/4: its slope is the line u/2. */
export const figureCost = quadratic(0.25);

/** The equilibrium of one of the figure's problems. */
export interface Equilibrium {
  readonly label: string;
  readonly u: number;
  readonly price: number;
}

/**
 * Solves each curve as a problem: minimise P(x), whose slope is the negative sensitivity, subject to x ≤ 0. The solver sees gradients
 * only.
 */
export async function equilibria(tolerance = 1e-9): Promise<Equilibrium[]> {
  const found: Equilibrium[] = [];
  for (const { label, height, threshold, zero, shift } of curves) {
    const task = minimise({
      params: { x: full([], 1, "float64") },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => {
        const level = x.minimum(zero);
        const root = level
          .sub(threshold - shift)
          .maximum(1e-6)
          .sqrt();
        return level
          .mul((zero - threshold) ** -0.5)
          .sub(root.mul(2))
          .mul(height);
      },
    }).subjectTo({ level: atMost(0, (x) => x) }, { cost: figureCost });
    const { report } = await solve(task, {
      data: full([], 0, "float64"),
      optimizer: sgd(0.5),
      dualRate: 0.5,
      tolerance,
      steps: 20_000,
    });
    const { relaxation, price } = report.requirements.level;
    found.push({ label, u: relaxation, price });
  }
  return found;
}
