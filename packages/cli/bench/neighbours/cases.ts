// What is asked: a table, a model, and requirements of which one is printed with a price or a cost of insisting.
import type { TrainReport } from "@pliant/train";
import { classes, numbers, type Table } from "../table.js";

export interface Spec {
  readonly data: Readonly<Record<string, unknown>>;
  readonly model: Readonly<Record<string, unknown>>;
  readonly decision?: Readonly<Record<string, unknown>>;
  readonly objective?: Readonly<Record<string, unknown>>;
  readonly requirements: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Case {
  readonly name: string;
  readonly table: keyof typeof tables;
  readonly spec: Spec;
  /** The requirement whose printed numbers are compared. */
  readonly of: string;
}

const two = { groups: [7, 3], shift: 0.8 } as const;

function threeClasses(): Table {
  const drawn = { rows: 1800, seed: 404, features: 5, ...two };
  const { y, ...columns } = classes({ ...drawn, positives: 0.4 });
  const { y: other } = classes({ ...drawn, positives: 0.15 });
  return {
    ...columns,
    y: (y as number[]).map((a, i) => ((other[i] as number) === 1 ? "red" : a === 1 ? "amber" : "green")),
  };
}

export const tables = {
  pairs: () => classes({ rows: 2000, seed: 401, features: 6, positives: 0.3, ...two }),
  rare: () => classes({ rows: 4000, seed: 402, features: 6, positives: 0.05, ...two }),
  apart: () => classes({ rows: 2000, seed: 403, features: 6, positives: 0.3, ...two, shift: 1.2, tilt: 1.5 }),
  three: threeClasses,
  numbers: () => numbers({ rows: 1500, seed: 405, features: 6, ...two, noisier: 2 }),
} as const;

const mlp = { kind: "mlp", hidden: [8] };
const linear = { kind: "linear" };
const columns = { columns: { group: "group", y: "category" } };
const pair = { file: "rows.csv", target: "y", positive: "1", ...columns };
const several = { file: "rows.csv", target: "y", ...columns };
const number = { file: "rows.csv", target: "y", columns: { group: "group" } };

const one = (
  name: string,
  table: Case["table"],
  asked: Readonly<Record<string, unknown>>,
  { model = linear as Spec["model"], ...more }: Partial<Spec> = {},
): Case => ({
  ...{ name, table, of: "asked" },
  spec: {
    data: table === "numbers" ? number : table === "three" ? several : pair,
    ...{ model, ...more },
    requirements: { ...more.requirements, asked },
  },
});

const misses = { metric: "false-negative-rate" };
const alarms = { metric: "false-positive-rate" };
const inEach = { by: "group" };

export const cases: readonly Case[] = [
  one("misses must hold", "pairs", { ...misses, level: 0.2, hard: true }),
  one("misses must hold, far", "pairs", { ...misses, level: 0.1, hard: true }),
  one("misses may give way", "pairs", { ...misses, level: 0.1 }),
  one("misses may give way, dear", "pairs", { ...misses, level: 0.15, cost: "quadratic(10)" }),
  one("alarms must hold", "pairs", { ...alarms, level: 0.05, hard: true }),
  one("alarms may give way", "rare", { ...alarms, level: 0.001, cost: "quadratic(20)" }),
  one("precision", "pairs", { metric: "precision", level: 0.8, sense: "at least", hard: true }),
  one("share called", "pairs", { metric: "positive-rate", level: 0.4, sense: "at least", hard: true }),
  one("F1 may give way", "pairs", { metric: "f1", level: 0.7 }),
  one("expected cost may give way", "pairs", {
    ...{ metric: "expected-cost", level: 0.45, costs: { 1: { 0: 5 }, 0: { 1: 1 } } },
  }),
  one(
    "misses of rare events, balanced errors",
    "rare",
    { ...misses, level: 0.15, hard: true },
    {
      decision: { cost: "balanced" },
    },
  ),
  one(
    "misses beside alarms that give way",
    "pairs",
    { ...misses, level: 0.15 },
    {
      requirements: { alarms: { ...alarms, level: 0.08 } },
    },
  ),
  one("misses, network, folds", "pairs", { ...misses, level: 0.2, hard: true }, { model: mlp }),
  one(
    "alarms give way, network, folds",
    "pairs",
    { ...alarms, level: 0.02, cost: "quadratic(20)" },
    {
      model: mlp,
    },
  ),
  one(
    "misses, network, validation rows",
    "pairs",
    { ...misses, level: 0.2, hard: true },
    {
      ...{ model: mlp, data: { ...pair, validation: 0.3 } },
    },
  ),
  one("misses of one class of three", "three", { ...misses, class: "red", level: 0.3, hard: true }),
  one("misses of one class of three give way", "three", { ...misses, class: "red", level: 0.1 }),
  one("parity", "pairs", { metric: "demographic-parity", ...inEach, level: 0.08, hard: true }),
  one(
    "parity, thresholds by group",
    "pairs",
    {
      ...{ metric: "demographic-parity", ...inEach, level: 0.05, hard: true },
    },
    { decision: { threshold: "by group", by: "group" } },
  ),
  one("misses in every group give way", "apart", { ...misses, ...inEach, level: 0.1 }),
  one("loss of each group gives way", "apart", { metric: "loss", ...inEach, level: 0.3 }),
  one("loss of each group, dear", "apart", { metric: "loss", ...inEach, level: 0.35, cost: "quadratic(10)" }),
  one("loss of each group, network", "apart", { metric: "loss", ...inEach, level: 0.35 }, { model: mlp }),
  one(
    "loss of each group, network, dear",
    "apart",
    { metric: "loss", ...inEach, level: 0.38, cost: "quadratic(2)" },
    { model: mlp },
  ),
  one(
    "square error in each group, network",
    "numbers",
    { metric: "root-mean-square-error", ...inEach, level: 1.2, cost: "quadratic(0.5)" },
    { model: mlp },
  ),
  one("loss of the worst tenth", "pairs", { metric: "cvar", level: 1.2, cost: "quadratic(0.1)" }),
  one("square error in each group", "numbers", {
    ...{ metric: "root-mean-square-error", ...inEach, level: 1.4, cost: "quadratic(0.5)" },
  }),
  one("absolute error", "numbers", { metric: "mean-absolute-error", level: 0.9, cost: "quadratic(2)" }),
  one("quantile loss", "numbers", { metric: "quantile-loss", quantile: 0.8, level: 0.55, hard: true }),
];

/** The parts of the requirement that a report names: itself, or one for each group. */
export const partsOf = ({ requirements }: TrainReport, of: string): string[] =>
  Object.entries(requirements).flatMap(([name, one]) => (one.of === of ? [name] : []));
