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

/** How cases are scored, where a plainer rule would give another number: part of every record. */
export const rules = [
  "A total is log-loss + decision cost + costs of giving way on test rows. It has no term for a hard requirement that is missed, so a case also counts as no worse where Pliant misses less by 0.01, and as worse where it misses more beyond chance; the bar `by the total alone` leaves this out.",
  "Thresholds by group are compared with Fairlearn's ThresholdOptimizer, which reads the group of a row too, and not with one moved threshold; one threshold is compared with ExponentiatedGradient. The bars `by the total alone` and `with every method of Fairlearn` leave this out.",
  "With three classes the free model's offsets are moved on its training rows, as a run keeps no scores of folds for several classes.",
  "An interval is that of at most as many test rows as were learnt from. A level that is met counts as inside.",
  "Better where pressed asks for half of the cases; no share is asked for elsewhere.",
] as const;

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
function levelWith(peers: readonly Scored[], one: Case): boolean {
  const there = peers.filter(({ missed }) => missed <= one.pliant.missed + 0.005);
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
    "the same for every case, by the total alone": barOf(
      cases,
      0.95,
      ({ pliant, free }) => pliant.total! <= free.total! + 0.01,
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
    "at least level with Fairlearn in error at no larger test gap": barOf(fair, 0.8, (one) =>
      levelWith(peersOf(one), one),
    ),
    "the same with every method of Fairlearn": barOf(fair, 0.8, (one) =>
      levelWith(Object.values(one.fairlearn ?? {}), one),
    ),
  };
};
