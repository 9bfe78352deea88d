// A small plot as one self-contained SVG: axes with round ticks, a legend, colours for light and dark pages.

import { draw, extent, type Series } from "./plot/marks.js";
import { type Axis, type Scale, scaleOf } from "./plot/scale.js";

export type { Bars, Line, Point, Points, Series, Strip } from "./plot/marks.js";
export type { Axis } from "./plot/scale.js";

/** Axes and series of a plot. */
export interface Plot {
  readonly title: string;
  readonly x?: Axis;
  readonly y?: Axis;
  /** A second measure, for the series with `axis: "right"`. */
  readonly right?: Axis;
  readonly series: readonly Series[];
  /** Horizontal lines at these values of the left axis, such as a limit. */
  readonly levels?: readonly number[];
  readonly width?: number;
  readonly height?: number;
}

const light = ["#2563eb", "#d9480f", "#2b8a3e", "#ae3ec9", "#0c8599", "#868e96"];
const dark = ["#74a7ff", "#ff922b", "#69db7c", "#e599f7", "#3bc9db", "#adb5bd"];

/** The plot as the text of an SVG file. */
export function plot({
  title,
  x = {},
  y = {},
  right,
  series,
  levels = [],
  width = 480,
  height = 320,
}: Plot): string {
  const named = series.filter((curve) => curve.name !== undefined);
  const rows = legendRows(named, width - 80);
  const heading = linesOf(title, width);
  const lower = 16 * (heading.length - 1);
  const box = {
    left: 58,
    right: width - (right ? 58 : 16),
    top: 34 + lower + 18 * rows.length,
    bottom: height - (x.label ? 48 : 30),
  };
  const spans = series.map(extent);
  const side = (which: "left" | "right") => spans.filter((_, i) => (series[i].axis ?? "left") === which);
  const bars = series.some(({ kind }) => kind === "bars");
  const yScale = (axis: Axis, which: "left" | "right") => {
    const values = side(which).flatMap((span) => span.y);
    // Bars are lengths: on a linear axis they grow from zero.
    const grounded = bars && axis.scale !== "log" ? [0] : [];
    return scaleOf(axis, [...values, ...grounded, ...(which === "left" ? levels : [])], box.bottom, box.top);
  };
  const scales = {
    x: scaleOf(
      x,
      spans.flatMap((span) => span.x),
      box.left,
      box.right,
    ),
    left: yScale(y, "left"),
    right: right && yScale(right, "right"),
  };

  const sharing = series.filter(({ kind }) => kind === "bars" || kind === "strip");
  const marks = series.map((curve, i) => {
    const scale = (curve.axis === "right" && scales.right) || scales.left;
    const zero = scale(0);
    const floor = Number.isFinite(zero) ? Math.min(Math.max(zero, box.top), box.bottom) : box.bottom;
    const place = { x: scales.x, y: scale, floor, among: sharing.length || 1, index: sharing.indexOf(curve) };
    return `<g class="s${colourOf(series, i)}">${draw(curve, place)}</g>`;
  });
  const rules = levels.map(
    (level) => `<path class="level" d="M${box.left} ${px(scales.left(level))}H${box.right}"/>`,
  );

  return `<svg xmlns="http://www.w3.org/2000/svg" class="pliant-plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${plain(title)}">
<style>${style}</style>
${heading.map((line, i) => `<text class="title" x="${width / 2}" y="${18 + 16 * i}">${plain(line)}</text>`).join("\n")}
${legend(rows, series, { width, lower })}
${xAxis(x, scales.x, box, height)}
${yAxis(y, scales.left, box, "left", box.left)}
${right && scales.right ? yAxis(right, scales.right, box, "right", width - box.right) : ""}
${[...rules, ...marks].join("\n")}
</svg>
`;
}

/** A letter of the title, at its widest on average. */
const letter = 7.4;

/** A title that is wider than the figure, in two lines: broken at the comma nearest to its middle. */
function linesOf(title: string, width: number): string[] {
  if (title.length * letter <= width) return [title];
  const commas = [...title.matchAll(/, /g)].map(({ index }) => index + 1);
  if (commas.length === 0) return [title];
  const off = (at: number): number => Math.abs(at - title.length / 2);
  const at = commas.reduce((best, comma) => (off(comma) < off(best) ? comma : best));
  return [title.slice(0, at), title.slice(at + 1)];
}

const px = (value: number): string => value.toFixed(1);

const colourOf = (series: readonly Series[], i: number): number => (series[i].colour ?? i) % light.length;

