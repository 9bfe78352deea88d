// One number of runs against another: points, and the lines that join those of a sweep.
import type { RunSummary } from "../../../src/api.js";
import { inOrder } from "../lib/names.js";

export interface Point {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

type Told = Pick<RunSummary, "name" | "quantities" | "sweep">;

/** Numbers by size, text as it reads. */
function inSweep(a: Told, b: Told): number {
  const [x, y] = [a.sweep?.value ?? "", b.sweep?.value ?? ""];
  return typeof x === "number" && typeof y === "number" ? x - y : inOrder(String(x), String(y));
}

/** Runs that lack one of the two are no points. */
export function tradeOff(
  runs: readonly Told[],
  across: string,
  up: string,
): { points: Point[]; paths: Point[][] } {
  const pointOf = ({ name, quantities }: Told): Point[] =>
    Object.hasOwn(quantities, across) && Object.hasOwn(quantities, up)
      ? [{ name, x: quantities[across], y: quantities[up] }]
      : [];
  const sweeps = new Map<string, Told[]>();
  for (const run of runs)
    if (run.sweep) sweeps.set(run.sweep.group, [...(sweeps.get(run.sweep.group) ?? []), run]);
  const paths = [...sweeps.values()].map((list) => list.sort((a, b) => inSweep(a, b)).flatMap(pointOf));
  return { points: runs.flatMap(pointOf), paths: paths.filter(({ length }) => length > 1) };
}

/** What gave way most somewhere, against what it is traded for. */
export function defaultAxes(runs: readonly Told[], names: readonly string[]): { across: string; up: string } {
  const most = (name: string): number =>
    Math.max(...runs.map(({ quantities }) => quantities[name] ?? -Infinity));
  const beyond = names
    .filter((name) => name.endsWith(": beyond its level"))
    .sort((a, b) => most(b) - most(a));
  const across = beyond[0] ?? names.find((name) => name !== "objective") ?? "";
  return { across, up: names.includes("objective") ? "objective" : (names.find((n) => n !== across) ?? "") };
}
