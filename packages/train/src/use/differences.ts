// Whether one run is better than another beyond chance. Where both were tested on the same rows and these are at hand, row by row:
// what is common to both, such as how hard a row is, then cancels. The interval of a difference of means over groups is by the
// influence of each row on it (the delta method); of what is counted, the exact test of McNemar is on the rows that one has right
// and the other wrong, and the interval a score test's. Elsewhere the intervals of the two reports have to do.

import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";
import { studentReach } from "@pliant/learn";
import { openIn } from "@pliant/learn/runs";
import { join } from "@pliant/platform";
import { difference, type Measure, valuesByRow } from "../evaluate/evaluate.js";
import { prepare } from "../problem/prepare.js";
import { membersOf, type Stated } from "../problem/stated.js";
import { excessOn } from "../report/overfitting.js";
import type { TrainReport } from "../report/report.js";
import { symmetricInAll } from "../report/symmetric-gaps.js";
import { finishedRun, specCopy, type TrainAsked } from "../run/asked.js";
import { trainedModel } from "../run/trained.js";
import { readSpec } from "../spec/spec-file.js";
import { lossFactor, otherwiseAsked, sameTestRows, unlikeIn } from "./comparable.js";

/** The second run's number minus the first's, with its 95% interval. */
export interface Difference {
  /** The second minus the first. */
  readonly value: number;
  readonly interval?: readonly [number, number];
  /** For counts, row by row: the rows that only the first run counts, those that only the second counts, and the p-value. */
  readonly rows?: { readonly first: number; readonly second: number; readonly p: number };
  readonly beyondChance: boolean;
}

/** Two runs on test rows: what differs, and whether beyond chance. */
export interface Compared {
  readonly first: string;
  readonly second: string;
  /** Row by row on the same rows; otherwise between two sets of rows. */
  readonly paired: boolean;
  /** Why not, where it is not. */
  readonly because?: string;
  readonly loss: Difference;
  readonly error?: Difference;
  readonly requirements: Readonly<Record<string, Difference>>;
  /** Those of them that are another one seen from the other side. */
  readonly mirrors?: readonly string[];
  /** Requirements with the same name that differ, so they are not compared, each in words. */
  readonly others?: Readonly<Record<string, readonly [first: string, second: string]>>;
  /** How many, of the first. */
  readonly rows: number;
  /** The run that misses fewer requirements that must hold on test rows, or has the lower loss there, beyond chance. */
  readonly better?: string;
  readonly by?: "what must hold" | "loss";
  /** What must hold in one of them and only one of them misses on test rows, beyond chance. */
  readonly missed?: readonly Missed[];
}

/** A requirement that must hold, and one of two runs misses on test rows. */
export interface Missed {
  readonly name: string;
  /** What must hold, in words, and in which of the runs. */
  readonly asked: string;
  readonly holdsIn: readonly string[];
  /** The run that misses it. */
  readonly run: string;
  /** What it and the other come to there, in words. */
  readonly here: string;
  readonly there: string;
  /** Whether the two differ there beyond chance, too. */
  readonly beyondChance: boolean;
}

/** Two runs of which neither can be called the better. */
export interface Unlike {
  readonly first: string;
  readonly second: string;
  /** Why. */
  readonly unlike: string;
}

interface Sample {
  readonly values: ArrayLike<number>;
  readonly own: ArrayLike<number>;
  readonly base?: {
    readonly values: ArrayLike<number>;
    readonly marks: ArrayLike<number>;
    readonly factor: number;
  };
}

/** The results of a run on each test row. */
interface Samples {
  readonly loss: Sample;
  readonly error?: Sample;
  readonly requirements: Readonly<Record<string, Sample>>;
}

const z = random.normalQuantile(0.975);

