// A chart of lines as shapes: the one description that the screen shows and that a file holds. A file has in it what stands around the
// chart on the page: title, run and legend.
import { mark } from "../lib/format.js";
import { type Band, type Line, type Range, smoothed, within } from "./lines.js";
import { extent, linearScale, logScale, pathThrough, roomy, type Scale, ticksOf } from "./scale.js";

export interface Shape {
  readonly tag: "path" | "text" | "circle" | "rect" | "line";
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly text?: string;
}

export interface Chart {
  readonly title: string;
  /** What the chart is of: the run, or the runs. */
  readonly source: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly Line[];
  readonly bands?: readonly Band[];
  /** Draws the line at 0, which means something here. */
  readonly zero?: boolean;
  /** x counts something, so its marks are whole. */
  readonly counts?: boolean;
  readonly logarithmic?: boolean;
  /** From 0, as logged, towards 1. */
  readonly smoothing?: number;
  readonly zoom?: Range;
  /** The one line that stands out. */
  readonly highlight?: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
  readonly x: Scale;
  readonly y: Scale;
  readonly box: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly floor: number;
  };
  /** The lines as drawn: smoothed, cut to what is looked at, and without what a logarithm has no place for. */
  readonly lines: readonly Line[];
}

const small = { "font-size": 11, fill: "var(--soft)" };

const positive = (line: Line): Line => {
  const kept = line.y.flatMap((value, i) => (value > 0 ? [i] : []));
  return { ...line, x: kept.map((i) => line.x[i]), y: kept.map((i) => line.y[i]) };
};

/** The lines of a chart as they are drawn. */
export function shownLines({ lines, logarithmic, smoothing = 0, zoom }: Chart): Line[] {
  const smooth = lines.map((line) => ({ ...line, y: smoothed(line.y, smoothing) }));
  return (logarithmic ? smooth.map(positive) : smooth).map((line) => {
    const { outcome, ...cut } = within(line, zoom);
    const ends = zoom === undefined || zoom[1] >= (line.x.at(-1) ?? Infinity);
    return ends && outcome !== undefined ? { ...cut, outcome } : cut;
  });
}

/** Whether a logarithm has anything to show. */
export const hasPositive = (lines: readonly Line[]): boolean => lines.some(({ y }) => y.some((v) => v > 0));

/** What a chart shows at a size; `standalone` as a file of its own, which is higher by what stands around it. */
export function drawing(
  chart: Chart,
  { width, height: own, standalone = false }: { width: number; height: number; standalone?: boolean },
): Drawing {
  const { logarithmic = false, zero = false, smoothing = 0, zoom } = chart;
  const lines = shownLines(chart);
  const bands = (chart.bands ?? []).map((band) => bandWithin(band, zoom, logarithmic));
  const legend = standalone && chart.lines.length > 1 ? legendRows(chart.lines, width - 60) : [];
  const head = standalone ? 52 : 0;
  const height = own + head + 18 * legend.length;
  const [left, right, top, floor] = [50, width - 16, head + 22, head + own - 38];

  const across = zoom ?? extent(...lines.map((l) => l.x), ...bands.map((b) => b.x)) ?? [0, 1];
  const x = linearScale(across, [left, right], Math.max(2, Math.floor(width / 90)));
  const y = upScale(lines, bands, { logarithmic, zero }, [floor, top]);

  const shapes: Shape[] = [];
  const add = (tag: Shape["tag"], attributes: Shape["attributes"], text?: string) =>
    shapes.push({ tag, attributes, ...(text !== undefined && { text }) });
  if (standalone) {
    add("text", { x: 16, y: 26, "font-size": 14, "font-weight": 600, fill: "var(--ink)" }, chart.title);
    add("text", { x: 16, y: 44, ...small }, fitted(chart.source, width - 32));
  }
  for (const tick of y.ticks) {
    const stroke = zero && tick === 0 ? "var(--line-strong)" : "var(--line)";
    add("path", { d: `M${left} ${y(tick).toFixed(1)}H${right}`, stroke, fill: "none" });
    add(
      "text",
      { x: left - 7, y: y(tick) + 4, "text-anchor": "end", ...small },
      mark(tick, y.ticks, logarithmic),
    );
  }
  for (const tick of x.ticks.filter((t) => !chart.counts || Number.isInteger(t)))
    add("text", { x: x(tick), y: floor + 16, "text-anchor": "middle", ...small }, mark(tick, x.ticks));
  const scaled = logarithmic ? `${chart.yLabel}, logarithmic` : chart.yLabel;
  add("text", { x: 6, y: top - 10, ...small }, smoothing > 0 ? `${scaled}, smoothed` : scaled);
  add("text", { x: right, y: floor + 32, "text-anchor": "end", ...small }, chart.xLabel);
  for (const band of bands)
    add("path", { d: bandPath(band, x, y), fill: band.colour, "fill-opacity": 0.16, stroke: "none" });
  if (smoothing > 0)
    for (const line of shownLines({ ...chart, smoothing: 0 }))
      add("path", { ...stroke(line, x, y), opacity: 0.25 });
  for (const line of lines) {
    const dim = chart.highlight !== undefined && chart.highlight !== line.name;
    add("path", { ...stroke(line, x, y), opacity: dim ? 0.18 : 1, "data-line": line.name });
    if (line.x.length <= 24)
      for (const [i, at] of line.x.entries())
        add("circle", { cx: x(at), cy: y(line.y[i]), r: 2, fill: line.colour, opacity: dim ? 0.18 : 1 });
    const end = line.x.at(-1);
    if (line.outcome === undefined || end === undefined || (logarithmic && line.outcome <= 0)) continue;
    const [cx, from, to] = [x(end), y(line.y.at(-1) as number), y(line.outcome)];
    const own = { fill: "none", stroke: line.colour, opacity: dim ? 0.18 : 1 };
    add("path", { ...own, d: `M${cx} ${from}V${to}`, "stroke-dasharray": "2 3" });
    add("circle", { ...own, cx, cy: to, r: 4.5, "stroke-width": 2, "data-outcome": line.name });
  }
  for (const [row, items] of legend.entries())
    for (const { line, at, text } of items) {
      const cy = floor + 50 + 18 * row;
      add("circle", { cx: left + at + 4, cy: cy - 4, r: 4, fill: line.colour });
      add("text", { x: left + at + 14, y: cy, ...small }, text);
    }
  return { width, height, shapes, x, y, box: { left, right, top, floor }, lines };
}

