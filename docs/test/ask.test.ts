// What "Try your own table" asks for at first, and the spec that its form states.
import type { ColumnSummary, Summary } from "@pliant/train";
import { describe, expect, test } from "vitest";
import { firstAsk, specOf } from "../try/ask.js";

type Column = Partial<ColumnSummary> & Pick<ColumnSummary, "name">;

const summaryOf = (columns: readonly Column[]): Summary => ({
  ...{ source: "rows.csv", rows: 100, sight: [], warnings: [] },
  columns: columns.map((column) => ({ kind: "number", missing: 0, different: 50, ...column })),
});

const sex: Column = {
  name: "sex",
  kind: "category",
  different: 2,
  top: [
    ["f", 60],
    ["m", 40],
  ],
};

describe("at first", () => {
  test("the last column is the target if it has two values, whatever other columns have", () => {
    expect(firstAsk(summaryOf([sex, { name: "default", different: 2 }])).target).toBe("default");
    expect(firstAsk(summaryOf([sex, { name: "amount" }])).target).toBe("sex");
    expect(firstAsk(summaryOf([{ name: "age" }, { name: "amount" }])).target).toBe("amount");
  });

  test("the positive class is a yes in some languages, else the rarer one", () => {
    const answered = (top: ColumnSummary["top"]) =>
      firstAsk(summaryOf([{ ...sex, name: "y", top }])).positive;
    expect(
      answered([
        ["ja", 70],
        ["nein", 30],
      ]),
    ).toBe("ja");
    expect(
      answered([
        ["good", 70],
        ["bad", 30],
      ]),
    ).toBe("bad");
  });

  test("names, of which each row has its own, are left out", () => {
    const columns: Column[] = [
      { name: "customer", kind: "category", different: 100 },
      { name: "town", kind: "category", different: 90 },
      { name: "id", different: 100 },
      sex,
    ];
    expect(firstAsk(summaryOf(columns)).ignored).toEqual(["customer"]);
  });
});

test("rows without a value of the target are left out where there are some and the form says so", () => {
  const ask = firstAsk(summaryOf([{ name: "age" }, sex]));
  const asked = (withoutTarget: boolean, gaps: number) =>
    (specOf({ ...ask, withoutTarget }, "rows.csv", 2, gaps) as { data: object }).data;
  expect(asked(true, 3)).toHaveProperty("withoutTarget", "drop");
  expect(asked(true, 0)).not.toHaveProperty("withoutTarget");
  expect(asked(false, 3)).not.toHaveProperty("withoutTarget");
});