/** For two samples of the same rows: the second's number minus the first's. */
export function pairedDifference(first: Sample, second: Sample): Difference {
  const n = first.values.length;
  const change = (a: ArrayLike<number>, b: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length: n }, (_, i) => b[i] - a[i]);
  const part = (d: Float64Array, marks: ArrayLike<number>) => {
    let [count, sum] = [0, 0];
    for (let i = 0; i < n; i++)
      if (marks[i] === 1) {
        count++;
        sum += d[i];
      }
    const mean = sum / count;
    return { count, mean, influence: (i: number): number => (marks[i] === 1 ? (d[i] - mean) / count : 0) };
  };
  const own = part(change(first.values, second.values), first.own);
  const { base } = first;
  const rest = base && part(change(base.values, second.base!.values), base.marks);
  const factor = base?.factor ?? 0;
  const value = own.mean - (rest ? factor * rest.mean : 0);
  let variance = 0;
  for (let i = 0; i < n; i++) variance += (own.influence(i) - (rest ? factor * rest.influence(i) : 0)) ** 2;
  const rows = base ? undefined : discordant(first, second);
  const fewest = Math.min(own.count, rest?.count ?? own.count);
  // One row says nothing of how others differ.
  if (!rows && fewest < 2) return { value, beyondChance: false };
  const reach = rows ? 0 : studentReach(fewest - 1) * Math.sqrt((variance * fewest) / (fewest - 1));
  const interval = rows ? countedInterval(rows, own.count) : ([value - reach, value + reach] as const);
  return {
    value,
    interval,
    ...(rows && { rows }),
    beyondChance: rows ? rows.p < 0.05 : interval[0] > 0 || interval[1] < 0,
  };
}

/** For rows that count 0 or 1 each. */
function discordant(first: Sample, second: Sample): Difference["rows"] {
  let [a, b] = [0, 0];
  for (let i = 0; i < first.values.length; i++) {
    if (first.own[i] !== 1) continue;
    const [x, y] = [first.values[i], second.values[i]];
    if ((x !== 0 && x !== 1) || (y !== 0 && y !== 1)) return undefined;
    if (x > y) a++;
    if (y > x) b++;
  }
  return { first: a, second: b, p: mcnemar(a, b) };
}

/** Two-sided and exact: as likely as not each of a + b rows would have gone either way. */
export const mcnemar = (a: number, b: number): number =>
  Math.min(1, 2 * atMostOf(Math.min(a, b), a + b, 0.5));

/**
 * 95% of the second's share minus the first's, where a rows of n are the first's alone and b the second's: the differences that a score
 * test does not exclude (Tango 1998), which is accurate for few rows and for large differences. Where the exact test finds no difference
 * there may be none.
 */
function countedInterval({ first: a, second: b, p }: NonNullable<Difference["rows"]>, n: number) {
  const [low, high] = [-1, 1].map((end) => {
    let [inside, outside] = [(b - a) / n, end];
    for (let i = 0; i < 60; i++) {
      const middle = (inside + outside) / 2;
      if (Math.abs(scoreOf(a, b, n, middle)) <= z) inside = middle;
      else outside = middle;
    }
    return inside;
  });
  return p < 0.05 ? ([low, high] as const) : ([Math.min(0, low), Math.max(0, high)] as const);
}

/** How many deviations b − a is from n·δ, were δ the difference: the share of the first's alone is then the likeliest beside it. */
function scoreOf(a: number, b: number, n: number, delta: number): number {
  const linear = (2 * n - b + a) * delta - a - b;
  const share = (Math.sqrt(Math.max(0, linear ** 2 + 8 * n * a * delta * (1 - delta))) - linear) / (4 * n);
  const variance = n * (2 * share + delta * (1 - delta));
  const apart = b - a - n * delta;
  return apart === 0 ? 0 : apart / Math.sqrt(Math.max(variance, 0));
}

/** How likely k or fewer of n are, each with a chance. */
function atMostOf(k: number, n: number, chance: number): number {
  const odds = Math.log(chance) - Math.log1p(-chance);
  let [log, sum] = [n * Math.log1p(-chance), 0];
  for (let j = 0; j <= k; j++) {
    sum += Math.exp(log);
    log += Math.log(n - j) - Math.log(j + 1) + odds;
  }
  return sum;
}

