// Charts before they are on a screen: what is drawn, and that a file has the same and all of it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Chart, drawing, fitted } from "../page/src/figure/drawing.js";
import { csvOf, overTime, placeOf, smoothed, tableOf, valueAt, within } from "../page/src/figure/lines.js";
import { fileName } from "../page/src/figure/save.js";

const size = { width: 600, height: 240 };
const line = (name: string, y: readonly number[], x = y.map((_, i) => 10 * i)) => ({
  name,
  colour: "var(--hue-1)",
  x,
  y,
});
const chart = (more: Partial<Chart> = {}): Chart => ({
  title: "Price",
  source: "loans, a/b",
  xLabel: "step",
  yLabel: "price λ",
  lines: [line("first", [1, 10, 100]), line("second", [2, 4, 8])],
  counts: true,
  ...more,
});
const texts = (of: Chart, standalone = false) =>
  drawing(of, { ...size, standalone }).shapes.flatMap(({ text }) => text ?? []);
const pathOf = (of: Chart, name: string, standalone = false): number[][] => {
  const { shapes } = drawing(of, { ...size, standalone });
  const found = shapes.find(({ attributes }) => attributes["data-line"] === name);
  return String(found?.attributes.d)
    .split(/[ML]/)
    .filter(Boolean)
    .map((pair) => pair.split(" ").map(Number));
};

describe("a chart", () => {
  test("has a ring where a line came to something else after its last point", () => {
    const lines = [{ ...line("first", [1, 10, 100]), outcome: 300 }, line("second", [2, 4, 8])];
    const rings = (more: Partial<Chart>) =>
      drawing(chart({ lines, ...more }), size).shapes.filter(
        ({ attributes }) => "data-outcome" in attributes,
      );
    const [ring] = rings({});
    expect(rings({})).toHaveLength(1);
    const end = pathOf(chart({ lines }), "first").at(-1)!;
    expect(ring.attributes.cx).toBeCloseTo(end[0]);
    // Above the last point, and inside.
    expect(ring.attributes.cy).toBeLessThan(end[1]);
    expect(ring.attributes.cy).toBeGreaterThanOrEqual(drawing(chart({ lines }), size).box.top);
    expect(rings({ zoom: [0, 10] })).toEqual([]);
    expect(rings({ zoom: [10, 20] })).toHaveLength(1);
    expect(rings({ logarithmic: true, lines: [{ ...lines[0], outcome: -1 }] })).toEqual([]);
  });

  test("grows to the right and upwards", () => {
    const [a, b, c] = pathOf(chart(), "first");
    expect(a[0]).toBeLessThan(b[0]);
    expect(c[1]).toBeLessThan(b[1]);
    expect(b[1]).toBeLessThan(a[1]);
  });

  test("has equal distances for equal factors where it is logarithmic, for equal differences where it is not", () => {
    const [a, b, c] = pathOf(chart({ logarithmic: true }), "first");
    expect(a[1] - b[1]).toBeCloseTo(b[1] - c[1], 1);
    const [d, e, f] = pathOf(chart({ lines: [line("even", [1, 2, 3])] }), "even");
    expect(d[1] - e[1]).toBeCloseTo(e[1] - f[1], 1);
    const [g, h, i] = pathOf(chart(), "first");
    expect((h[1] - i[1]) / (g[1] - h[1])).toBeCloseTo(10, 1);
  });

  test("has no place for what is not positive where it is logarithmic", () => {
    expect(pathOf(chart({ logarithmic: true, lines: [line("some", [0, -1, 1, 10])] }), "some")).toHaveLength(
      2,
    );
  });

  test.each([true, false])(
    "in a file has the line of the screen, title, run, both axes and a legend (log %s)",
    (logarithmic) => {
      const of = chart({ logarithmic, smoothing: 0.5, zoom: [5, 15] });
      const [screen, file] = [pathOf(of, "first"), pathOf(of, "first", true)];
      expect(file.map(([x]) => x)).toEqual(screen.map(([x]) => x));
      const moved = file[0][1] - screen[0][1];
      for (const [i, [, y]] of file.entries()) expect(y - screen[i][1]).toBeCloseTo(moved, 1);
      const said = texts(of, true);
      for (const text of ["Price", "loans, a/b", "step", "first", "second"]) expect(said).toContain(text);
      expect(said.some((text) => text.startsWith("price λ"))).toBe(true);
      expect(said.some((text) => text.includes("logarithmic"))).toBe(logarithmic);
      expect(said.some((text) => text.includes("smoothed"))).toBe(true);
    },
  );

  test("keeps its legend inside the file, however many lines and however long their names", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 90 }), { minLength: 2, maxLength: 30 }),
        (names) => {
          const lines = names.map((name, i) => line(`${i}${name}`, [1, 2]));
          const { shapes, width, height } = drawing(chart({ lines }), { ...size, standalone: true });
          for (const { tag, attributes, text = "" } of shapes) {
            if (tag !== "text") continue;
            const ends = attributes["text-anchor"] === "end" ? 0 : 6.4 * text.length;
            expect(Number(attributes.x) + ends).toBeLessThanOrEqual(width + 20);
            expect(Number(attributes.y)).toBeLessThanOrEqual(height);
          }
          const legend = shapes.filter(({ tag, attributes }) => tag === "circle" && attributes.r === 4);
          expect(legend).toHaveLength(lines.length);
        },
      ),
    );
  });

  test("draws what it says: smoothed, and only the part that is looked at", () => {
    const { lines, x, box } = drawing(chart({ smoothing: 0.5, zoom: [5, 15] }), size);
    const whole = { x: [0, 10, 20], y: smoothed([1, 10, 100], 0.5) };
    expect(lines[0].x).toEqual([5, 10, 15]);
    expect(lines[0].y).toEqual([5, 10, 15].map((at) => valueAt(whole, at)));
    expect([x(5), x(15)]).toEqual([box.left, box.right]);
  });

  test("counts in whole steps", () => {
    const said = texts(chart({ lines: [line("short", [1, 2], [0, 2])] }));
    expect(said.filter((text) => /^\d+\.\d+$/.test(text) && Number(text) < 0.9)).toEqual([]);
    expect(said).toContain("2");
  });

  test("begins at 0 where that means something", () => {
    const { y, box } = drawing(chart({ zero: true }), size);
    expect(y(0)).toBeCloseTo(box.floor, 6);
  });

  test("lets one line stand out", () => {
    const { shapes } = drawing(chart({ highlight: "second" }), size);
    const opacity = (name: string) =>
      shapes.find(({ attributes }) => attributes["data-line"] === name)?.attributes.opacity;
    expect(opacity("second")).toBe(1);
    expect(opacity("first")).toBeLessThan(0.5);
  });

  test("draws a band between its edges", () => {
    const band = { colour: "grey", x: [0, 10], low: [1, 2], high: [3, 5] };
    const { shapes, x, y } = drawing(chart({ bands: [band] }), size);
    const drawn = shapes.find(({ attributes }) => attributes["fill-opacity"] !== undefined);
    const corner = (at: number, v: number) => `${x(at).toFixed(2)} ${y(v).toFixed(2)}`;
    expect(drawn?.attributes.d).toBe(`M${corner(0, 3)}L${corner(10, 5)}L${corner(10, 2)}L${corner(0, 1)}Z`);
  });
});

