// What is asked: kinds of requirements, each with the way it is counted here, by code that has nothing in common with Pliant's.
import type { Made } from "./tables.js";

/** Decisions on some rows, with the truth and the groups. */
export interface Rows {
  readonly y: readonly (number | string)[];
  readonly group: readonly string[];
}

export interface DecisionCase {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Beyond the level is positive; of several, the largest. */
  excess(given: readonly (number | string)[], rows: Rows): number;
  /** The number itself, and of how many rows: for its interval. */
  share?(
    given: readonly (number | string)[],
    rows: Rows,
  ): { part: number; of: number; level: number; atLeast?: boolean };
  /** For groups: how far chance moves the excess on these rows, in 95% of cases. */
  chance?(given: readonly (number | string)[], rows: Rows): number;
  readonly hard: boolean;
}

export interface Kind {
  readonly name: string;
  readonly asked: readonly DecisionCase[];
  /** What wrong decisions cost, where it is stated. */
  readonly cost?: "errors" | "balanced";
  readonly sort: "one rate" | "rates" | "gap" | "groups";
  /** What Fairlearn calls the gap. */
  readonly gap?: "parity" | "odds";
  /** Whether thresholds may differ by group, as those of Fairlearn's ThresholdOptimizer do. */
  readonly byGroup?: true;
}

type Counts = { tp: number; fp: number; P: number; N: number };

function counted(
  given: readonly (number | string)[],
  { y, group }: Rows,
  positive: number | string,
  of?: string,
): Counts {
  const found = { tp: 0, fp: 0, P: 0, N: 0 };
  for (let i = 0; i < y.length; i++) {
    if (of !== undefined && group[i] !== of) continue;
    const [is, called] = [String(y[i]) === String(positive), String(given[i]) === String(positive)];
    if (is) found.P++;
    else found.N++;
    if (called && is) found.tp++;
    if (called && !is) found.fp++;
  }
  return found;
}

const misses = ({ tp, P }: Counts): number => 1 - tp / P;
const alarms = ({ fp, N }: Counts): number => fp / N;
const called = ({ tp, fp, P, N }: Counts): number => (tp + fp) / (P + N);
const wrong = ({ tp, fp, P, N }: Counts): number => (P - tp + fp) / (P + N);