/** The rows a run was tested on, in its order. */
async function testRows(folder: string, asked: TrainAsked): Promise<Samples> {
  const specFile = readSpec(join(folder, specCopy));
  const { task, prepared, facts } = await prepare(specFile);
  if (Object.values(facts.files).join() !== Object.values(asked.data.files).join())
    throw new InputError(`the data of ${folder} changed since it was trained`);
  const { params, decision } = trainedModel(folder);
  const backend = await openIn("cpu", "float32");
  try {
    const values = await valuesByRow(task, params, { prepared, part: "test", backend, decision });
    const all = new Uint8Array(prepared.test.count).fill(1);
    const requirements: Record<string, Sample> = {};
    for (const [i, s] of task.stated.entries()) {
      const sample = sampleOf(s, membersOf(s, prepared.test), values.requirements[i]);
      if (sample) requirements[s.name] = sample;
    }
    return {
      loss: { values: values.loss, own: all },
      ...(values.wrong && { error: { values: values.wrong, own: all } }),
      requirements,
    };
  } finally {
    await backend.close();
  }
}

/** The same rows in another order, and the loss in other units. */
function mapped(
  { loss, error, requirements }: Samples,
  inOrder: (values: ArrayLike<number>) => Float64Array,
  factor: number,
): Samples {
  const sample = ({ values, own, base }: Sample): Sample => ({
    values: inOrder(values),
    own: inOrder(own),
    ...(base && { base: { ...base, values: inOrder(base.values), marks: inOrder(base.marks) } }),
  });
  const { values } = sample(loss);
  return {
    loss: { values: Float64Array.from(values, (value) => value * factor), own: loss.own },
    ...(error && { error: sample(error) }),
    requirements: Object.fromEntries(Object.entries(requirements).map(([name, one]) => [name, sample(one)])),
  };
}

/** None of what is no mean over rows, or of nobody. */
function sampleOf(
  { metric, base, perExample }: Stated,
  members: ReturnType<typeof membersOf>,
  found: { strict: ArrayLike<number>; base?: { strict: ArrayLike<number> } },
): Sample | undefined {
  if ((metric.kind === "statistic" && !perExample) || members.worst) return undefined;
  if (!members.own.includes(1) || (members.base && !members.base.includes(1))) return undefined;
  // With a level relative to the overall metric, the metric itself is still compared.
  const rest = base?.of === "rest" && members.base && found.base;
  return {
    values: found.strict,
    own: members.own,
    ...(rest && { base: { values: rest.strict, marks: members.base!, factor: base.factor } }),
  };
}

const unpaired = (a: Measure, b: Measure): Difference => {
  const { value, interval } = difference(b, a);
  return {
    value,
    ...(interval && { interval }),
    beyondChance: interval !== undefined && (interval[0] > 0 || interval[1] < 0),
  };
};

const times = ({ value, interval, ...more }: Measure, factor: number): Measure => ({
  ...more,
  value: value * factor,
  ...(interval && { interval: [interval[0] * factor, interval[1] * factor] }),
});

