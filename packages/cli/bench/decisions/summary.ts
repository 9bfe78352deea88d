// The bars of the benchmark, and a line a case.
import type { Scored } from "./score.js";

export interface Case {
  readonly table: string;
  readonly model: string;
  readonly kind: string;
  readonly sort: string;
  readonly classes: number;
  readonly cost?: string;
  readonly byGroup?: true;
  readonly pressed: boolean;
  readonly pliant: Scored;
  /** With its threshold moved on held-out rows, and at 0.5. */
  readonly free: Scored;
  readonly plain: Scored;
  readonly lightgbm?: Scored;
  readonly fairlearn?: Readonly<Record<string, Scored>>;
}

const fixed = (x: number | undefined): string => (x === undefined ? "–" : x.toFixed(3)).padStart(7);

const side = (name: string, { missed, error, logLoss, auc, total, seconds }: Scored): string =>
  `  ${name.padEnd(28)}missed ${fixed(missed)} error ${fixed(error)} log-loss ${fixed(logLoss)} AUC ${fixed(auc)} total ${fixed(total)} ${seconds.toFixed(1)} s`;

export const toldOf = ({
  table,
  model,
  kind,
  pressed,
  pliant,
  free,
  lightgbm,
  fairlearn = {},
}: Case): string =>
  [
    `${table}, ${model}, ${kind}${pressed ? ", pressed" : ""}`,
    side("pliant", pliant),
    side("free + threshold", free),
    ...(lightgbm ? [side("LightGBM + threshold", lightgbm)] : []),
    ...Object.entries(fairlearn).map(([name, one]) => side(name, one)),
  ].join("\n");

export interface Bar {
  readonly share: number;
  readonly of: number;
  readonly asks: number;
}

const barOf = <T>(list: readonly T[], asks: number, holds: (one: T) => boolean): Bar => ({
  share: list.length === 0 ? Number.NaN : list.filter(holds).length / list.length,
  of: list.length,
  asks,
});

/** A smaller total does not pay for a level that must hold and is missed beyond chance. */
const noWorse = ({ pliant, free }: Case): boolean =>
  pliant.missedBeyondChance <= free.missedBeyondChance + 0.01 &&
  (pliant.total! <= free.total! + 0.01 || pliant.missed < free.missed - 0.01);

/** Peers that know as much of a row: ThresholdOptimizer reads its group, as thresholds by group do. */
const peersOf = ({ byGroup, fairlearn = {} }: Case): Scored[] =>
  Object.entries(fairlearn).flatMap(([name, one]) =>
    name.startsWith("threshold") === (byGroup ?? false) ? [one] : [],
  );

/** The least error of the peers with no larger gap than ours; ours may exceed it by half a point. */
function levelWithFairlearn(one: Case): boolean {
  const there = peersOf(one).filter(({ missed }) => missed <= one.pliant.missed + 0.005);
  return there.length === 0 || one.pliant.error <= Math.min(...there.map(({ error }) => error)) + 0.005;
}

export const summaryOf = (cases: readonly Case[]): Record<string, Bar> => {
  const rates = cases.filter(({ pliant }) => pliant.levelInInterval !== undefined);
  const grouped = cases
    .filter(({ sort, pressed }) => (sort === "gap" || sort === "groups") && pressed)
    .filter(({ byGroup }) => !byGroup);
  const fair = cases.filter(
    ({ fairlearn, cost }) => cost === "errors" && Object.keys(fairlearn ?? {}).length > 0,
  );
  return {
    "no worse than the free model with a moved threshold, by 0.01 on test rows": barOf(
      cases.filter(({ byGroup }) => !byGroup),
      0.95,
      noWorse,
    ),
    "where scores were pressed: better by 0.005 in the total, or in what must hold": barOf(
      grouped,
      0.5,
      ({ pliant, free }) => pliant.total! < free.total! - 0.005 || pliant.missed < free.missed - 0.005,
    ),
    "one rate: log-loss within 0.01 of the free model's": barOf(
      cases.filter(({ sort }) => sort === "one rate"),
      1,
      ({ pliant, plain }) => pliant.logLoss! <= plain.logLoss! + 0.01,
    ),
    "the asked level is in the 95% interval on test rows, or met": barOf(
      rates,
      0.9,
      ({ pliant }) => pliant.levelInInterval!,
    ),
    "at least level with Fairlearn in error at no larger test gap": barOf(fair, 0.8, levelWithFairlearn),
  };
};
