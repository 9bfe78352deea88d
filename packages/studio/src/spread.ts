// Many requirements at once: how their numbers are spread over the steps, and which are worst.
import type { Spread } from "./api.js";
import { evenly } from "./downsample.js";
import type { RequirementColumns, Table } from "./table.js";

/** The quantiles told of: the least, the greatest and three between. */
export const shares = [0, 0.1, 0.5, 0.9, 1] as const;
const mostSteps = 100;
const mostRows = 60;

const short = (x: number): number => Number(x.toPrecision(4));

/** The value a share of the way up a sorted list, between neighbours. */
function quantileOf(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (at - Math.floor(at)) * (above - below);
}

const lastOf = (values: Float64Array): number => {
  for (let row = values.length - 1; row >= 0; row--) if (Number.isFinite(values[row])) return values[row];
  return -Infinity;
};

/** Names in the order of their last slack, the worst first. */
export function worstIn({ requirements }: Table, count = Infinity): string[] {
  return [...requirements]
    .map(([name, { slack }]) => ({ name, last: lastOf(slack.values) }))
    .sort((a, b) => b.last - a.last)
    .slice(0, count)
    .map(({ name }) => name);
}

export function spreadOf(table: Table): Spread {
  const rows = evenly(
    Array.from({ length: table.rows }, (_, row) => row),
    mostSteps,
  );
  const all = [...table.requirements.values()];
  const quantiles = (key: keyof RequirementColumns): number[][] => {
    const sorted = rows.map((row) =>
      Float64Array.from(all.map((columns) => columns[key].values[row]).filter(Number.isFinite)).sort(),
    );
    return shares.map((share) => sorted.map((values) => short(quantileOf(values, share))));
  };
  return {
    count: all.length,
    x: rows.map((row) => table.step.values[row]),
    slack: quantiles("slack"),
    relaxation: quantiles("relaxation"),
    price: quantiles("price"),
    heat: heatOf(table, rows),
  };
}

function heatOf(table: Table, rows: readonly number[]): Spread["heat"] {
  const names = worstIn(table);
  const bins = Math.min(mostRows, names.length);
  return Array.from({ length: bins }, (_, bin) => {
    const from = Math.floor((bin * names.length) / bins);
    const together = names.slice(from, Math.floor(((bin + 1) * names.length) / bins));
    const columns = together.map((name) => table.requirements.get(name)?.slack.values ?? new Float64Array());
    return {
      name: together[0],
      count: together.length,
      slack: rows.map((row) => {
        const known = columns.map((values) => values[row]).filter(Number.isFinite);
        return known.length > 0 ? short(known.reduce((sum, v) => sum + v, 0) / known.length) : null;
      }),
    };
  });
}
