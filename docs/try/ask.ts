// What a person asks for by hand, and the spec that says the same.
import type { Summary } from "@pliant/train";

/** A requirement as the form has it: texts, as they are typed. */
export interface AskedRequirement {
  name: string;
  metric: string;
  /** A group column; "" where it is asked over all rows. */
  by: string;
  /** Of monotonicity. */
  column: string;
  direction: "increasing" | "decreasing";
  level: string;
  cost: string;
  hard: boolean;
}

export interface Ask {
  target: string;
  positive: string;
  groups: string[];
  ignored: string[];
  /** Whether rows without a value of the target are left out; else they are a mistake. */
  withoutTarget: boolean;
  model: "linear" | "mlp";
  requirements: AskedRequirement[];
  insist: boolean;
}

export interface MetricChoice {
  readonly metric: string;
  readonly label: string;
  /** The level that is offered first. */
  readonly level: string;
  readonly for: "two classes" | "classes" | "number" | "any";
  /** Whether it compares groups, and so needs some. */
  readonly grouped?: true;
}

export const metrics: readonly MetricChoice[] = [
  { metric: "false-negative-rate", label: "Miss rate (false negatives)", level: "0.15", for: "two classes" },
  {
    metric: "false-positive-rate",
    label: "False-alarm rate (false positives)",
    level: "0.15",
    for: "two classes",
  },
  { metric: "positive-rate", label: "Rate of positive decisions", level: "0.3", for: "two classes" },
  { metric: "precision", label: "Precision (at least)", level: "0.8", for: "two classes" },
  {
    metric: "demographic-parity",
    label: "Demographic parity gap",
    level: "0.05",
    for: "two classes",
    grouped: true,
  },
  { metric: "equalised-odds", label: "Equalised odds gap", level: "0.05", for: "two classes", grouped: true },
  { metric: "auc", label: "AUC (at least)", level: "0.8", for: "two classes" },
  { metric: "error", label: "Error rate", level: "0.2", for: "classes" },
  { metric: "mean-absolute-error", label: "Mean absolute error", level: "1", for: "number" },
  { metric: "root-mean-square-error", label: "Root mean square error", level: "1", for: "number" },
  { metric: "loss", label: "Loss", level: "overall + 0.05", for: "any" },
  { metric: "monotonicity", label: "Rises or falls with a column", level: "0.001", for: "any" },
];

/** The metrics that a target of so many classes has; 0 for a number. */
export const metricsFor = (classes: number): readonly MetricChoice[] =>
  metrics.filter(({ for: kind }) =>
    kind === "any"
      ? true
      : classes === 0
        ? kind === "number"
        : kind === "classes" || (kind === "two classes" && classes === 2),
  );

/** What a requirement is called until a person names it; others of the same metric are numbered. */
export function nameFor(metric: string, taken: readonly string[]): string {
  const label = metrics.find((one) => one.metric === metric)?.label ?? metric;
  const base = label.replace(/ \(.*/, "").toLowerCase();
  let name = base;
  for (let i = 2; taken.includes(name); i++) name = `${base} ${i}`;
  return name;
}

/** Whether a name is still the one that it was given. */
export const isGiven = (name: string): boolean =>
  metrics.some(({ metric }) => name.replace(/ \d+$/, "") === nameFor(metric, []));

/** How many classes a column is to be predicted as. */
export function classesOf(summary: Summary | undefined, target: string): number {
  const column = summary?.columns.find(({ name }) => name === target);
  if (!column) return 0;
  return column.kind === "category" || column.different === 2 ? column.different : 0;
}

const positives = ["1", "true", "yes", "y", "ja", "oui", "si", "sí"];

/** A first guess: the target is the last column if it has two values, else the last of texts that has; names are left out. */
export function firstAsk({ rows, columns }: Summary): Ask {
  const last = columns.at(-1);
  const fit = columns.filter(({ kind, different }) => kind === "category" && different === 2);
  const target = (last?.different === 2 ? last : (fit.at(-1) ?? last))?.name ?? "";
  const ignored = columns
    .filter(({ name, kind, different }) => name !== target && kind === "category" && different === rows)
    .map(({ name }) => name);
  return { ...blank, target, positive: guessedPositive(columns, target), ignored, requirements: [] };
}

export const guessedPositive = (columns: Summary["columns"], target: string): string => {
  const values = (columns.find(({ name }) => name === target)?.top ?? []).map(([text]) => text);
  return values.find((text) => positives.includes(text.toLowerCase())) ?? values.at(-1) ?? "";
};

export const blank: Ask = {
  ...{ target: "", positive: "", groups: [], ignored: [], withoutTarget: true },
  ...{ model: "linear", requirements: [], insist: false },
};

/** What is not a number stays a text, which a relative level is. */
const levelOf = (text: string): number | string => {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? value : text;
};

/** As the spec states it, of a target with so many classes and so many gaps. */
export function specOf(ask: Ask, file: string, classes: number, gaps = 0): object {
  const { target, positive, groups, ignored, withoutTarget, model, requirements } = ask;
  const columns = Object.fromEntries([
    ...ignored.map((name) => [name, "ignore"]),
    ...groups.map((name) => [name, "group"]),
  ]);
  return {
    name: file.replace(/\.\w+(\.gz)?$/, ""),
    data: {
      ...{ file, target },
      ...(classes === 2 && positive !== "" && { positive }),
      ...(Object.keys(columns).length > 0 && { columns }),
      ...(gaps > 0 && withoutTarget && { withoutTarget: "drop" }),
      test: 0.3,
    },
    model: { kind: model },
    requirements: Object.fromEntries(
      requirements.map(({ name, metric, by, column, direction, level, cost, hard }) => [
        name,
        {
          metric,
          ...(by && metric !== "monotonicity" && { by }),
          ...(metric === "monotonicity" && { column, direction }),
          level: levelOf(level),
          ...(cost && { cost }),
          ...(hard && { hard }),
        },
      ]),
    ),
    cost: "quadratic(1)",
    seed: 1,
  };
}