/** The second run against the first, on the rows they were tested on. */
export async function compareRuns(first: string, second: string): Promise<Compared | Unlike> {
  const runs = [first, second].map((folder) => ({ folder, ...finishedRun(folder) }));
  const [a, b] = runs;
  const unlike = unlikeIn(a.asked, b.asked);
  if (unlike !== undefined) return { first, second, unlike };
  const others = otherwiseAsked(a, b);
  const names = Object.keys(a.report.requirements).filter(
    (name) => name in b.report.requirements && !(name in others),
  );
  const mirrors = symmetricInAll([a.report]).filter((name) => names.includes(name));
  const factor = lossFactor(a.asked, b.asked);
  const places = sameTestRows(a, b);
  let because: string | undefined;
  if (!places) because = "they were tested on different rows";
  else if (factor === undefined) because = "their losses are in deviations of different rows";
  const found = await (async () => {
    if (!places || factor === undefined) return undefined;
    const inOrder = (values: ArrayLike<number>): Float64Array =>
      Float64Array.from(places, (place) => values[place]);
    try {
      const x = await testRows(first, a.asked);
      const y = mapped(await testRows(second, b.asked), inOrder, factor);
      return { x, y };
    } catch (reason) {
      if (!(reason instanceof InputError)) throw reason;
      because = `their rows are not at hand: ${reason.message}`;
      return undefined;
    }
  })();
  const differences = found
    ? {
        loss: pairedDifference(found.x.loss, found.y.loss),
        ...(found.x.error && found.y.error && { error: pairedDifference(found.x.error, found.y.error) }),
        requirements: Object.fromEntries(
          names.flatMap((name) => {
            const [x, y] = [found.x.requirements[name], found.y.requirements[name]];
            return x && y ? [[name, pairedDifference(x, y)]] : [];
          }),
        ),
      }
    : {
        loss: unpaired(a.report.test.loss, times(b.report.test.loss, factor ?? 1)),
        ...(a.report.test.error &&
          b.report.test.error && { error: unpaired(a.report.test.error, b.report.test.error) }),
        requirements: Object.fromEntries(
          names.flatMap((name) => {
            const [x, y] = [a.report, b.report].map(({ requirements }) => requirements[name].test?.strict);
            return x && y ? [[name, unpaired(x, y)]] : [];
          }),
        ),
      };
  return {
    first,
    second,
    paired: found !== undefined,
    ...(because !== undefined && { because }),
    ...differences,
    ...(mirrors.length > 0 && { mirrors }),
    ...(Object.keys(others).length > 0 && { others }),
    rows: a.report.test.examples,
    ...betterOf(runs, { ...differences, others }),
  };
}

/** Hard requirements come first, then the loss. */
export function betterOf(
  runs: readonly { folder: string; report: TrainReport }[],
  { loss, requirements, others }: Pick<Compared, "loss" | "requirements" | "others">,
): Pick<Compared, "better" | "by" | "missed"> {
  const [a, b] = runs;
  const missed = missedIn(runs, requirements, others);
  const beyond = (folder: string): number =>
    missed.filter(({ run, beyondChance }) => beyondChance && run === folder).length;
  const found = missed.length > 0 && { missed };
  if (beyond(a.folder) !== beyond(b.folder))
    return {
      better: (beyond(a.folder) < beyond(b.folder) ? a : b).folder,
      by: "what must hold",
      ...found,
    };
  return loss.beyondChance ? { better: (loss.value > 0 ? a : b).folder, by: "loss", ...found } : { ...found };
}

/** A requirement that is hard in one run is checked in both, at each hard level. */
function missedIn(
  runs: readonly { folder: string; report: TrainReport }[],
  differences: Compared["requirements"],
  others: Compared["others"],
): Missed[] {
  const firm = runs.flatMap(({ folder, report }) =>
    Object.entries(report.requirements).flatMap(([name, r]) => (r.hard ? [{ name, r, folder }] : [])),
  );
  const found = new Map<string, Missed>();
  for (const { name, r, folder } of firm) {
    if (others && Object.hasOwn(others, name)) continue;
    const [x, y] = runs.map(({ report }) => excessOn(r, report.requirements[name]?.test));
    if (!x || !y || x.low > 0 === y.low > 0) continue;
    const [own, other, run] = x.low > 0 ? [x, y, runs[0].folder] : [y, x, runs[1].folder];
    const asked = `${r.sense} ${r.relative ?? r.level}`;
    const key = `${name} ${asked}`;
    found.set(key, {
      name,
      asked,
      holdsIn: [...(found.get(key)?.holdsIn ?? []), folder],
      run,
      here: own.shown,
      there: other.shown,
      beyondChance: differences[name]?.beyondChance === true && own.value > other.value,
    });
  }
  return [...found.values()];
}
