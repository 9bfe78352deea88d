// Many requirements: ranked, searched and counted on the page; spread over the steps by the server.
import { describe, expect, test } from "vitest";
import { binsOf, found, ordered, rankOf } from "../page/src/run/many.js";
import { resultsOf } from "../page/src/words/said.js";
import { few } from "../src/requirement.js";
import { seriesOf } from "../src/series.js";
import { addLines, emptyTable } from "../src/table.js";
import { requirement } from "./fixtures.js";

describe("many requirements on the page", () => {
  const requirements = {
    "group 10": requirement({ reached: 0.3, relaxation: 0.2, price: 0.8 }),
    "group 9": requirement({ reached: 0.2, relaxation: 0.1, price: 3 }),
    "part 1": requirement({ reached: 0.02, test: { strict: { value: 0.4, interval: [0.3, 0.5] } } }),
    "part 2": requirement({ reached: 0.09, test: { strict: { value: 0.01, interval: [0, 0.02] } } }),
  };
  const all = rankOf(resultsOf({ requirements }), 1e-3);
  const names = (by: Parameters<typeof ordered>[1]) => ordered(all, by).map(({ name }) => name);

  test("are ranked worst first, by what is asked, the unknown last", () => {
    expect(names("excess")).toEqual(["group 10", "group 9", "part 2", "part 1"]);
    expect(names("price")).toEqual(["group 9", "group 10", "part 1", "part 2"]);
    expect(names("test")).toEqual(["part 1", "part 2", "group 9", "group 10"]);
    expect(names("name")).toEqual(["group 9", "group 10", "part 1", "part 2"]);
  });

  test("are found by every word of a search", () => {
    expect(found(all, "GROUP 1").map(({ name }) => name)).toEqual(["group 10"]);
    expect(found(all, "")).toHaveLength(4);
    expect(found(all, "nothing")).toEqual([]);
  });

  test("are counted once each, those beyond their level apart from those that hold", () => {
    const bins = binsOf(all, 10);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    for (const { from, to, count, beyond } of bins) {
      expect(from < -1e-12 && to > 1e-12).toBe(false);
      expect(beyond).toBe(from > -1e-12 ? count : 0);
    }
    expect(bins.reduce((sum, { beyond }) => sum + beyond, 0)).toBe(2);
  });
});

describe("many requirements of the server", () => {
  const count = 30;
  /** The i-th is i/100 above its level at the end, half of it at the beginning. */
  const table = emptyTable();
  for (const [i, share] of [0.5, 1].entries()) {
    const requirements = Object.fromEntries(
      Array.from({ length: count }, (_, k) => [
        `r${k}`,
        { level: 0, reached: (share * k) / 100, relaxation: k, price: 2 * k },
      ]),
    );
    const time = new Date(1000 * (100 + 7 * i)).toISOString();
    addLines(
      table,
      Buffer.from(`${JSON.stringify({ step: 10 * (i + 1), time, objective: 1, requirements })}\n`),
      0,
    );
  }
  const series = seriesOf({ table, place: { version: "1", rows: 2 } });

  test("are summarised as quantiles of every quantity", () => {
    expect(series.spread?.count).toBe(count);
    expect(series.spread?.x).toEqual([10, 20]);
    expect(series.spread?.slack.map((q) => q[1])).toEqual([0, 0.029, 0.145, 0.261, 0.29]);
    expect(series.spread?.relaxation.map((q) => q[0])).toEqual([0, 2.9, 14.5, 26.1, 29]);
    expect(series.spread?.price.map((q) => q[0])).toEqual([0, 5.8, 29, 52.2, 58]);
  });

  test("have curves of the worst, or of those that are asked for", () => {
    const worst = Array.from({ length: few }, (_, i) => `r${count - 1 - i}`);
    expect(Object.keys(series.requirements).sort()).toEqual(worst.sort());
    const asked = seriesOf({ table, place: { version: "1", rows: 2 } }, { only: ["r3"] });
    expect(Object.keys(asked.requirements)).toEqual(["r3"]);
    expect(asked.requirements.r3.slack.y).toEqual([0.015, 0.03]);
  });

  test("are a heat map, the worst on top", () => {
    expect(series.spread?.heat).toHaveLength(count);
    expect(series.spread?.heat[0]).toEqual({ name: "r29", count: 1, slack: [0.145, 0.29] });
  });

  test("have times in seconds since the first line", () => {
    expect(series.time).toEqual({ x: [10, 20], y: [0, 7] });
  });
});
