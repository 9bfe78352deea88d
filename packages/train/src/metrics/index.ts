// From what a spec says of a requirement to its metric.

import type { InputError } from "@pliant/core";
import { hint } from "@pliant/core";
import type { Prepared, Target } from "../data/examples.js";
import type { RequirementSpec } from "../spec/spec.js";
import { error, falseNegativeRate, falsePositiveRate, loss, margin, positiveRate } from "./answers.js";
import { calibrationError } from "./calibration.js";
import { expectedCost, f1, falseDiscoveryRate, precision } from "./counts.js";
import type { Metric } from "./metric.js";
import { meanAbsoluteError, quantileLoss, rootMeanSquareError } from "./numbers.js";
import type { WithOwn } from "./own.js";
import { auc } from "./ranking.js";
import { size } from "./size.js";
import { monotonicity, slope } from "./slopes.js";
import { cvar } from "./tail.js";
import { traits } from "./traits.js";

export type { Look, Metric, ModelOutput, Side } from "./metric.js";

/** A mistake about a key of the requirement. */
export type Complain = (key: string, sentence: string) => InputError;

/** What is asked of a metric itself. */
export type MeasuredSpec = Exclude<RequirementSpec, { metric: "demographic-parity" | "equalised-odds" }>;

export function metricOf(spec: MeasuredSpec, prepared: WithOwn<Prepared>, complain: Complain): Metric {
  const { target } = prepared;
  if (target.kind === "number" && traits[spec.metric].target === "class")
    throw complain(
      "metric",
      `${spec.metric} is about classes, and the target is a number; there are ${forNumbers.slice(0, -1).join(", ")} and ${forNumbers[forNumbers.length - 1]}.`,
    );
  if (target.kind === "class" && traits[spec.metric].target === "number")
    throw complain("metric", `${spec.metric} is about a number, and the target has classes.`);
  if (target.kind === "number" && "class" in spec && spec.class !== undefined)
    throw complain("class", "the target is a number and has no classes; leave it out.");
  const feature = (): number => featureOf(spec, prepared, complain);
  const of = (): number => classOf(spec, target, complain);
  const response = (): number | undefined => (target.kind === "class" ? of() : undefined);
  switch (spec.metric) {
    case "loss":
      return loss;
    case "error":
      return error;
    case "false-positive-rate":
      return falsePositiveRate(of());
    case "false-negative-rate":
      return falseNegativeRate(of());
    case "positive-rate":
      return positiveRate(of());
    case "precision":
      return precision(of());
    case "false-discovery-rate":
      return falseDiscoveryRate(of());
    case "f1":
      return f1(of());
    case "expected-cost":
      return expectedCost(costTable(spec.costs, target, complain));
    case "mean-absolute-error":
      return meanAbsoluteError;
    case "root-mean-square-error":
      return rootMeanSquareError;
    case "quantile-loss":
      return quantileLoss(spec.quantile);
    case "auc":
      return auc(of());
    case "cvar":
      return cvar(spec.share);
    case "calibration-error":
      return calibrationError;
    case "margin":
      return margin;
    case "monotonicity":
      return monotonicity({ feature: feature(), step: spec.step, of: response() }, spec.direction);
    case "slope":
      return slope({ feature: feature(), step: spec.step, of: response() });
    case "size":
      return size;
    case "own":
      return prepared.own![spec.use].metric;
  }
}

const forNumbers = Object.keys(traits).filter(
  (name) => traits[name as keyof typeof traits].target !== "class",
);

/** What each answer costs by the right class; nothing where nothing is said. */
function costTable(
  costs: Readonly<Record<string, Readonly<Record<string, number>>>>,
  target: Target,
  complain: Complain,
): number[][] {
  const { classes } = target as Extract<Target, { kind: "class" }>;
  for (const name of [...Object.keys(costs), ...Object.values(costs).flatMap(Object.keys)])
    if (!classes.includes(name)) throw complain("costs", `"${name}" is not a class${hint(name, classes)}`);
  return classes.map((right) => classes.map((given) => costs[right]?.[given] ?? 0));
}

function featureOf(spec: RequirementSpec, { numeric, images }: Prepared, complain: Complain): number {
  const { column } = spec as { column: string };
  if (images) throw complain("metric", `${spec.metric} is about a column, and the data are images.`);
  const found = numeric.get(column);
  if (found === undefined)
    throw complain("column", `"${column}" is not a numeric column${hint(column, [...numeric.keys()])}`);
  return found;
}

function classOf(spec: RequirementSpec, target: Target, complain: Complain): number {
  const { classes, positive } = target as Extract<Target, { kind: "class" }>;
  const { class: name } = spec as { class?: string };
  if (name !== undefined) {
    if (!classes.includes(name)) throw complain("class", `"${name}" is not a class${hint(name, classes)}`);
    return classes.indexOf(name);
  }
  if (positive !== undefined) return positive;
  throw complain(
    "metric",
    classes.length === 2
      ? `which class is the positive one? Say it with positive under data; there are ${classes.join(" and ")}.`
      : `which class is it about? Say it with class; there are: ${classes.join(", ")}.`,
  );
}
