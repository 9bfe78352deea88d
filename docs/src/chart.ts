// The README's chart, drawn from the record of the fairness benchmark: npm run chart.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./place.js";

interface Case {
  readonly table: string;
  readonly kind: string;
  readonly level: number;
  readonly pliant: { readonly test: { readonly error: number } };
  readonly fairlearn: { readonly test: { readonly error: number } };
}

interface Fairness {
  readonly command: string;
  readonly machine: string;
  readonly date: string;
  readonly reductions: readonly Case[];
}

export const chartRecord = (): Fairness =>
  JSON.parse(readFileSync(join(root, "packages/cli/bench/records/fairness.json"), "utf8"));

const colours = { pliant: "#0969da", fairlearn: "#bc4c00" } as const;
const [width, panel, top, height] = [760, 190, 56, 150];

/** Test error at each gap that was asked for, one panel a table and kind of gap. */
export function comparisonSvg({ reductions, command, date }: Fairness): string {
  const panels = [...new Set(reductions.map(({ table, kind }) => `${kind}, ${table}`))];
  const errors = reductions.flatMap(({ pliant, fairlearn }) => [pliant.test.error, fairlearn.test.error]);
  const [low, high] = [
    Math.floor(Math.min(...errors) * 100) / 100,
    Math.ceil(Math.max(...errors) * 100) / 100,
  ];
  const levels = [...new Set(reductions.map(({ level }) => level))].sort((a, b) => a - b);
  const y = (error: number): string => (top + height * (1 - (error - low) / (high - low))).toFixed(1);
  const x = (at: number, level: number): string =>
    (at * panel + 44 + (levels.indexOf(level) * (panel - 70)) / (levels.length - 1)).toFixed(1);
  const text = (at: string | number, line: string | number, words: string, more = ""): string =>
    `<text x="${at}" y="${line}" ${more}>${words}</text>`;
  const parts = panels.flatMap((name, at) => {
    const own = reductions.filter(({ table, kind }) => `${kind}, ${table}` === name);
    const lines = (["fairlearn", "pliant"] as const).flatMap((tool) => {
      const points = own.map((row) => [x(at, row.level), y(row[tool].test.error)]);
      return [
        `<polyline points="${points.map((point) => point.join(",")).join(" ")}" fill="none" stroke="${colours[tool]}" stroke-width="2"/>`,
        ...points.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colours[tool]}"/>`),
      ];
    });
    const [kind, ...table] = name.split(", ");
    return [
      text(at * panel + 44, top - 14, `${kind}: ${table.join(", ")}`, 'font-weight="600"'),
      `<path d="M${at * panel + 36} ${top}v${height}h${panel - 52}" fill="none" stroke="#8c959f"/>`,
      ...levels.map((level) => text(x(at, level), top + height + 16, String(level), 'text-anchor="middle"')),
      ...lines,
    ];
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + height + 56}" font-family="system-ui, sans-serif" font-size="11" fill="#57606a" role="img" aria-label="Test error of Pliant and Fairlearn at the same gaps">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    text(
      44,
      20,
      "Test error at the gap between groups that was asked for",
      'font-size="13" font-weight="600"',
    ),
    text(width - 190, 20, "● Pliant, one model", `fill="${colours.pliant}"`),
    text(width - 190, 36, "● Fairlearn, a random mixture", `fill="${colours.fairlearn}"`),
    text(2, top + 4, high.toFixed(2)),
    text(2, top + height, low.toFixed(2)),
    ...parts,
    text(44, top + height + 36, "asked gap on training rows"),
    text(44, top + height + 50, `${command.replace(/^\S+=… /, "")}, ${date}`, 'font-size="10"'),
    "</svg>",
  ].join("\n")}\n`;
}
