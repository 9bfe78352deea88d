// Saves a figure of the page as a file that stands alone: colours and fonts written into it, as SVG or as PNG.

const kept = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
];

/** The text of an SVG element as it looks now. */
export function svgText(element: SVGSVGElement): string {
  const copy = element.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [element, ...element.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  for (const [i, node] of from.entries()) {
    const style = getComputedStyle(node);
    for (const name of kept) {
      const value = style.getPropertyValue(name);
      if (value) to[i].setAttribute(name, value);
    }
    to[i].removeAttribute("class");
    to[i].removeAttribute("style");
  }
  const { width, height } = element.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ x: "0", y: "0", width: "100%", height: "100%" }))
    back.setAttribute(name, value);
  back.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(back);
  return new XMLSerializer().serializeToString(copy);
}

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name.replace(/[^\w.-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const saveSvg = (name: string, element: SVGSVGElement): void =>
  save(`${name}.svg`, new Blob([svgText(element)], { type: "image/svg+xml" }));

/** Drawn at three times its size, for print. */
export async function savePng(name: string, element: SVGSVGElement, times = 3): Promise<void> {
  const { width, height } = element.viewBox.baseVal;
  const image = new Image(width, height);
  const source = URL.createObjectURL(new Blob([svgText(element)], { type: "image/svg+xml" }));
  try {
    image.src = source;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * times;
    canvas.height = height * times;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) save(`${name}.png`, blob);
  } finally {
    URL.revokeObjectURL(source);
  }
}