/** Text that may come from a file, safe inside an element or an attribute. */
const plain = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function xAxis({ label, categories }: Axis, scale: Scale, box: Box, height: number): string {
  const ticks = scale.ticks.map(({ at, text }) => {
    const place = px(scale(at));
    const mark = categories ? "" : `<path class="axis" d="M${place} ${box.bottom}v4"/>`;
    return `${mark}<text class="x" x="${place}" y="${box.bottom + 16}">${plain(text)}</text>`;
  });
  const name = label
    ? `<text class="x label" x="${(box.left + box.right) / 2}" y="${height - 8}">${plain(label)}</text>`
    : "";
  return `<path class="axis" d="M${box.left} ${box.bottom}H${box.right}"/>${ticks.join("")}${name}`;
}

function yAxis({ label }: Axis, scale: Scale, box: Box, side: "left" | "right", room: number): string {
  const [edge, out] = side === "left" ? [box.left, -1] : [box.right, 1];
  const ticks = scale.ticks.map(({ at, text }) => {
    const place = px(scale(at));
    const grid = side === "left" ? `<path class="grid" d="M${box.left} ${place}H${box.right}"/>` : "";
    return `${grid}<text class="${side}" x="${edge + out * 6}" y="${place}" dy="0.35em">${plain(text)}</text>`;
  });
  const across = edge + out * (room - 12);
  const middle = (box.top + box.bottom) / 2;
  const name = label
    ? `<text class="x label" transform="translate(${across} ${middle}) rotate(-90)">${plain(label)}</text>`
    : "";
  return `${ticks.join("")}<path class="axis" d="M${edge} ${box.top}V${box.bottom}"/>${name}`;
}

/** Names of the legend broken into rows that fit, by a rough width of a letter. */
function legendRows(named: readonly Series[], width: number): { series: Series; at: number }[][] {
  const rows: { series: Series; at: number }[][] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const series of named) {
    const room = 30 + 6.6 * (series.name ?? "").length;
    if (end + room > width) {
      rows.push([]);
      end = 0;
    }
    rows[rows.length - 1].push({ series, at: end });
    end += room;
  }
  return rows;
}

function legend(
  rows: { series: Series; at: number }[][],
  all: readonly Series[],
  { width, lower }: { width: number; lower: number },
): string {
  return rows
    .flatMap((row, line) => {
      const last = row[row.length - 1];
      const start = (width - last.at - 30 - 6.6 * (last.series.name ?? "").length) / 2;
      return row.map(({ series, at }) => {
        const [left, middle] = [start + at, 36 + lower + 18 * line];
        const colour = colourOf(all, all.indexOf(series));
        return `<g class="s${colour}">${swatch(series, left, middle)}<text x="${px(left + 20)}" y="${middle}" dy="0.35em">${plain(series.name ?? "")}</text></g>`;
      });
    })
    .join("");
}

function swatch(series: Series, left: number, middle: number): string {
  if (series.kind === "bars") return `<rect x="${px(left + 2)}" y="${middle - 5}" width="11" height="10"/>`;
  if (series.kind === "line")
    return `<path class="line${series.dashed ? " dashed" : ""}" d="M${px(left)} ${middle}h14"/>`;
  const hollow = series.kind === "points" && series.hollow ? ' class="hollow"' : "";
  return `<circle${hollow} cx="${px(left + 8)}" cy="${middle}" r="3.6"/>`;
}

const palette = (colours: readonly string[]): string =>
  colours.map((colour, i) => `.pliant-plot .s${i}{color:${colour}}`).join("");

const style = `
.pliant-plot{color-scheme:light dark;font:12px system-ui,sans-serif}
.pliant-plot text{fill:#495057}.pliant-plot .title{font-weight:600;font-size:13px;text-anchor:middle}
.pliant-plot .x{text-anchor:middle}.pliant-plot .left{text-anchor:end}.pliant-plot .right{text-anchor:start}
.pliant-plot path{fill:none;stroke:#adb5bd}.pliant-plot .grid{stroke-opacity:.35}
.pliant-plot .level{stroke:#495057;stroke-dasharray:2 3}
.pliant-plot .line{stroke:currentColor;stroke-width:2}.pliant-plot .dashed{stroke-dasharray:5 4}
.pliant-plot circle{fill:currentColor;fill-opacity:.65;stroke:none}
.pliant-plot .hollow{fill:#fff;fill-opacity:.9;stroke:currentColor;stroke-width:1.5}
.pliant-plot rect{fill:currentColor;fill-opacity:.85}.pliant-plot .error{stroke:#495057}
${palette(light)}
@media (prefers-color-scheme:dark){.pliant-plot text{fill:#ced4da}.pliant-plot path{stroke:#868e96}
.pliant-plot .level,.pliant-plot .error{stroke:#ced4da}.pliant-plot .line,.pliant-plot .hollow{stroke:currentColor}.pliant-plot .hollow{fill:#212529}
${palette(dark)}}
`;
