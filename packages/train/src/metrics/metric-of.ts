// From what a spec says of a requirement to its metric.
import { hint } from "@pliant/core";
import type { Target } from "./examples.js";
import type { Complain } from "./kind.js";
import { kindOf, kinds } from "./kinds.js";
import type { Metric } from "./metric.js";
import type { RequirementSpec } from "./requirement.js";

/** Requirements on a metric itself, not on gaps in others. */
export type MeasuredSpec = Exclude<RequirementSpec, { metric: "demographic-parity" | "equalised-odds" }>;

/** The arguments from which metrics are built. */
export interface About {
  readonly target: Target;
  /** The numeric columns and the features they became. */
  readonly numeric: ReadonlyMap<string, number>;
  readonly images: boolean;
  /** Those of a user's files. */
  readonly own?: Readonly<Record<string, { readonly metric: Metric }>>;
}

const forNumbers = kinds.flatMap(({ name, target }) => (target === "class" ? [] : [name]));

export function metricOf(spec: MeasuredSpec, about: About, complain: Complain): Metric {
  const { target, own } = about;
  const kind = kindOf(spec.metric);
  if (target.kind === "number" && kind.target === "class")
    throw complain(
      "metric",
      `${spec.metric} is about classes, and the target is a number; there are ${forNumbers.slice(0, -1).join(", ")} and ${forNumbers[forNumbers.length - 1]}.`,
    );
  if (target.kind === "class" && kind.target === "number")
    throw complain("metric", `${spec.metric} is about a number, and the target has classes.`);
  if (target.kind === "number" && "class" in spec && spec.class !== undefined)
    throw complain("class", "the target is a number and has no classes; leave it out.");
  const ofClass = (): number => classOf(spec, target, complain);
  return kind.make!(spec as never, {
    target,
    classOf: ofClass,
    response: () => (target.kind === "class" ? ofClass() : undefined),
    feature: () => featureOf(spec, about, complain),
    own: (file) => own![file].metric,
    complain,
  });
}

function featureOf(spec: RequirementSpec, { numeric, images }: About, complain: Complain): number {
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
