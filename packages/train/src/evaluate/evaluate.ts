// Evaluates a model on examples, with strict metrics and 95% confidence intervals: exact ones for rates, which hold for few rows too,
// Student's for means, and for a gap the one that follows from those of its two sides (Newcombe, 1998).
import { array, type Backend, compile, concat, mapTree, NdArray, readAll, type Tensor } from "@pliant/engine";
import { exactInterval, type Params, studentReach, type Traced } from "@pliant/learn";
import type { Examples, Part, Prepared, Target } from "../data/examples.js";
import { plain } from "../format/figure.js";
import { answer, exampleLoss, wrong } from "../metrics/answers.js";
import { event } from "../metrics/calibration.js";
import type { Adds, Look, Side } from "../metrics/metric.js";
import type { Decision } from "../problem/decision.js";
import {
  type Looks,
  lookOf,
  measured,
  noiseOf,
  onEach,
  opposite,
  perExample,
  worstOf,
} from "../problem/measure.js";
import { type Batch, keyOf, type View } from "../problem/problem.js";
import { countOf, membersOf, type Stated } from "../problem/stated.js";
import { type Calibration, calibrationOf } from "./calibration.js";
import { type Unanswered, unansweredIn } from "./unanswered.js";

/** A number from examples, with its 95% interval where one is known. */
export interface Measure {
  readonly value: number;
  readonly interval?: readonly [number, number];
  /** How many examples it is of. */
  readonly examples: number;
  /** How it adds up with measures of other rows, where that is not as a mean by their examples. */
  readonly adds?: Adds;
}

/** `0.120 (0.090 to 0.160)`. */
export const showMeasure = ({ value, interval }: Measure): string =>
  interval ? `${plain(value)} (${plain(interval[0])} to ${plain(interval[1])})` : plain(value);

/** A requirement on some examples. */
export interface Outcome {
  readonly strict: Measure;
  /** What was trained, of the same examples: of a rate, what stands for it. */
  readonly surrogate: number;
  /** The same with its interval, of a mean whose level is about what is trained and not about what is counted: a margin. */
  readonly trained?: Measure;
  /** For the worst of several groups: which it is, `sex=F`. */
  readonly group?: string;
  /** For the worst of several groups: each of them, by that name. For a gap: the two that it is between, `own` and `rest`. */
  readonly sides?: Readonly<Record<string, Measure>>;
  /** The value of a relative level here, for each of the two sides. */
  readonly asked?: { readonly strict?: number; readonly surrogate: number };
}

/** With the group, where it is of the worst of several: `0.120 (0.090 to 0.160) [sex=F]`. */
export const showOutcome = ({ strict, group }: Pick<Outcome, "strict" | "group">): string =>
  `${showMeasure(strict)}${group === undefined ? "" : ` [${group}]`}`;

/** How a model did on a set of examples. */
export interface Performance {
  readonly examples: number;
  /** The loss per example, whose mean is the objective. */
  readonly loss: Measure;
  /** Of classes. */
  readonly error?: Measure;
  /** For a number: the root of the mean squared error, in its own units. */
  readonly rootMeanSquare?: number;
  /** For classes: the calibration of their probabilities. */
  readonly calibration?: Calibration;
  /** The classes of the examples that are never predicted, if any. */
  readonly unanswered?: readonly Unanswered[];
  /** By requirement; none for a group that no example is of. */
  readonly requirements: Readonly<Record<string, Outcome>>;
}

interface Where {
  readonly prepared: Prepared;
  readonly part: Part;
  readonly backend: Backend;
  /** Default: as the spec says. */
  readonly decision?: Decision;
}

/** For each example its loss and whether it is wrong; for each requirement, in order, the strict count per example. */
export async function valuesByRow(
  task: View,
  params: Params,
  where: Where,
): Promise<{
  loss: ArrayLike<number>;
  wrong?: ArrayLike<number>;
  requirements: { strict: ArrayLike<number>; base?: { strict: ArrayLike<number> } }[];
}> {
  const found = await lookedAt(task, params, where);
  return {
    loss: found.loss.data,
    ...(found.wrong instanceof NdArray && { wrong: found.wrong.data }),
    requirements: task.stated.map((_, i) => {
      const { strict, base } = found.requirements[keyOf(i)];
      return { strict: strict.data, ...(base && { base: { strict: base.strict.data } }) };
    }),
  };
}

