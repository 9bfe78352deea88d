// The held-out rows of a run, from held-out.json, and what a page needs of them: counts by score, group and target. No row leaves here.
import { fields, isNumber, text } from "./fields.js";

/** held-out.json: a column a list, one entry a held-out row. */
export interface HeldOut {
  readonly rows: number;
  /** Which rows they are: folds are learnt from, and each is scored by a model that was not fitted to it. */
  readonly of: Part;
  /** What is held against the threshold: above it the decision is positive. */
  readonly score: readonly number[];
  /** Of the positive class, or of the likeliest of several; none of a number. */
  readonly probability?: readonly number[];
  /** 1 where the row is of that class, else 0; of a number itself. */
  readonly target: readonly number[];
  /** By column: the place of each row's value in `values`, −1 where it is missing. */
  readonly groups: Readonly<Record<string, readonly number[]>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Of two classes the run's own: one for all rows, or one for each group, named as in "B". */
  readonly threshold?: number | Readonly<Record<string, number>>;
  readonly importance: readonly Importance[];
  readonly effects: readonly Effect[];
  /** The same within each group that has enough rows. */
  readonly byGroup: readonly GroupExplained[];
}

/** What the model relies on within one group. */
export interface GroupExplained {
  readonly column: string;
  readonly value: string;
  readonly rows: number;
  readonly importance: readonly Importance[];
  readonly effects: readonly Effect[];
}

export const parts = ["validation", "folds", "test", "train"] as const;
export type Part = (typeof parts)[number];