function upScale(
  lines: readonly Line[],
  bands: readonly Band[],
  { logarithmic, zero }: { logarithmic: boolean; zero: boolean },
  range: Range,
): Scale {
  const found = extent(
    ...lines.map((l) =>
      l.outcome === undefined || (logarithmic && l.outcome <= 0) ? l.y : [...l.y, l.outcome],
    ),
    ...bands.flatMap((b) => [b.low, b.high]),
    zero && !logarithmic ? [0] : [],
  );
  if (logarithmic) {
    const [low, high] = found ?? [0.1, 1];
    return logScale([low / 1.15, high * 1.15], range);
  }
  const [low, high] = roomy(found ?? [0, 1], 0.08);
  const domain: Range = [zero && found?.[0] === 0 ? 0 : low, zero && found?.[1] === 0 ? 0 : high];
  const scale = linearScale(domain[0] === domain[1] ? [low, high] : domain, range);
  return Object.assign(scale, { ticks: ticksOf(scale.domain, 4) });
}

const stroke = (line: Line, x: Scale, y: Scale): Record<string, string | number> => ({
  d: pathThrough(line.x.map((at, i) => [x(at), y(line.y[i])] as const)),
  fill: "none",
  stroke: line.colour,
  "stroke-width": 1.7,
  "stroke-linejoin": "round",
});

function bandWithin(band: Band, zoom: Range | undefined, logarithmic: boolean): Band {
  const [low, high] = [band.low, band.high].map((y) => within({ x: band.x, y }, zoom));
  const least = logarithmic ? Math.min(...low.y.filter((v) => v > 0), ...high.y.filter((v) => v > 0)) : 0;
  const kept = (values: readonly number[]) => (logarithmic ? values.map((v) => Math.max(v, least)) : values);
  return { ...band, x: low.x, low: kept(low.y), high: kept(high.y) };
}

function bandPath({ x: at, low, high }: Band, x: Scale, y: Scale): string {
  const over = at.map((v, i) => [x(v), y(high[i])] as const);
  const under = at.map((v, i) => [x(v), y(low[i])] as const).reverse();
  return over.length > 0 ? `${pathThrough([...over, ...under])}Z` : "";
}

/** About the width of a character of small text. */
const character = 6.4;

/** Text that fits, its end given up where it does not. */
export const fitted = (text: string, room: number): string => {
  const most = Math.max(4, Math.floor(room / character));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
};

/** Text that fits, its middle given up where it does not: names that begin alike end apart. */
export const fittedInside = (text: string, room: number): string => {
  const most = Math.max(4, Math.floor(room / character));
  if (text.length <= most) return text;
  const end = Math.ceil((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(-end)}`;
};

interface LegendItem {
  readonly line: Line;
  readonly at: number;
  readonly text: string;
}

/** A legend in as many rows as it takes, none wider than its room. */
function legendRows(lines: readonly Line[], room: number): LegendItem[][] {
  const rows: LegendItem[][] = [[]];
  let at = 0;
  for (const line of lines) {
    const text = fitted(line.name, room - 14);
    const width = 30 + character * text.length;
    if (at > 0 && at + width > room) {
      rows.push([]);
      at = 0;
    }
    rows[rows.length - 1].push({ line, at, text });
    at += width;
  }
  return rows;
}
