// Saves a figure of the page as a file that stands alone: what it is called and of which run, colours and fonts written into it, as SVG
// or as PNG; and its numbers as CSV.
import { resolved } from "../lib/palette.js";
import { type Chart, drawing, type Shape } from "./drawing.js";

export interface Named {
  readonly title: string;
  /** The run, or the runs. */
  readonly source: string;
}

/** A figure as text of an SVG file, and its size. */
export interface Picture {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

const space = "http://www.w3.org/2000/svg";
const font = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif';

function sheet(width: number, height: number): SVGSVGElement {
  const svg = document.createElementNS(space, "svg");
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    svg.setAttribute(name, String(value));
  svg.setAttribute("font-family", font);
  svg.append(element({ tag: "rect", attributes: { x: 0, y: 0, width, height, fill: "var(--surface)" } }));
  return svg;
}

function element({ tag, attributes, text }: Shape): SVGElement {
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes))
    made.setAttribute(name, String(value).startsWith("var(") ? resolved(String(value)) : String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

const picture = (svg: SVGSVGElement, width: number, height: number): Picture => ({
  text: new XMLSerializer().serializeToString(svg),
  width,
  height,
});

/** A chart as the screen shows it, with its title, its run and its legend. */
export function chartPicture(chart: Chart): Picture {
  const { width, height, shapes } = drawing(chart, { width: 720, height: 340, standalone: true });
  const svg = sheet(width, height);
  svg.append(...shapes.map(element));
  return picture(svg, width, height);
}

const kept = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-opacity",
  "paint-order",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
];
const headHeight = 52;

/** An SVG element of the page as it looks now, under its title and its run. */
export function elementPicture(drawn: SVGSVGElement, { title, source }: Named): Picture {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [drawn, ...drawn.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  for (const [i, node] of from.entries()) {
    const style = getComputedStyle(node);
    for (const name of kept) {
      const value = style.getPropertyValue(name);
      if (value) to[i].setAttribute(name, value);
    }
    for (const name of ["class", "style", "tabindex", "role"]) to[i].removeAttribute(name);
  }
  const { width, height: own } = drawn.viewBox.baseVal;
  const height = own + headHeight;
  const svg = sheet(width, height);
  const inner = document.createElementNS(space, "g");
  inner.setAttribute("transform", `translate(0 ${headHeight})`);
  inner.append(...copy.childNodes);
  const text = (y: number, size: number, content: string): SVGElement =>
    element({ tag: "text", attributes: { x: 12, y, "font-size": size, fill: "var(--ink)" }, text: content });
  svg.append(text(24, 14, title), text(42, 11, source), inner);
  return picture(svg, width, height);
}

/** The name of a file: the run first, so that figures of several runs lie apart. Signs that no name may have are left out. */
export const fileName = ({ title, source }: Named, ending: string): string =>
  `${[source, title]
    .map((part) => part.replace(/[^\p{L}\p{N}.,=()[\]-]+/gu, "-").replace(/^[-.]+|-+$/g, ""))
    .filter(Boolean)
    .join("--")
    .slice(0, 180)}.${ending}`;

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const svgBlob = ({ text }: Picture): Blob => new Blob([text], { type: "image/svg+xml" });

/** Drawn at three times its size, for print. */
export async function pngBlob(drawn: Picture, times = 3): Promise<Blob> {
  const { width, height } = drawn;
  const image = new Image(width, height);
  const source = URL.createObjectURL(svgBlob(drawn));
  try {
    image.src = source;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * times;
    canvas.height = height * times;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("The browser could not paint the figure.");
    return blob;
  } finally {
    URL.revokeObjectURL(source);
  }
}
