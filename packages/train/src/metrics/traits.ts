// What is known of every metric by its name: a metric that lacks an entry does not compile. Nothing here needs Node.
import type { Metric } from "../spec/spec.js";

export interface Traits {
  /** What the target must be. */
  readonly target: "class" | "number" | "any";
  /** Whether a larger value is better. */
  readonly moreIsBetter?: true;
  /** How its surrogate behaves in the parameters of a linear model, where that is known: Newton's steps want it smooth and convex. */
  readonly surrogate?: "smooth and convex" | "kinked";
  /** Whether its value is a share, whose levels are read in percentage points. */
  readonly isShare?: true;
}

const rate = { target: "class", surrogate: "smooth and convex", isShare: true } as const;

export const traits: Readonly<Record<Metric, Traits>> = {
  loss: { target: "any", surrogate: "smooth and convex" },
  error: rate,
  "false-positive-rate": rate,
  "false-negative-rate": rate,
  "positive-rate": rate,
  "demographic-parity": rate,
  "equalised-odds": rate,
  precision: { ...rate, moreIsBetter: true },
  "false-discovery-rate": rate,
  f1: { ...rate, moreIsBetter: true },
  "expected-cost": { target: "class", surrogate: "smooth and convex" },
  "mean-absolute-error": { target: "number", surrogate: "kinked" },
  "root-mean-square-error": { target: "number", surrogate: "smooth and convex" },
  "quantile-loss": { target: "number", surrogate: "kinked" },
  auc: { target: "class", moreIsBetter: true, isShare: true },
  cvar: { target: "any" },
  "calibration-error": { target: "class", isShare: true },
  margin: { target: "class", moreIsBetter: true, isShare: true },
  monotonicity: { target: "any", isShare: true },
  slope: { target: "any" },
  size: { target: "any", isShare: true },
  own: { target: "any" },
};