export function kindsOf({ classes, name: table }: Made): Kind[] {
  const positive = classes === 2 ? 1 : "red";
  const about = classes === 2 ? {} : { class: "red" };
  const rate = (
    name: string,
    metric: string,
    value: (c: Counts) => number,
    of: (c: Counts) => [number, number],
    level: number,
    { hard = true, atLeast = false } = {},
  ): DecisionCase => ({
    name,
    hard,
    spec: { metric, level, ...about, ...(hard && { hard: true }), ...(atLeast && { sense: "at least" }) },
    excess: (given, rows) => (atLeast ? -1 : 1) * (value(counted(given, rows, positive)) - level),
    share: (given, rows) => {
      const [part, whole] = of(counted(given, rows, positive));
      return { part, of: whole, level, atLeast };
    },
  });
  const missed = (level: number, hard = true): DecisionCase =>
    rate("misses", "false-negative-rate", misses, ({ tp, P }) => [P - tp, P], level, { hard });
  const alarmed = (level: number, hard = true): DecisionCase =>
    rate("alarms", "false-positive-rate", alarms, ({ fp, N }) => [fp, N], level, { hard });
  const inGroups =
    (value: (c: Counts) => number, combine: (values: number[]) => number) =>
    (given: readonly (number | string)[], rows: Rows): number =>
      combine([...new Set(rows.group)].map((g) => value(counted(given, rows, positive, g))));
  const spread = (values: number[]): number => Math.max(...values) - Math.min(...values);
  const whole = {
    called: ({ P, N }: Counts) => P + N,
    misses: ({ P }: Counts) => P,
    alarms: ({ N }: Counts) => N,
  };
  /** 1.96 standard errors of the difference between the groups with the largest and the least share. */
  const chanceOfGap =
    (value: (c: Counts) => number, of: (c: Counts) => number) =>
    (given: readonly (number | string)[], rows: Rows): number => {
      const found = [...new Set(rows.group)]
        .map((g) => counted(given, rows, positive, g))
        .map((c) => ({ share: value(c), variance: (value(c) * (1 - value(c))) / of(c) }))
        .sort((a, b) => a.share - b.share);
      return 1.96 * Math.sqrt(found[0].variance + found[found.length - 1].variance);
    };
  const gap = (
    name: "parity" | "odds",
    level: number,
    cost: "errors" | "balanced",
    byGroup = false,
  ): Kind => ({
    name: `${name} ${level}, ${cost}${byGroup ? ", by group" : ""}`,
    sort: "gap",
    gap: name,
    cost,
    ...(byGroup && { byGroup: true }),
    asked: [
      {
        name,
        hard: true,
        spec: {
          metric: name === "parity" ? "demographic-parity" : "equalised-odds",
          by: "group",
          level,
          hard: true,
          ...about,
        },
        excess: (given, rows) =>
          (name === "parity"
            ? inGroups(called, spread)(given, rows)
            : Math.max(inGroups(misses, spread)(given, rows), inGroups(alarms, spread)(given, rows))) - level,
        chance: (given, rows) => {
          if (name === "parity") return chanceOfGap(called, whole.called)(given, rows);
          const larger = inGroups(misses, spread)(given, rows) > inGroups(alarms, spread)(given, rows);
          return larger
            ? chanceOfGap(misses, whole.misses)(given, rows)
            : chanceOfGap(alarms, whole.alarms)(given, rows);
        },
      },
    ],
  });
  const rare = table.startsWith("2%");
  const simple: Kind[] = [
    { name: "misses 0.25", sort: "one rate", asked: [missed(0.25)] },
    { name: "misses 0.1 may give way", sort: "one rate", asked: [missed(0.1, false)] },
    { name: "alarms 0.1", sort: "one rate", asked: [alarmed(0.1)] },
    {
      name: "precision",
      sort: "one rate",
      asked: [
        rate(
          "precise",
          "precision",
          ({ tp, fp }) => (tp + fp > 0 ? tp / (tp + fp) : 1),
          ({ tp, fp }) => [tp, tp + fp],
          rare ? 0.2 : 0.6,
          { atLeast: true },
        ),
      ],
    },
    {
      name: "F1",
      sort: "one rate",
      asked: [
        {
          name: "f1",
          hard: false,
          spec: { metric: "f1", level: 0.7, ...about },
          excess: (given, rows) => {
            const { tp, fp, P } = counted(given, rows, positive);
            return 0.7 - (2 * tp) / (tp + fp + P);
          },
        },
      ],
    },
    {
      name: "called 0.4",
      sort: "one rate",
      asked: [
        rate("called", "positive-rate", called, ({ tp, fp, P, N }) => [tp + fp, P + N], 0.4, {
          atLeast: true,
        }),
      ],
    },
    { name: "misses and alarms", sort: "rates", asked: [missed(0.2, false), alarmed(0.15, false)] },
  ];
  const costs: Kind[] =
    classes === 2
      ? [
          {
            name: "expected cost",
            sort: "rates",
            asked: [
              {
                name: "costs",
                hard: false,
                spec: { metric: "expected-cost", level: 0.3, costs: { 1: { 0: 5 }, 0: { 1: 1 } } },
                excess: (given, rows) => {
                  const { tp, fp, P, N } = counted(given, rows, positive);
                  return (5 * (P - tp) + fp) / (P + N) - 0.3;
                },
              },
            ],
          },
        ]
      : [];
  const grouped: Kind[] = [
    gap("parity", 0.03, "errors"),
    gap("odds", 0.05, "errors"),
    gap("odds", 0.05, "balanced"),
    ...(classes === 2 ? [gap("parity", 0.03, "errors", true), gap("odds", 0.05, "errors", true)] : []),
    {
      name: "misses 0.25 in every group",
      sort: "groups",
      asked: [
        {
          name: "misses",
          hard: true,
          spec: { metric: "false-negative-rate", by: "group", level: 0.25, hard: true, ...about },
          excess: (given, rows) => inGroups(misses, (v) => Math.max(...v))(given, rows) - 0.25,
          chance: (given, rows) =>
            inGroups(
              (c) => 1.96 * Math.sqrt((misses(c) * (1 - misses(c))) / c.P),
              (v) => Math.max(...v),
            )(given, rows),
        },
      ],
    },
    {
      name: "error of the worst group",
      sort: "groups",
      asked: [
        {
          name: "wrong",
          hard: false,
          spec: { metric: "error", by: "group", worst: true, level: 0.15, cost: "quadratic(10)" },
          excess: (given, rows) =>
            classes === 2
              ? inGroups(wrong, (v) => Math.max(...v))(given, rows) - 0.15
              : Math.max(
                  ...[...new Set(rows.group)].map((g) => {
                    const own = rows.group.flatMap((of, i) =>
                      of === g ? [Number(String(given[i]) !== String(rows.y[i]))] : [],
                    );
                    return own.reduce((a, b) => a + b, 0) / own.length;
                  }),
                ) - 0.15,
        },
      ],
    },
  ];
  return [...simple, ...costs, ...grouped];
}

/** The cost of giving way: quadratic(1) unless the spec has another. */
export const gaveFor = ({ asked }: Kind, given: readonly (number | string)[], rows: Rows): number =>
  asked.reduce((sum, one) => {
    if (one.hard) return sum;
    const factor = Number(/quadratic\((.*)\)/.exec(String(one.spec.cost ?? "quadratic(1)"))![1]);
    const unit = one.spec.costs ? 5 : 1;
    return sum + factor * (Math.max(0, one.excess(given, rows)) / unit) ** 2;
  }, 0);

export const missedBy = ({ asked }: Kind, given: readonly (number | string)[], rows: Rows): number =>
  Math.max(0, ...asked.filter(({ hard }) => hard).map((one) => one.excess(given, rows)));
