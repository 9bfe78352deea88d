// Runs that differ only by their seed, together: their mean, and all of them as a band.
import type { Curve, RunDetail } from "../../../src/api.js";
import { differences } from "../../../src/differences.js";
import { type Band, type Line, valueAt } from "../figure/lines.js";
import { colour } from "../lib/palette.js";
import type { Axis } from "./brushes.js";

export const specOf = ({ run }: RunDetail): unknown => run.spec ?? run.recipe ?? run.settings ?? {};

export interface Group {
  /** The names of its runs. */
  readonly names: readonly string[];
}

/** What runs were asked for but for their seeds, by which those that belong together are found. */
const withoutSeed = (detail: RunDetail): string => {
  const spec = specOf(detail);
  const { seed: _, name: __, ...rest } = spec as Record<string, unknown>;
  return JSON.stringify([detail.summary.command, rest]);
};

/** In the order of the first of each. */
export function bySeed(details: readonly RunDetail[]): Group[] {
  const found = new Map<string, string[]>();
  for (const detail of details) {
    const key = withoutSeed(detail);
    found.set(key, [...(found.get(key) ?? []), detail.summary.name]);
  }
  return [...found.values()].map((names) => ({ names }));
}

/** A colour for each run, the same in every chart whatever is known of it; those of one group share theirs. */
export function coloursOf(names: readonly string[], groups: readonly Group[] = []): Map<string, string> {
  const heads = new Map(
    groups.flatMap((group) => group.names.map((name) => [name, group.names[0]] as const)),
  );
  const headOf = (name: string): string => heads.get(name) ?? name;
  const order = [...new Set(names.map(headOf))];
  return new Map(names.map((name) => [name, colour(order.indexOf(headOf(name)))]));
}

/** Mean and reach of some curves where all of them are: at every x that one of them has. */
export function together(curves: readonly Curve[]): {
  x: number[];
  mean: number[];
  low: number[];
  high: number[];
} {
  const some = curves.filter(({ x }) => x.length > 0);
  const from = Math.max(...some.map(({ x }) => x[0]));
  const to = Math.min(...some.map(({ x }) => x[x.length - 1]));
  const x = [...new Set(some.flatMap((curve) => curve.x))]
    .filter((at) => at >= from && at <= to)
    .sort((a, b) => a - b);
  const values = x.map((at) => some.map((curve) => valueAt(curve, at)));
  return {
    x,
    mean: values.map((list) => list.reduce((a, b) => a + b, 0) / list.length),
    low: values.map((list) => Math.min(...list)),
    high: values.map((list) => Math.max(...list)),
  };
}

export interface Drawn {
  readonly lines: readonly Line[];
  readonly bands: readonly Band[];
}

/** A line a group, and a band around it where it has several runs. */
export function drawnGroups(
  groups: readonly (Group & { readonly label: string; readonly colour: string })[],
  curveOf: (name: string) => Curve | undefined,
): Drawn {
  const drawn = groups.flatMap(({ names, label, colour }): { line: Line; band?: Band }[] => {
    const curves = names.flatMap((name) => curveOf(name) ?? []);
    if (curves.length === 0) return [];
    if (curves.length === 1) return [{ line: { name: label, colour, ...curves[0] } }];
    const { x, mean, low, high } = together(curves);
    return [{ line: { name: label, colour, x, y: mean }, band: { colour, x, low, high } }];
  });
  return { lines: drawn.map(({ line }) => line), bands: drawn.flatMap(({ band }) => band ?? []) };
}

/** The settings of some runs that are numbers and not the same in all, by their paths. */
export function numericSettings(
  details: readonly RunDetail[],
): { name: string; values: (number | null)[] }[] {
  return differences(details.map(specOf))
    .map(({ path, values }) => ({
      name: path.filter((part) => part !== "requirements").join(" "),
      values: values.map(numberIn),
    }))
    .filter(({ values }) => values.some((value) => value !== null));
}

/** 4, or quadratic(4). */
function numberIn(text: string | undefined): number | null {
  const found = /^(?:[a-z]+\()?(-?[\d.]+(?:e-?\d+)?)\)?$/i.exec(text ?? "");
  return found ? Number(found[1]) : null;
}

/** Settings that differ and what came of them, of requirements how far they are beyond their level. */
export function axesOf(details: readonly RunDetail[]): Axis[] {
  const results = [...new Set(details.flatMap(({ summary }) => Object.keys(summary.quantities)))]
    .filter((name) => name === "objective" || name === "test error" || name.endsWith(": beyond its level"))
    .map((name) => ({ name, values: details.map(({ summary }) => summary.quantities[name] ?? null) }));
  return [...numericSettings(details), ...results].filter(({ values }) => new Set(values).size > 1);
}
