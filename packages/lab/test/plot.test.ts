// Plots: values land where they should, text cannot break out, every kind of mark is drawn.

import { describe, expect, it } from "vitest";
import { scaleOf } from "../src/plot/scale.js";
import { plot } from "../src/plot.js";

const circles = (svg: string) =>
  [...svg.matchAll(/<circle cx="([\d.-]+)" cy="([\d.-]+)" r="3.2"/g)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ]);

describe("scales", () => {
  it("widen a linear axis to round numbers and mark them", () => {
    const scale = scaleOf({}, [0.03, 0.97], 0, 100);
    expect(scale.ticks.map(({ text }) => text)).toEqual(["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    expect([scale(0), scale(0.5), scale(1)]).toEqual([0, 50, 100]);
  });

  it("give a logarithmic axis equal room for equal ratios", () => {
    const scale = scaleOf({ scale: "log", domain: [1, 1000] }, [1, 1000], 0, 90);
    expect([1, 10, 100, 1000].map((value) => Math.round(scale(value)))).toEqual([0, 30, 60, 90]);
    expect(scale.ticks.map(({ at }) => at)).toEqual([1, 3, 10, 30, 100, 300, 1000]);
  });

  it("survive one value and none", () => {
    for (const values of [[3], []])
      for (const scale of ["linear", "log"] as const)
        expect(Number.isFinite(scaleOf({ scale }, values, 0, 1)(3))).toBe(true);
  });

  it("mark negative values and steps without rounding noise", () => {
    const { ticks } = scaleOf({}, [-0.31, 0.32], 0, 1);
    expect(ticks.map(({ text }) => text)).toEqual(["-0.4", "-0.2", "0", "0.2", "0.4"]);
  });
});

describe("a plot", () => {
  it("places points by the axes", () => {
    const svg = plot({
      title: "t",
      x: { domain: [0, 10] },
      y: { domain: [0, 1] },
      series: [
        {
          kind: "points",
          points: [
            [0, 0],
            [10, 1],
          ],
        },
      ],
    });
    expect(circles(svg)).toEqual([
      [58, 290],
      [464, 34],
    ]);
  });

  it("stands bars of a category side by side on the zero line", () => {
    const svg = plot({
      title: "t",
      x: { categories: ["a", "b"] },
      series: [
        { kind: "bars", name: "one", values: [1, undefined], errors: [0.2, undefined] },
        { kind: "bars", name: "two", values: [-1, 2] },
      ],
    });
    const bars = [
      ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"\/>/g),
    ].map((match) => match.slice(1).map(Number));
    const [one, two, three] = bars.slice(2); // after the two of the legend
    expect(bars.length).toBe(5);
    expect(one[0] + one[2]).toBeLessThan(two[0]);
    expect(one[1] + one[3]).toBeCloseTo(two[1], 0);
    expect(three[3]).toBeCloseTo(2 * one[3], 0);
    expect(svg.match(/class="error"/g)?.length).toBe(1);
  });

  it("keeps strips, lines, levels and a second axis in the picture", () => {
    const svg = plot({
      title: "t",
      x: { categories: ["train", "test"], label: "set" },
      y: { label: "left" },
      right: { label: "right", scale: "log" },
      levels: [0],
      series: [
        { kind: "strip", name: "many", groups: [[1, 2, 3], [2]] },
        {
          kind: "line",
          name: "line",
          axis: "right",
          dashed: true,
          points: [
            [0, 1],
            [1, 100],
          ],
        },
      ],
    });
    expect(svg.match(/r="2"/g)?.length).toBe(4);
    expect(svg).toContain('class="line dashed"');
    expect(svg).toContain('class="level"');
    expect(svg).toContain(">right</text>");
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("breaks a title that is wider than the figure, and makes room for it", () => {
    const of = (title: string) =>
      plot({ title, x: { categories: ["a"] }, series: [{ kind: "bars", name: "n", values: [1] }] });
    const titles = (svg: string) => [...svg.matchAll(/class="title"[^>]*>([^<]*)</g)].map(([, line]) => line);
    const lowest = (svg: string) =>
      Math.min(...[...svg.matchAll(/<rect [^>]*y="([\d.]+)"/g)].map(([, y]) => +y));
    const long = "Mean price of the three requirements, fashion-mnist (mlp), ε 0.1, α 0.5";
    expect(titles(of(long))).toEqual([
      "Mean price of the three requirements,",
      "fashion-mnist (mlp), ε 0.1, α 0.5",
    ]);
    expect(titles(of("Mean price, ε 0.1"))).toEqual(["Mean price, ε 0.1"]);
    expect(titles(of("x".repeat(80)))).toEqual(["x".repeat(80)]);
    expect(lowest(of(long)) - lowest(of("t"))).toBe(16);
  });

  it("escapes text", () => {
    const svg = plot({
      title: '<script>"',
      x: { categories: ["</svg>"] },
      series: [{ kind: "bars", name: "a&b", values: [1] }],
    });
    expect(svg).not.toContain("<script>");
    expect(svg.match(/<\/svg>/g)?.length).toBe(1);
    expect(svg).toContain("a&#38;b");
  });

  it("draws nothing that is not a number where a logarithmic axis has no place", () => {
    const svg = plot({
      title: "t",
      x: { categories: ["a", "b"] },
      y: { scale: "log" },
      series: [
        { kind: "bars", values: [0.1, 10], errors: [0.2, 1] },
        { kind: "strip", groups: [[0, 1], [2]] },
        {
          kind: "line",
          points: [
            [0, 0],
            [1, 1],
          ],
        },
      ],
    });
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(svg.match(/<circle/g)?.length).toBe(2);
  });
});