export async function performance(task: View, params: Params, where: Where): Promise<Performance> {
  const { prepared, part } = where;
  const examples = prepared[part]!;
  const { target } = prepared;
  const found = await lookedAt(task, params, where);
  const all = new Uint8Array(examples.count).fill(1);
  const loss = meanOver(found.loss, all);
  const unanswered =
    target.kind === "class"
      ? unansweredIn((found.answer as NdArray).data, examples.y.data, target.classes)
      : [];
  return {
    examples: examples.count,
    loss,
    ...(target.kind === "class"
      ? {
          error: rateOver(found.wrong as NdArray, all),
          calibration: calibrationIn(found, target),
          ...(unanswered.length > 0 && { unanswered }),
        }
      : {
          rootMeanSquare: target.deviation * Math.sqrt(meanOver(found.squares as NdArray, all).value),
        }),
    requirements: Object.fromEntries(
      task.stated.flatMap((s, i) => {
        const outcome = outcomeOf(s, examples, found.requirements[keyOf(i)]);
        return outcome ? [[s.name, outcome]] : [];
      }),
    ),
  };
}

function calibrationIn({ event }: LookedAt, { classes, positive = 1 }: Classes): Calibration {
  const { p, happened } = event as Event<NdArray>;
  return calibrationOf(p.data, happened.data, classes.length === 2 ? classes[positive] : undefined);
}

type Classes = Extract<Target, { kind: "class" }>;

interface Event<T> {
  readonly p: T;
  readonly happened: T;
}

interface LookedAt {
  readonly loss: NdArray;
  /** For regression, squared errors divided by the variance. */
  readonly squares: NdArray | readonly [];
  readonly wrong: NdArray | readonly [];
  readonly answer: NdArray | readonly [];
  readonly event: Event<NdArray> | readonly [];
  readonly requirements: Readonly<Record<string, Both<NdArray>>>;
}

async function lookedAt(
  task: View,
  params: Params,
  { prepared: { target, ...prepared }, part, backend, decision }: Where,
): Promise<LookedAt> {
  const look = compile(
    (weights: Traced<Params>, seen: Batch<Tensor>) => {
      const looks = task.looks(weights, seen);
      return {
        loss: task.loss(looks.clean),
        squares: target.kind === "number" ? exampleLoss(looks.clean) : [],
        wrong: target.kind === "class" ? wrong(looks.clean) : [],
        answer: target.kind === "class" ? answer(looks.clean) : [],
        event: target.kind === "class" ? event(looks.clean) : [],
        requirements: Object.fromEntries(
          task.stated.map((s, i) => [keyOf(i), measuredBoth(s, keyOf(i), task.whereOf(s), looks, seen)]),
        ),
      };
    },
    { backend },
  );
  const seen = mapTree(await task.see(prepared[part]!, part, decision), (a: NdArray) => backend.put(a));
  return (await readAll(await look(params as never, seen as never))) as unknown as LookedAt;
}

/** A requirement strictly (a value an example, or one number) and as it is trained, with what it is compared with. */
interface Both<T> extends OneSide<T> {
  readonly base?: OneSide<T>;
}

interface OneSide<T> {
  readonly strict: T;
  readonly surrogate: T;
  /** How far chance moves a statistic, of each group where the worst of several is meant. */
  readonly noise?: T;
  /** For each example the trained metric, if a level bounds its mean and another metric is counted. */
  readonly each?: T;
}

function measuredBoth(
  s: Stated,
  key: string,
  where: string | undefined,
  looks: Looks,
  { members, y }: Batch<Tensor>,
): Both<Tensor> {
  const { metric, sense } = s;
  const { own, base, worst } = members[key];
  if (worst) {
    const look = lookOf(where, looks);
    const strict = (marks: Tensor): Tensor => measured(metric, "strict", look, marks).value.expandDims(0);
    return {
      strict:
        metric.kind === "statistic" ? concat(worst.map(strict)) : perExample(metric.strict(look), y.shape[0]),
      ...(metric.kind === "statistic" && {
        noise: concat(worst.map((marks) => noiseOf(metric, look, marks))),
      }),
      surrogate: worstOf(metric, sense === "at least" ? "below" : "above", look, worst, s).value,
    };
  }
  if (s.perExample) {
    const [value, misses] = onEach(s);
    return { strict: misses(looks), surrogate: value(looks).mean() };
  }
  const sides = (look: Look, marks: Tensor, side: Side) => ({
    strict:
      metric.kind === "statistic"
        ? measured(metric, "strict", look, marks).value
        : perExample(metric.strict(look), y.shape[0]),
    surrogate: measured(metric, side, look, marks).value,
    ...(metric.kind === "statistic"
      ? { noise: noiseOf(metric, look, marks) }
      : metric.level === "trained" &&
        metric.strict !== metric.above && { each: perExample(metric[side](look), y.shape[0]) }),
  });
  const side = sense === "at least" ? "below" : "above";
  return {
    ...sides(lookOf(where, looks), own, side),
    ...(base && {
      base: sides(lookOf(s.base!.of === "overall" ? undefined : where, looks), base, opposite[side]),
    }),
  };
}

