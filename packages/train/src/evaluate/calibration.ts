// Whether probabilities are calibrated on some examples, and how large the error is by chance alone. If they are, the sum of p − y over
// a bin has the variance V = Σ p(1 − p), and its mean absolute value is √(2V/π).
import { calibrationError } from "@pliant/learn";

export interface Calibration {
  /** The class in question, of two; else it is about the predicted class. */
  readonly of?: string;
  /** The mean probability, and how often it happened. */
  readonly predicted: number;
  readonly observed: number;
  /** The expected calibration error, and what it is by chance where probabilities are true, with its deviation. */
  readonly error: number;
  readonly chance: { readonly mean: number; readonly deviation: number };
}

const bins = 15;

export function calibrationOf(p: ArrayLike<number>, happened: ArrayLike<number>, of?: string): Calibration {
  const n = p.length;
  const variances = new Float64Array(bins);
  let [predicted, observed] = [0, 0];
  for (let i = 0; i < n; i++) {
    variances[Math.min(Math.floor(p[i] * bins), bins - 1)] += p[i] * (1 - p[i]);
    predicted += p[i] / n;
    observed += happened[i] / n;
  }
  const sum = (of: (v: number) => number): number => variances.reduce((total, v) => total + of(v), 0);
  return {
    ...(of !== undefined && { of }),
    predicted,
    observed,
    error: calibrationError(p, happened, { bins }),
    chance: {
      mean: sum((v) => Math.sqrt((2 * v) / Math.PI)) / n,
      deviation: Math.sqrt(sum((v) => v * (1 - 2 / Math.PI))) / n,
    },
  };
}
