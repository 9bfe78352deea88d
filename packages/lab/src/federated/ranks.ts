// The client-rank comparison of two runs: accuracies of each, best first, compared place by place.

import { largest, mean } from "../statistics.js";
import type { Row } from "./row.js";

export const ordered = ({ perClient }: Pick<Row, "perClient">): number[] =>
  perClient.map((client) => client.testAccuracy).sort((a, b) => b - a);

/** Shares in percent, changes in points of accuracy. */
export interface RankComparison {
  /** Places at which the first is better, ties not counted. */
  readonly better: number;
  /** Places at which the first is at least as good, as the paper counts. */
  readonly atLeast: number;
  /** Over the places that gain, and over those that lose; 0 where there are none. */
  readonly meanGain: number;
  readonly maxGain: number;
  readonly meanLoss: number;
  readonly maxLoss: number;
}

export function compareRanks(first: Pick<Row, "perClient">, second: Pick<Row, "perClient">): RankComparison {
  const other = ordered(second);
  const changes = ordered(first).map((accuracy, place) => accuracy - other[place]);
  const gains = changes.filter((change) => change > 0);
  const losses = changes.filter((change) => change < 0).map((change) => -change);
  const share = (count: number) => (100 * count) / changes.length;
  return {
    better: share(gains.length),
    atLeast: share(changes.length - losses.length),
    meanGain: gains.length > 0 ? mean(gains) : 0,
    maxGain: Math.max(0, largest(gains)),
    meanLoss: losses.length > 0 ? mean(losses) : 0,
    maxLoss: Math.max(0, largest(losses)),
  };
}
