// Decisions at a threshold, from counts of rows by score: rates, the confusion of a group, and the curves over all thresholds.
import type { GroupCounts, ModelView } from "../../../src/held-out.js";

export interface Confusion {
  readonly truePositives: number;
  readonly falseNegatives: number;
  readonly falsePositives: number;
  readonly trueNegatives: number;
}

/** Rows above each edge, and 0 above the last: summed once, so that a threshold that moves reads them. */
const above = new WeakMap<readonly number[], Float64Array>();
function aboveIn(counts: readonly number[]): Float64Array {
  const known = above.get(counts);
  if (known) return known;
  const sums = new Float64Array(counts.length + 1);
  for (let i = counts.length - 1; i >= 0; i--) sums[i] = sums[i + 1] + counts[i];
  above.set(counts, sums);
  return sums;
}

/** Rows above the edge of this place are decided positive. */
export function confusionAt({ positives, negatives }: GroupCounts, place: number): Confusion {
  const [p, n] = [aboveIn(positives), aboveIn(negatives)];
  return {
    truePositives: p[place],
    falseNegatives: p[0] - p[place],
    falsePositives: n[place],
    trueNegatives: n[0] - n[place],
  };
}

/** Undefined where it would be a share of no rows. */
const share = (part: number, whole: number): number | undefined => (whole > 0 ? part / whole : undefined);

export const rates = {
  "false negative rate": (c: Confusion) => share(c.falseNegatives, c.truePositives + c.falseNegatives),
  "false positive rate": (c: Confusion) => share(c.falsePositives, c.falsePositives + c.trueNegatives),
  "positive rate": (c: Confusion) => share(c.truePositives + c.falsePositives, rowsOf(c)),
  precision: (c: Confusion) => share(c.truePositives, c.truePositives + c.falsePositives),
  error: (c: Confusion) => share(c.falseNegatives + c.falsePositives, rowsOf(c)),
} as const;

export const recall = (c: Confusion) => share(c.truePositives, c.truePositives + c.falseNegatives);

export const rowsOf = (c: Confusion): number =>
  c.truePositives + c.falseNegatives + c.falsePositives + c.trueNegatives;

/** The place of a threshold among the edges: the nearest at or above it. */
export function placeOf({ edges }: Pick<ModelView, "edges">, threshold: number): number {
  const found = edges.findIndex((edge) => edge >= threshold);
  return found < 0 ? edges.length - 1 : found;
}

/** The threshold that the run decides by in a group. */
export function ownThreshold({ threshold }: Pick<ModelView, "threshold">, value: string): number | undefined {
  if (threshold === null || threshold === undefined) return undefined;
  if (typeof threshold === "number") return threshold;
  return Object.hasOwn(threshold, value) ? threshold[value] : undefined;
}

/** The place that decides in a group: the one that was chosen for all, else the run's own. */
export function placeFor(view: ModelView, { value }: GroupCounts, moved: number | undefined): number {
  const own = ownThreshold(view, value);
  return moved ?? (own === undefined ? middleOf(view) : placeOf(view, own));
}

/** Where groups have thresholds of their own, all rows together have none. */
export const middleOf = (view: ModelView): number =>
  typeof view.threshold === "number" ? placeOf(view, view.threshold) : Math.floor(view.edges.length / 2);

/** Of a log-odds score. */
export const probabilityAt = (score: number): number => 1 / (1 + Math.exp(-score));

export interface ThresholdCurve {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** True against false positive rate, from no row positive to all; and the area under it. */
export function rocOf(counts: GroupCounts): ThresholdCurve & { readonly area: number | undefined } {
  const [p, n] = [aboveIn(counts.positives)[0], aboveIn(counts.negatives)[0]];
  const [x, y] = [[0], [0]];
  let [hits, alarms, area] = [0, 0, 0];
  for (let i = counts.positives.length - 1; i >= 0; i--) {
    const [h, a] = [hits + counts.positives[i], alarms + counts.negatives[i]];
    // Rows of one place are tied: half of each pair is right.
    area += ((a - alarms) * (hits + h)) / 2;
    [hits, alarms] = [h, a];
    if (p > 0 && n > 0) {
      x.push(alarms / n);
      y.push(hits / p);
    }
  }
  return { x, y, area: p > 0 && n > 0 ? area / (p * n) : undefined };
}

/** Precision against recall. */
export function precisionRecallOf(counts: GroupCounts): ThresholdCurve {
  const p = aboveIn(counts.positives)[0];
  const [x, y]: [number[], number[]] = [[], []];
  let [hits, all] = [0, 0];
  for (let i = counts.positives.length - 1; i >= 0; i--) {
    hits += counts.positives[i];
    all += counts.positives[i] + counts.negatives[i];
    if (p > 0 && all > 0) {
      x.push(hits / p);
      y.push(hits / all);
    }
  }
  return { x, y };
}

/** A level that was asked of a rate in a group, by the names that reports give requirements: "misses [group=B]". */
export interface AskedRate {
  readonly requirement: string;
  readonly rate: keyof typeof rates;
  readonly column: string;
  readonly value: string;
  readonly sense: string;
  readonly level: number;
}

const metrics: Readonly<Record<string, keyof typeof rates>> = {
  "false-negative-rate": "false negative rate",
  "false-positive-rate": "false positive rate",
  "positive-rate": "positive rate",
  precision: "precision",
  error: "error",
};

export function askedRates(requirements: unknown): AskedRate[] {
  return Object.entries((requirements ?? {}) as Record<string, Record<string, unknown>>).flatMap(
    ([requirement, r]) => {
      const metric = String(r?.metric);
      const rate = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
      if (rate === undefined || typeof r.level !== "number" || r.relative !== undefined) return [];
      const [, column = "", value = "all rows"] = /\[([^=\]]+)=([^\]]+)\]$/.exec(requirement) ?? [];
      return [{ requirement, rate, column, value, sense: String(r.sense ?? "at most"), level: r.level }];
    },
  );
}

export const holdsAt = ({ sense, level }: AskedRate, reached: number): boolean =>
  sense === "at least" ? reached >= level : reached <= level;
