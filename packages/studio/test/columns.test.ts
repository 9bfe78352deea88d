// The list of runs: which columns there are, how they sort, which runs a filter keeps.
import { describe, expect, test } from "vitest";
import {
  chosenColumns,
  columnsOf,
  filterFrom,
  filterText,
  mentions,
  passes,
  relations,
  sorter,
  usual,
} from "../page/src/runs/columns.js";
import type { RunSummary } from "../src/api.js";

const run = (name: string, more: Partial<RunSummary> = {}): RunSummary => ({
  name,
  title: null,
  apart: null,
  command: "train",
  dataset: "loans.csv",
  started: null,
  updated: 0,
  status: "finished",
  seed: "1",
  device: "cpu",
  objective: null,
  quantities: {},
  steps: null,
  total: null,
  worst: null,
  certified: null,
  counted: false,
  violated: false,
  kind: null,
  study: null,
  sweep: null,
  clients: null,
  note: { title: "", tags: [], notes: "" },
  problem: null,
  ...more,
});
const B = "missed [group=B]: reached";
const runs = [
  run("a", { objective: 0.5, quantities: { objective: 0.5, [B]: 0.3 }, seed: "10" }),
  run("b", {
    objective: 0.2,
    quantities: { objective: 0.2 },
    note: { title: "", tags: ["paper"], notes: "" },
  }),
  run("c", { quantities: { constructor: 1 } as Record<string, number>, seed: "9" }),
];
const all = columnsOf(runs);
const column = (key: string) => {
  const found = all.find((one) => one.key === key);
  if (!found) throw new Error(key);
  return found;
};
const names = (list: readonly RunSummary[]) => list.map(({ name }) => name);

describe("columns", () => {
  test("are those every run has and one for each number, none twice", () => {
    const keys = all.map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)]);
    expect(keys).toContain(B);
    expect(column(B).value(runs[0])).toBe(0.3);
    expect(column(B).value(runs[1])).toBe(null);
    expect(column("constructor").value(runs[0])).toBe(null);
  });
  test("are the usual ones until some are chosen, and the name is always there", () => {
    expect(chosenColumns(all, []).map(({ key }) => key)).toEqual(usual);
    expect(chosenColumns(all, [B, "steps"]).map(({ key }) => key)).toEqual(["name", "steps", B]);
  });
  test("sort by number where they have numbers, the unknown last either way", () => {
    expect(names([...runs].sort(sorter(column("objective"), false)))).toEqual(["b", "a", "c"]);
    expect(names([...runs].sort(sorter(column("objective"), true)))).toEqual(["a", "b", "c"]);
    expect(names([...runs].sort(sorter(column("seed"), false)))).toEqual(["b", "c", "a"]);
  });
});

test("start times are sorted by the moment, in every time zone, and invalid times come last", () => {
  const started = [
    run("noon", { started: "2026-11-16T12:00:00.000Z" }),
    run("before", { started: "2026-11-16T13:30:00+02:00" }),
    run("never", { started: "some day" }),
    run("touched", { started: null, updated: Date.UTC(2026, 10, 16, 13) }),
  ];
  const order = (descending: boolean) => names([...started].sort(sorter(column("started"), descending)));
  expect(order(false)).toEqual(["before", "noon", "touched", "never"]);
  expect(order(true)).toEqual(["touched", "noon", "before", "never"]);
});

describe("filters", () => {
  test("are written to the address and read from it, whatever characters a name has", () => {
    for (const relation of relations)
      for (const key of [B, "objective", "a < b", "x = y > z"]) {
        const filter = { key, relation, value: "0.2" };
        expect(filterFrom(filterText(filter))).toEqual(filter);
      }
    expect(filterFrom("nonsense")).toBeUndefined();
  });
  test.each([
    ["objective < 0.5", ["b"]],
    ["objective > 0.2", ["a"]],
    ["objective = 0.2", ["b"]],
    ["objective ≠ 0.2", ["a", "c"]],
    [`${B} > 0.1`, ["a"]],
    ["device = CPU", ["a", "b", "c"]],
    ["tags = paper", ["b"]],
    ["seed > 9", ["a"]],
    ["nothing = 1", []],
  ])("%s", (text, kept) => {
    const filter = filterFrom(text);
    expect(filter).toBeDefined();
    expect(names(runs.filter((one) => passes(one, all, filter ? [filter] : [])))).toEqual(kept);
  });
  test("hold together", () => {
    const filters = ["objective < 1", "seed = 1"].flatMap((text) => filterFrom(text) ?? []);
    expect(names(runs.filter((one) => passes(one, all, filters)))).toEqual(["b"]);
  });
  test("a search finds every word anywhere, notes and tags too", () => {
    const noted = run("x", { note: { title: "", tags: ["Best"], notes: "as in the talk" }, apart: "hard B" });
    for (const search of ["best talk", "LOANS", "hard", "finished x", ""])
      expect(mentions(noted, search)).toBe(true);
    expect(mentions(noted, "best nothing")).toBe(false);
  });
});
