// What decisions and probabilities come to on test rows: error, log-loss, AUC, and the sum that cases are judged by.
import { exactInterval } from "@pliant/learn";
import { gaveFor, type Kind, missedBy, type Rows } from "./cases.js";

export interface Answers {
  readonly given: readonly (number | string)[];
  /** The probability of the right class of each row; empty for a peer without probabilities. */
  readonly right?: readonly number[];
  /** For two classes: of the positive one. */
  readonly score?: readonly number[];
  /** For several classes: each one's log-probability. */
  readonly classScores?: readonly (readonly number[])[];
  readonly seconds: number;
}

export interface Scored {
  readonly error: number;
  readonly logLoss?: number;
  readonly auc?: number;
  /** By how much what must hold is missed; what wrong decisions and giving way cost. */
  readonly missed: number;
  readonly cost: number;
  readonly gave: number;
  /** Log-loss, decision cost and costs of giving way together. */
  readonly total?: number;
  /** By how much it is missed beyond chance, on as many test rows as were learnt from at most. */
  readonly missedBeyondChance: number;
  /** Whether every level that must hold lies in its 95% interval there, or is met. */
  readonly levelInInterval?: boolean;
  readonly seconds: number;
}

export function scored(
  kind: Kind,
  { given, right, score, seconds }: Answers,
  rows: Rows,
  costs: readonly number[],
  /** An interval is of no more test rows than were learnt from: these leave a threshold as open. */
  learnt: number,
): Scored {
  const n = rows.y.length;
  const wrong = given.map((g, i) => Number(String(g) !== String(rows.y[i])));
  const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / n;
  const logLoss = right && mean(right.map((p) => -Math.log(Math.max(p, 1e-12))));
  const cost = mean(wrong.map((w, i) => w * costs[i]));
  const gave = gaveFor(kind, given, rows);
  const first = { y: rows.y.slice(0, learnt), group: rows.group.slice(0, learnt) };
  const own = given.slice(0, learnt);
  /** By how much each level that must hold is out of its interval. */
  const beyond = kind.asked.flatMap((one) => {
    if (!one.hard) return [];
    if (one.chance) return [Math.max(0, one.excess(own, first) - one.chance(own, first))];
    if (!one.share) return [];
    const { part, of, level, atLeast } = one.share(own, first);
    if (of === 0) return [1];
    const { low, high } = exactInterval(Math.round(part), of);
    return [Math.max(0, atLeast ? level - high : low - level)];
  });
  return {
    error: mean(wrong),
    ...(logLoss !== undefined && { logLoss, total: logLoss + cost + gave }),
    ...(score && { auc: aucOf(score, rows.y) }),
    missed: missedBy(kind, given, rows),
    missedBeyondChance: Math.max(0, ...beyond),
    cost,
    gave,
    ...(beyond.length > 0 && { levelInInterval: beyond.every((by) => by === 0) }),
    seconds,
  };
}

function aucOf(score: readonly number[], y: Rows["y"]): number {
  const order = Array.from(score, (_, i) => i).sort((a, b) => score[a] - score[b]);
  let [ranks, positives] = [0, 0];
  for (let i = 0; i < order.length; ) {
    let j = i;
    while (j < order.length && score[order[j]] === score[order[i]]) j++;
    for (let k = i; k < j; k++)
      if (Number(y[order[k]]) === 1) {
        ranks += (i + j + 1) / 2;
        positives++;
      }
    i = j;
  }
  return (ranks - (positives * (positives + 1)) / 2) / (positives * (score.length - positives));
}
