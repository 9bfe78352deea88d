// The playground's problem: tell two kinds of points apart, missing few of one and alarming few of the other. A plain
// description of it, as data, is all that is needed to solve it anywhere.

import { atMost, hard, minimise, quadratic, type SolveOptions, sgd } from "@pliant/core";
import { array, NdArray, type Tensor } from "@pliant/engine";

/** A point of the square [−1, 1]². */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly sick: boolean;
}

/** What a stroke on the square does. */
export type Brush = "sick" | "well" | "erase";

/** What is asked of a rate, and what giving way costs: α u². */
export interface Ask {
  readonly level: number;
  readonly alpha: number;
  readonly hard: boolean;
}

export const names = ["sick missed", "false alarms"] as const;
export type Name = (typeof names)[number];

export interface Description {
  readonly points: readonly Point[];
  readonly asks: Readonly<Record<Name, Ask>>;
}

/** Bumps on a grid: with a weight each, and a plane, they make any smooth map of the square. */
const side = 5;
const centres = Array.from({ length: side * side }, (_, i) => [
  -1 + (2 * (i % side)) / (side - 1),
  -1 + (2 * Math.floor(i / side)) / (side - 1),
]);
const width = 0.5;
export const features = centres.length + 3;

export function featuresOf(x: number, y: number): number[] {
  const bumps = centres.map(([a, b]) => Math.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * width ** 2)));
  return [1, x, y, ...bumps];
}

export interface Params {
  readonly weights: NdArray;
}

interface Data<T> {
  /** [points, features] */
  x: T;
  sick: T;
  /** Weights that sum to 1 over the sick, and over the well. */
  ofSick: T;
  ofWell: T;
}

export function dataOf(points: readonly Point[]): Data<NdArray> {
  const rows = points.flatMap(({ x, y }) => featuresOf(x, y));
  const share = (member: (point: Point) => boolean) => {
    const count = points.filter(member).length;
    return array(Float64Array.from(points, (point) => (member(point) ? 1 / count : 0)));
  };
  return {
    x: new NdArray(Float64Array.from(rows), [points.length, features]),
    sick: array(Float64Array.from(points, ({ sick }) => Number(sick))),
    ofSick: share(({ sick }) => sick),
    ofWell: share(({ sick }) => !sick),
  };
}

/** A rate is the mean probability given to the wrong answer; the strict one counts wrong answers. */
export function problemOf({ asks }: Pick<Description, "asks">) {
  const costOf = ({ alpha, hard: insists }: Ask) => (insists ? hard : quadratic(alpha));
  const missed = asks["sick missed"];
  const alarms = asks["false alarms"];
  return minimise({
    params: { weights: new NdArray(new Float64Array(features), [features]) },
    forward: ({ weights }, { x }: Data<Tensor>) => ({
      logit: x.matmul(weights),
      decay: weights.pow(2).sum().mul(decay),
    }),
    objective: ({ logit, decay: size }, { sick }) => logit.softplus().sub(logit.mul(sick)).mean().add(size),
  }).subjectTo({
    "sick missed": atMost(missed.level, ({ logit }, { ofSick }) => logit.neg().sigmoid().mul(ofSick).sum(), {
      cost: costOf(missed),
      strict: ({ logit }, { ofSick }) => logit.le(0).cast("float64").mul(ofSick).sum(),
    }),
    "false alarms": atMost(alarms.level, ({ logit }, { ofWell }) => logit.sigmoid().mul(ofWell).sum(), {
      cost: costOf(alarms),
      strict: ({ logit }, { ofWell }) => logit.gt(0).cast("float64").mul(ofWell).sum(),
    }),
  });
}

const decay = 2e-3;
export const mostSteps = 8000;

/** How the page and anyone else solves it; from any start it comes to the same numbers. */
export const optionsFor = (points: readonly Point[]): SolveOptions<Data<Tensor>> => ({
  data: dataOf(points),
  optimizer: sgd(0.5, { momentum: 0.5 }),
  dualRate: 2,
  steps: mostSteps,
  every: 50,
  tolerance: 2e-4,
});

/** The logit of the trained model at a place. */
export function logitAt(weights: ArrayLike<number>, x: number, y: number): number {
  return featuresOf(x, y).reduce((sum, feature, i) => sum + feature * weights[i], 0);
}

/** Both kinds are needed: a rate over nobody is no rate. */
export const hasBoth = (points: readonly Point[]): boolean =>
  points.some(({ sick }) => sick) && points.some(({ sick }) => !sick);