function outcomeOf(s: Stated, examples: Examples, found: Both<NdArray>): Outcome | undefined {
  const members = membersOf(s, examples);
  const measureOf = (values: NdArray, marks: Uint8Array, noise = 0): Measure => {
    if (s.metric.kind === "statistic") {
      const interval = s.metric.interval?.(values.item(), examples, marks, noise);
      const adds = s.metric.adds?.(examples, marks, noise);
      return {
        ...{ value: values.item(), ...(interval && { interval }) },
        ...{ examples: countOf(marks), ...(adds && { adds }) },
      };
    }
    return s.metric.kind === "rate" || s.perExample ? rateOver(values, marks) : meanOver(values, marks);
  };
  if (countOf(members.own) === 0) return undefined;
  if (members.worst) {
    const groups = members.worst.flatMap((marks, g) => {
      if (countOf(marks) === 0) return [];
      const own = s.metric.kind === "statistic" ? array([found.strict.data[g]]) : found.strict;
      const { column, value } = s.worst![g];
      return [{ strict: measureOf(own, marks, found.noise?.data[g]), group: `${column}=${value}` }];
    });
    if (groups.length === 0) return undefined;
    const sides = Object.fromEntries(groups.map(({ group, strict }) => [group, strict]));
    return { ...worstIn(sides, s.sense), surrogate: found.surrogate.item(), sides };
  }
  const strict = measureOf(found.strict, members.own, found.noise?.item());
  const surrogate = found.surrogate.item();
  const trained = found.each && meanOver(found.each, members.own);
  if (!found.base || !members.base || !s.base) return { strict, surrogate, ...(trained && { trained }) };
  if (countOf(members.base) === 0) return undefined;
  const base = {
    strict: measureOf(found.base.strict, members.base, found.base.noise?.item()),
    surrogate: found.base.surrogate.item(),
  };
  if (s.base.of === "rest")
    return {
      strict: difference(strict, base.strict),
      surrogate: surrogate - base.surrogate,
      ...(trained && { trained: difference(trained, meanOver(found.base.each!, members.base)) }),
      sides: { own: strict, rest: base.strict },
    };
  const { factor, offset } = s.relative!;
  const level = (overall: number): number => factor * overall + offset;
  // Strictly a margin is an error, of which its level says nothing.
  const strictly = s.spec.metric === "margin" ? {} : { strict: level(base.strict.value) };
  const asked = { ...strictly, surrogate: level(base.surrogate) };
  return { strict, surrogate, ...(trained && { trained }), asked };
}

/** Ties go to the first. */
export function worstIn(
  sides: Readonly<Record<string, Measure>>,
  sense: Stated["sense"],
): { readonly strict: Measure; readonly group: string } {
  const sign = sense === "at least" ? -1 : 1;
  const [group, strict] = Object.entries(sides).reduce((a, b) =>
    sign * b[1].value > sign * a[1].value ? b : a,
  );
  return { strict, group };
}

/** The interval of what is never negative is not either. */
export function meanOver({ data }: Pick<NdArray, "data">, marks: Uint8Array): Measure {
  let [n, sum, least] = [0, 0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < data.length; i++)
    if (marks[i] === 1) {
      n++;
      sum += data[i];
      if (data[i] < least) least = data[i];
    }
  const mean = sum / n;
  if (n < 2) return { value: mean, examples: n };
  let squares = 0;
  for (let i = 0; i < data.length; i++) if (marks[i] === 1) squares += (data[i] - mean) ** 2;
  const reach = studentReach(n - 1) * Math.sqrt(squares / (n - 1) / n);
  const low = least >= 0 ? Math.max(0, mean - reach) : mean - reach;
  return { value: mean, interval: [low, mean + reach], examples: n };
}

/** The mean over draws of an example is between 0 and 1, and then a mean like others, but for its bounds. */
export function rateOver(values: NdArray, marks: Uint8Array): Measure {
  const mean = meanOver(values, marks);
  if (values.data.some((v: number) => v !== 0 && v !== 1)) {
    const [low, high] = mean.interval ?? [0, 1];
    return { ...mean, interval: [Math.max(0, low), Math.min(1, high)] };
  }
  const { low, high } = exactInterval(Math.round(mean.value * mean.examples), mean.examples);
  return { ...mean, interval: [low, high] };
}

/** For two sets of examples. */
export function difference(a: Measure, b: Measure): Measure {
  const value = a.value - b.value;
  const examples = a.examples + b.examples;
  if (!a.interval || !b.interval) return { value, examples };
  const down = Math.hypot(a.value - a.interval[0], b.interval[1] - b.value);
  const up = Math.hypot(a.interval[1] - a.value, b.value - b.interval[0]);
  return { value, interval: [value - down, value + up], examples };
}
