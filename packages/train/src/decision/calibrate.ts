// Recalibrates probabilities after retraining, on held-out rows: Platt's scaling, p = σ(a·s + b) with a > 0, changes no decision,
// because the threshold moves along. With several classes, one temperature scales all logits. The scaling becomes part of the last
// layer.
import { NdArray } from "@pliant/engine";
import type { Params } from "@pliant/learn";
import type { Decision } from "../problem/decision.js";
import type { Scored } from "./cut.js";

/** Scores become slope·s + shift. */
export interface Scaling {
  readonly slope: number;
  readonly shift: number;
}

const steps = 50;

/** The scaling of the least cross-entropy, by Newton's steps in (log a, b), each halved until it gains. */
export function scalingOf({ scores, examples, classes }: Scored): Scaling {
  const y = examples.y.data;
  const n = examples.count;
  const lossAt = (log: number, b: number): number => {
    const a = Math.exp(log);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      if (classes === 2) {
        const z = (y[i] === 1 ? -1 : 1) * (a * scores[i] + b);
        sum += Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
        continue;
      }
      let [top, total] = [Number.NEGATIVE_INFINITY, 0];
      for (let k = 0; k < classes; k++) top = Math.max(top, a * scores[i * classes + k]);
      for (let k = 0; k < classes; k++) total += Math.exp(a * scores[i * classes + k] - top);
      sum += Math.log(total) + top - a * scores[i * classes + y[i]];
    }
    return sum / n;
  };
  let [log, b] = [0, 0];
  let loss = lossAt(log, b);
  // Slopes by differences: two numbers are all that is sought.
  const h = 1e-4;
  for (let step = 0; step < steps; step++) {
    const [up, down] = [lossAt(log + h, b), lossAt(log - h, b)];
    const [right, left] = classes === 2 ? [lossAt(log, b + h), lossAt(log, b - h)] : [loss, loss];
    const slopes = [(up - down) / (2 * h), (right - left) / (2 * h)];
    const bends = [(up - 2 * loss + down) / h ** 2, (right - 2 * loss + left) / h ** 2];
    const moves = slopes.map((slope, i) => -slope / Math.max(1e-3, bends[i]));
    let [size, next] = [1, Number.POSITIVE_INFINITY];
    while (size > 1e-4) {
      next = lossAt(log + size * moves[0], b + size * moves[1]);
      if (next < loss) break;
      size /= 2;
    }
    if (!(next < loss - 1e-10)) break;
    [log, b, loss] = [log + size * moves[0], b + size * moves[1], next];
  }
  return { slope: Math.exp(log), shift: b };
}

export const scaledScores = (scored: Scored, { slope, shift }: Scaling): Scored => ({
  ...scored,
  scores: scored.scores.map((s) => slope * s + shift),
});

/** The same decisions about scaled scores. */
export const scaledDecision = (
  { threshold = 0, by, offsets }: Decision,
  { slope, shift }: Scaling,
): Decision => {
  const moved = (x: number): number => slope * x + shift;
  if (offsets) return { offsets: offsets.map((offset) => slope * offset) };
  return {
    threshold: moved(threshold),
    ...(by && {
      by: {
        ...by,
        thresholds: Object.fromEntries(Object.entries(by.thresholds).map(([g, x]) => [g, moved(x)])),
      },
    }),
  };
};

/** The model whose last layer has the scaling in it. */
export function scaledParams(params: Params, { slope, shift }: Scaling): Params {
  const last = params[params.length - 1];
  const times = (of: NdArray, by: (x: number) => number): NdArray =>
    new NdArray(Float32Array.from(of.data, by), of.shape);
  return [
    ...params.slice(0, -1),
    {
      ...last,
      weight: times(last.weight as NdArray, (w) => slope * w),
      bias: times(last.bias as NdArray, (b) => slope * b + shift),
    },
  ] as Params;
}
