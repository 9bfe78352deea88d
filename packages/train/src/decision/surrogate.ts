// The surrogate of counted decisions, which scores need for their gradient: reweighted logistic losses, convex in the scores,
//
//   Σ up·log(1 + exp(z)) + down·log(1 + exp(−z)),   z: the score from its threshold on
//
// where a row weighs as much as its decision moves what is counted, times the price. Of several classes z is by how much a class leads,
// and the other side −log of its probability.
import type { Tensor } from "@pliant/engine";
import { leadOf } from "../metrics/answers.js";
import type { Look } from "../metrics/metric.js";
import type { Comparison, Rule } from "./rule.js";
import type { Tally } from "./tally.js";

/** How much each row pulls against being given a class, and towards it, [rows × columns]: of two classes of the second alone. */
export interface Pull {
  readonly up: Float32Array;
  readonly down: Float32Array;
}

export const noPull = (rows: number, columns: number): Pull => ({
  up: new Float32Array(rows * columns),
  down: new Float32Array(rows * columns),
});

/** Adds what a tally's value weighs: how it changes with one more row that is given the class, of it or not. */
function addTally(
  pull: Pull,
  tally: Tally,
  { of, y, classes, weight, sums }: Adding & { readonly weight: number },
): void {
  const { marks, value, size } = tally;
  const columns = classes === 2 ? 1 : classes;
  if (of === undefined) {
    // For costs: towards the right class, by what a wrong one costs in the mean.
    for (let i = 0; i < marks.length; i++) {
      if (marks[i] === 0) continue;
      let cost = 0;
      for (let g = 0; g < classes; g++) if (g !== y[i]) cost += tally.first(i, g) - tally.first(i, y[i]);
      add(pull, i, y[i], columns, (-weight * cost) / (classes - 1) / size);
    }
    return;
  }
  const [tp, fp] = sums;
  const slope = [value(tp + 1, fp) - value(tp, fp), value(tp, fp + 1) - value(tp, fp)];
  for (let i = 0; i < marks.length; i++)
    if (marks[i] === 1) add(pull, i, of, columns, weight * slope[Number(y[i] !== of)]);
}

/** Positive against being given the class, negative towards it. */
function add({ up, down }: Pull, row: number, of: number, columns: number, by: number): void {
  const second = columns > 1 || of === 1;
  const at = columns > 1 ? row * columns + of : row;
  if (by > 0 === second) up[at] += Math.abs(by);
  else down[at] += Math.abs(by);
}

interface Adding {
  readonly of: number | undefined;
  readonly y: ArrayLike<number>;
  readonly classes: number;
  readonly sums: readonly [number, number];
}

/** Adds a comparison of a rule at a price; the sums are those of the rows that prices look at, in so many of those learnt from. */
export function addComparison(
  pull: Pull,
  rule: Rule,
  { own, base, factor }: Comparison,
  {
    price,
    y,
    classes,
    sums,
  }: { price: number; y: ArrayLike<number>; classes: number; sums(tally: Tally): readonly [number, number] },
): void {
  const { decides } = rule.stated.metric;
  const of = decides && "of" in decides ? decides.of : undefined;
  const sign = rule.stated.sense === "at least" ? -1 : 1;
  addTally(pull, own, { of, y, classes, sums: sums(own), weight: sign * price });
  if (base) addTally(pull, base, { of, y, classes, sums: sums(base), weight: -sign * factor * price });
}

/** Adds what wrong decisions cost. */
export const addCost = (pull: Pull, cost: Tally, y: ArrayLike<number>, classes: number): void =>
  addTally(pull, cost, { of: undefined, y, classes, sums: [0, 0], weight: 1 });

/** The sum, from an evaluation whose scores are relative to their threshold. */
export function pulled(look: Look, up: Tensor, down: Tensor): Tensor {
  if (look.score) {
    const z = look.score;
    return up.mul(z.softplus()).add(down.mul(z.neg().softplus())).sum();
  }
  const away = look.logits.logSoftmax().neg().mul(down).sum();
  const classes = look.logits.shape[1];
  return Array.from({ length: classes }, (_, k) =>
    leadOf(look, k)
      .softplus()
      .mul(up.slice([[], [k, k + 1]]).reshape([look.logits.shape[0]]))
      .sum(),
  ).reduce((sum, one) => sum.add(one), away);
}
