// What is drawn on a plot: points, lines, grouped bars, strips of points over categories.

import type { Scale } from "./scale.js";

interface Common {
  /** In the legend; series without a name are left out of it. */
  readonly name?: string;
  /** The side whose axis measures the series. */
  readonly axis?: "left" | "right";
  /** Which colour of the palette; the series' place by default. */
  readonly colour?: number;
}

export type Point = readonly [x: number, y: number];

export interface Points extends Common {
  readonly kind: "points";
  readonly points: readonly Point[];
  /** Half the height of each error bar. */
  readonly errors?: readonly number[];
  readonly hollow?: boolean;
}

export interface Line extends Common {
  readonly kind: "line";
  readonly points: readonly Point[];
  readonly errors?: readonly number[];
  readonly dashed?: boolean;
  /** Marks each point. */
  readonly marked?: boolean;
}

/** A bar for each category; series of bars stand side by side. */
export interface Bars extends Common {
  readonly kind: "bars";
  readonly values: readonly (number | undefined)[];
  readonly errors?: readonly (number | undefined)[];
}

/** All values of each category as points beside each other; series of strips stand side by side. */
export interface Strip extends Common {
  readonly kind: "strip";
  readonly groups: readonly (readonly number[])[];
}

export type Series = Points | Line | Bars | Strip;

/** The values a series needs room for. */
export function extent(series: Series): { x: number[]; y: number[] } {
  if (series.kind === "bars") {
    const spread = series.values.flatMap((value, i) => {
      if (value === undefined) return [];
      const error = series.errors?.[i] ?? 0;
      return [value - error, value + error];
    });
    return { x: [], y: spread };
  }
  if (series.kind === "strip") return { x: [], y: series.groups.flat() };
  const { points, errors } = series;
  return {
    x: points.map(([x]) => x),
    y: points.flatMap(([, y], i) => [y - (errors?.[i] ?? 0), y + (errors?.[i] ?? 0)]),
  };
}

export interface Place {
  readonly x: Scale;
  readonly y: Scale;
  /** Where a bar grows from. */
  readonly floor: number;
  /** Series that share the room of a category: how many, and which of them this is. */
  readonly among: number;
  readonly index: number;
}

const px = (value: number): string => value.toFixed(1);

/** The marks of a series as SVG elements. */
export function draw(series: Series, { x, y, floor, among, index }: Place): string {
  // A category is one unit of the x axis; a fifth of it separates it from the next.
  const slot = 0.8 / among;
  const middle = (category: number) => category - 0.4 + slot * (index + 0.5);
  switch (series.kind) {
    case "points":
      return errorBars(series, x, y) + series.points.map((p) => circle(p, x, y, series.hollow)).join("");
    case "line": {
      const shown = series.points.filter((point) => hasPlace(point, x, y));
      const path = shown.map(([a, b], i) => `${i ? "L" : "M"}${px(x(a))} ${px(y(b))}`).join("");
      const marks = series.marked ? shown.map((p) => circle(p, x, y)).join("") : "";
      return `${errorBars(series, x, y)}<path class="line${series.dashed ? " dashed" : ""}" d="${path}"/>${marks}`;
    }
    case "bars":
      return series.values
        .map((value, i) => {
          if (value === undefined || !Number.isFinite(y(value))) return "";
          const [left, right] = [x(middle(i) - slot * 0.46), x(middle(i) + slot * 0.46)];
          const [top, bottom] = [y(value), floor].sort((a, b) => a - b);
          const bar = `<rect x="${px(left)}" y="${px(top)}" width="${px(right - left)}" height="${px(bottom - top)}"/>`;
          return bar + errorBar([middle(i), value], series.errors?.[i], x, y);
        })
        .join("");
    case "strip":
      return series.groups
        .map((values, i) =>
          values
            .map((value, k) => circle([middle(i) + slot * 0.7 * jitter(k), value], x, y, false, 2))
            .join(""),
        )
        .join("");
  }
}

/** A place between −½ and ½ that fills the width evenly, whatever the order of the values. */
const jitter = (k: number): number => ((k * 0.618034) % 1) - 0.5;

/** Nothing where a logarithmic axis has no place for the value. */
const circle = ([a, b]: Point, x: Scale, y: Scale, hollow = false, radius = 3.2): string =>
  hasPlace([a, b], x, y)
    ? `<circle${hollow ? ' class="hollow"' : ""} cx="${px(x(a))}" cy="${px(y(b))}" r="${radius}"/>`
    : "";

const hasPlace = ([a, b]: Point, x: Scale, y: Scale): boolean =>
  Number.isFinite(x(a)) && Number.isFinite(y(b));

const errorBars = ({ points, errors }: Points | Line, x: Scale, y: Scale): string =>
  points.map((point, i) => errorBar(point, errors?.[i], x, y)).join("");

function errorBar([a, b]: Point, error: number | undefined, x: Scale, y: Scale): string {
  if (!error) return "";
  // Below zero a logarithmic axis has no place.
  const [low, high] = [b - error, b + error].map((value) => (Number.isFinite(y(value)) ? y(value) : y(b)));
  return `<path class="error" d="M${px(x(a))} ${px(low)}V${px(high)}m-3 0h6m-3 0V${px(low)}m-3 0h6"/>`;
}
