// A chart of lines as an SVG element, for saving: what uPlot paints on a canvas, as shapes.
import { number } from "./format.js";
import { resolved } from "./palette.js";
import { extent, linearScale, pathThrough, roomy } from "./scale.js";

export interface Line {
  readonly name: string;
  /** A CSS colour. */
  readonly colour: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

const [width, height, left, right, top, bottom] = [640, 320, 56, 16, 34, 54];
const space = "http://www.w3.org/2000/svg";

export function lineFigure(title: string, lines: readonly Line[], { zero = false } = {}): SVGSVGElement {
  const svg = document.createElementNS(space, "svg");
  const add = (tag: string, attributes: Record<string, string | number>, text?: string): void => {
    const element = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    if (text !== undefined) element.textContent = text;
    svg.append(element);
  };
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const [ink, soft, grid] = ["--ink", "--soft", "--line"].map((name) => resolved(`var(${name})`));
  const font = { "font-family": "system-ui, sans-serif", "font-size": 12, fill: soft };
  const x = linearScale(extent(...lines.map((l) => l.x)) ?? [0, 1], [left, width - right], 6);
  const y = linearScale(
    roomy(extent(...lines.map((l) => l.y), zero ? [0] : []) ?? [0, 1]),
    [height - bottom, top],
    5,
  );
  add("text", { ...font, x: left, y: 20, fill: ink, "font-weight": 600, "font-size": 13 }, title);
  for (const tick of y.ticks) {
    add("path", { d: `M${left} ${y(tick)}H${width - right}`, stroke: zero && tick === 0 ? soft : grid });
    add("text", { ...font, x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, number(tick));
  }
  for (const tick of x.ticks)
    add("text", { ...font, x: x(tick), y: height - bottom + 18, "text-anchor": "middle" }, number(tick));
  for (const line of lines)
    add("path", {
      d: pathThrough(line.x.map((at, i) => [x(at), y(line.y[i])] as const)),
      fill: "none",
      stroke: resolved(line.colour),
      "stroke-width": 1.8,
      "stroke-linejoin": "round",
    });
  let at = left;
  for (const line of lines.length > 1 ? lines : []) {
    add("circle", { cx: at + 5, cy: height - 14, r: 4, fill: resolved(line.colour) });
    add("text", { ...font, x: at + 14, y: height - 10 }, line.name);
    at += 30 + 6.5 * line.name.length;
  }
  return svg;
}
