// Draws the three equilibria as an SVG: the slope of the cost, the sensitivity of the problem, and where they meet.
import { curves, type Equilibrium, sensitivity } from "./equilibrium.js";

const [width, height, gap, top, bottom] = [220, 190, 30, 26, 34];
const [uMax, slopeMax] = [1.6, 1];

/** The paper's first figure as an SVG, of what `equilibria` found. */
export function equilibriumSvg(found: readonly Equilibrium[]): string {
  const panels = curves.map((curve, i) => {
    const left = gap + i * (width + gap);
    const x = (u: number) => (left + (u / uMax) * width).toFixed(1);
    const y = (s: number) => (top + (1 - Math.min(s, slopeMax) / slopeMax) * height).toFixed(1);
    const start = Math.max(0, curve.threshold - curve.shift + 0.01);
    const points = Array.from({ length: 200 }, (_, k) => start + (k / 199) * (uMax - start));
    const visible = points.filter((u) => sensitivity(curve, u) <= slopeMax);
    const line = visible.map((u, k) => `${k ? "L" : "M"}${x(u)} ${y(sensitivity(curve, u))}`).join("");
    const { u, price, label } = found[i];
    const shaded =
      curve.threshold > 0
        ? `<rect x="${x(0)}" y="${top}" width="${((curve.threshold / uMax) * width).toFixed(1)}" height="${height}" class="never"/>`
        : "";
    return `<g>${shaded}
<path d="M${x(0)} ${y(0)}H${x(uMax)}M${x(0)} ${y(0)}V${top}" class="axis"/>
<path d="M${x(0)} ${y(0)}L${x(uMax)} ${y(0.5 * uMax)}" class="cost"/>
<path d="${line}" class="problem"/>
<path d="M${x(u)} ${y(0)}V${y(price)}" class="drop"/><circle cx="${x(u)}" cy="${y(price)}" r="4"/>
<text x="${x(uMax / 2)}" y="16" class="title">${label}</text>
<text x="${x(u)}" y="${top + height + 18}" class="mark">u* = ${u.toFixed(3)}</text></g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${gap + curves.length * (width + gap)} ${top + height + bottom}" role="img" aria-label="Resilient equilibria of an easy, a difficult and an infeasible problem">
<style>text{font:12px system-ui,sans-serif;fill:#444}.title,.mark{text-anchor:middle}.title{font-weight:600}path{fill:none;stroke-width:2}.axis{stroke:#999;stroke-width:1}.cost{stroke:#2563eb}.problem{stroke:#dc2626}.drop{stroke:#999;stroke-width:1;stroke-dasharray:3 3}.never{fill:#dc2626;opacity:.08}</style>
${panels.join("\n")}
</svg>
`;
}