export interface Importance {
  readonly feature: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The mean prediction as one feature takes other values. */
export interface Effect {
  readonly feature: string;
  readonly x: readonly (number | string)[];
  readonly y: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Rows of one group by score: how many lie from each edge to the next. */
export interface GroupCounts {
  /** "" for all rows. */
  readonly column: string;
  readonly value: string;
  readonly positives: readonly number[];
  readonly negatives: readonly number[];
  /** By tenths of the probability: how many rows, their mean probability, and the share that is positive. */
  readonly reliability: readonly {
    readonly rows: number;
    readonly predicted: number;
    readonly observed: number;
  }[];
}

export interface ModelView {
  readonly rows: number;
  readonly of: Part;
  /** Thresholds that counts are exact at, rising: above the first is every row, above the last none. */
  readonly edges: readonly number[];
  /** All rows, then each value of each column; none where the target is a number. */
  readonly groups: readonly GroupCounts[];
  /** null where nothing is decided by one: of a number, or of more than two classes. */
  readonly threshold: number | Readonly<Record<string, number>> | null;
  readonly importance: readonly Importance[];
  readonly effects: readonly Effect[];
  readonly byGroup: readonly GroupExplained[];
}

const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);

/** Undefined with a reason where the file is not as it has to be. */
export function heldOutFrom(value: unknown): HeldOut | { readonly problem: string } {
  const { rows, of, score, probability, target, groups, values, threshold } = fields(value);
  const wrong = (what: string) => ({ problem: `held-out.json cannot be read: ${what}.` });
  if (!isNumber(rows) || rows < 1) return wrong("rows is not a number of rows");
  const part = parts.find((one) => one === of);
  if (!part) return wrong(`of is not one of ${parts.join(", ")}`);
  const likely = list(probability).length > 0 ? probability : undefined;
  for (const [name, column] of Object.entries({
    score,
    target,
    ...(likely !== undefined && { probability: likely }),
  }))
    if (!isNumbers(column) || column.length !== rows)
      return wrong(`${name} is not a list of ${rows} numbers`);
  if (likely !== undefined && !(target as number[]).every((y) => y === 0 || y === 1))
    return wrong("target is not a list of 0 and 1");
  if (isNumbers(likely) && !likely.every((p) => p >= 0 && p <= 1))
    return wrong("a probability is not between 0 and 1");
  const names = fields(values);
  for (const [column, list] of Object.entries(fields(groups))) {
    const known = names[column];
    if (!Array.isArray(known) || !known.every((one) => typeof one === "string"))
      return wrong(`values has no names for ${column}`);
    if (!isNumbers(list) || list.length !== rows || !list.every((i) => i === -1 || known[i] !== undefined))
      return wrong(`groups of ${column} is not a list of ${rows} places in its values`);
  }
  return {
    rows,
    of: part,
    score: score as number[],
    ...(isNumbers(likely) && { probability: likely }),
    target: target as number[],
    groups: fields(groups) as HeldOut["groups"],
    values: names as HeldOut["values"],
    ...thresholdIn(threshold),
    ...explainedIn(value),
    byGroup: byGroupIn(value),
  };
}

/** Entries that cannot be read are left out. */
function explainedIn(value: unknown): Pick<HeldOut, "importance" | "effects"> {
  const { importance, effects } = fields(value);
  return {
    importance: list(importance).flatMap((one) => {
      const { feature, mean, low, high } = fields(one);
      const name = text(feature);
      return name !== undefined && isNumber(mean) && isNumber(low) && isNumber(high)
        ? [{ feature: name, mean, low, high }]
        : [];
    }),
    effects: list(effects).flatMap((one) => {
      const { feature, x, y, low, high } = fields(one);
      const name = text(feature);
      const fits = [y, low, high].every((of) => isNumbers(of) && of.length === list(x).length);
      return name !== undefined && fits && list(x).length > 0
        ? [{ feature: name, x, y, low, high } as Effect]
        : [];
    }),
  };
}

/** In the file by column, then by value; absent from runs of earlier versions. */
const byGroupIn = (value: unknown): GroupExplained[] =>
  Object.entries(fields(fields(value).byGroup)).flatMap(([column, groups]) =>
    Object.entries(fields(groups)).flatMap(([group, one]) => {
      const { rows } = fields(one);
      return isNumber(rows) ? [{ column, value: group, rows, ...explainedIn(one) }] : [];
    }),
  );

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function thresholdIn(value: unknown): Pick<HeldOut, "threshold"> {
  if (isNumber(value)) return { threshold: value };
  const found = Object.entries(fields(value)).filter((entry): entry is [string, number] =>
    isNumber(entry[1]),
  );
  return found.length > 0 ? { threshold: Object.fromEntries(found) } : {};
}

/** Places of a slider: more than a hand can tell apart. */
const mostEdges = 400;
const tenths = 10;

/** Groups of one column that a page shows: what has more values is no group, but a name. */
const mostValues = 200;
/** Fewer rows than this together would tell others of single ones. */
const fewRows = 10;

/** What a page needs: as large for a million rows as for a thousand. For others than the owner no number is of fewer rows than some. */
export function viewOf(rows: HeldOut, { shared = false }: { readonly shared?: boolean } = {}): ModelView {
  const fewest = shared ? fewRows : 1;
  const { of: part, score, target, probability, groups, values, threshold = null } = rows;
  const { importance, effects, byGroup } = rows;
  const explained = { importance, effects, byGroup };
  // A number is decided by no threshold, and has no classes to count.
  if (!probability)
    return { rows: rows.rows, of: part, edges: [], groups: [], threshold: null, ...explained };
  const edges = edgesOf(score, threshold, fewest);
  const bins = Int32Array.from(score, (s) => placeIn(edges, s));
  /** One pass over the rows, however many values the column has. */
  const countsOf = (
    column: string,
    names: readonly string[],
    place: (row: number) => number,
  ): GroupCounts[] => {
    const all = names.map(() => ({
      counts: [0, 1].map(() => new Array<number>(edges.length).fill(0)),
      tenth: Array.from({ length: tenths }, () => ({ rows: 0, predicted: 0, observed: 0 })),
    }));
    for (let row = 0; row < rows.rows; row++) {
      const group = all[place(row)];
      if (!group) continue;
      group.counts[target[row]][bins[row]]++;
      const at = group.tenth[Math.min(tenths - 1, Math.floor(tenths * probability[row]))];
      at.rows++;
      at.predicted += probability[row];
      at.observed += target[row];
    }
    return all.flatMap(({ counts, tenth }, i) => {
      if (shared && tenth.reduce((sum, bin) => sum + bin.rows, 0) < fewest) return [];
      const reliability = tenth
        .filter((bin) => bin.rows >= fewest)
        .map((bin) => ({
          rows: bin.rows,
          predicted: bin.predicted / bin.rows,
          observed: bin.observed / bin.rows,
        }));
      return [{ column, value: names[i], positives: counts[1], negatives: counts[0], reliability }];
    });
  };
  return {
    rows: rows.rows,
    of: part,
    edges,
    threshold,
    ...explained,
    groups: [
      ...countsOf("", ["all rows"], () => 0),
      ...Object.entries(groups)
        .filter(([column]) => values[column].length <= mostValues)
        .flatMap(([column, of]) => countsOf(column, values[column], (row) => of[row])),
    ],
  };
}

/** Quantiles of the scores and the run's own; one below all, so that above it is every row. Of so many rows each, none is a row's own score. */
function edgesOf(score: readonly number[], threshold: ModelView["threshold"], fewest: number): number[] {
  const sorted = Float64Array.from(score).sort();
  const count = Math.max(1, Math.min(mostEdges, Math.floor(sorted.length / fewest)));
  const step = sorted.length / count;
  const at = (i: number): number => sorted[Math.min(sorted.length - 1, Math.floor(i * step))];
  const some =
    fewest === 1
      ? Array.from({ length: count }, (_, i) => at(i))
      : Array.from({ length: count - 1 }, (_, i) => middle(sorted, Math.floor((i + 1) * step)));
  const own =
    threshold === null ? [] : typeof threshold === "number" ? [threshold] : Object.values(threshold);
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  if (fewest > 1) {
    const [low, high] = [Math.floor(least) - 1, Math.ceil(most) + 1];
    return [...new Set([low, ...some, ...own, high])].sort((a, b) => a - b);
  }
  const below = least - Math.max(1e-9, Math.abs(least) * 1e-9);
  return [...new Set([below, ...some, most, ...own])].sort((a, b) => a - b);
}

/** Between a row's score and the one before it. */
const middle = (sorted: Float64Array, i: number): number => (sorted[i - 1] + sorted[i]) / 2;

/** The last edge that is below a score; what none is below counts as above the first. */
function placeIn(edges: readonly number[], score: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] < score) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