describe("lines", () => {
  test("are smoothed as a weighted mean of what came before, from the first value on", () => {
    expect(smoothed([4, 4, 4], 0.9)).toEqual([4, 4, 4].map((v) => expect.closeTo(v, 12)));
    // (0.5·0 + 0.5·2)/(0.5 + 0.25·…): weights 0.25 and 0.5 over 0.75.
    expect(smoothed([0, 3], 0.5)[1]).toBeCloseTo((0.5 * 3) / 0.75, 12);
    expect(smoothed([1, 5, 2], 0)).toEqual([1, 5, 2]);
  });

  test("between two points lie on the straight line through them", () => {
    const points = { x: [0, 10, 30], y: [0, 5, 1] };
    expect([-1, 0, 5, 10, 20, 99].map((at) => valueAt(points, at))).toEqual([0, 0, 2.5, 5, 3, 1]);
    expect([-1, 0, 9, 10, 31].map((at) => placeOf(points.x, at))).toEqual([-1, 0, 0, 1, 2]);
  });

  test("are cut where a range begins and ends", () => {
    const points = { x: [0, 10, 20, 30], y: [0, 10, 20, 0] };
    expect(within(points, [5, 25])).toEqual({ x: [5, 10, 20, 25], y: [5, 10, 20, 10] });
    expect(within(points, [10, 20])).toEqual({ x: [10, 20], y: [10, 20] });
    expect(within(points, [12, 14])).toEqual({ x: [12, 14], y: [12, 14] });
    expect(within(points, undefined)).toBe(points);
  });

  test("over time are where their steps were", () => {
    const time = { x: [0, 100], y: [0, 50] };
    expect(overTime({ x: [0, 10, 100], y: [1, 2, 3] }, time)).toEqual({ x: [0, 5, 50], y: [1, 2, 3] });
  });

  test("as CSV have a row an x, a column a line, and quotes where they are needed", () => {
    const table = tableOf("step", [
      { name: 'a "b", c', x: [1, 3], y: [0.5, 2] },
      { name: "d", x: [3, 2], y: [7, 8] },
    ]);
    expect(csvOf(table)).toBe('step,"a ""b"", c",d\r\n1,0.5,\r\n2,,8\r\n3,2,7\r\n');
  });

  test("and text that does not fit end in three dots", () => {
    expect(fitted("abcdefghij", 6.4 * 5)).toBe("abcd…");
    expect(fitted("abc", 6.4 * 5)).toBe("abc");
  });
});

test("a saved figure is named after its run and its title, so that no two have the same name", () => {
  const names = [
    fileName({ title: "Price", source: "loans" }, "svg"),
    fileName({ title: "Price", source: "loans, a/strict" }, "svg"),
    fileName({ title: "equilibrium of missed [group=A]", source: "loans" }, "svg"),
    fileName({ title: "equilibrium of missed [group=B]", source: "loans" }, "svg"),
    fileName({ title: "Größe", source: "loans" }, "svg"),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(names[0]).toBe("loans--Price.svg");
  for (const name of names) expect(name).not.toMatch(/[/\\:*?"<>|\s]/);
});
