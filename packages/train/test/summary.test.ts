// The summary of a table before training.
import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prepare } from "../src/problem/prepare.js";
import { readSpec } from "../src/spec/spec-file.js";
import { summaryText } from "../src/text/summary-text.js";
import { inspect } from "../src/use/inspect.js";

function written(lines: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), "pliant-")), "rows.csv");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

const rows = (n: number, row: (i: number) => string): string[] => Array.from({ length: n }, (_, i) => row(i));

async function prepared(
  lines: readonly string[],
  columns = "{}",
  requirement = "small: { metric: size, level: 1 }",
) {
  const file = written(lines);
  const spec = file.replace("rows.csv", "spec.yaml");
  writeFileSync(
    spec,
    `data: { file: rows.csv, target: y, columns: ${columns} }\nmodel: { kind: linear }\nrequirements: { ${requirement} }\n`,
  );
  return (await prepare(readSpec(spec))).prepared;
}

describe("the summary", () => {
  test("of a target with gaps is of the other rows, and says so", async () => {
    const file = written(["x,y", ...rows(20, (i) => `${i},${i % 5 === 3 ? "" : i % 2}`)]);
    const summary = await inspect(file, { target: "y" });
    expect([summary.rows, summary.task?.kind]).toEqual([16, "classes"]);
    expect(summary.warnings[0]).toBe("y: 4 rows have no value, and are left out (data.withoutTarget: drop).");
  });

  test("is a line for each column, whatever its texts hold", async () => {
    const file = written(["note,y", ...rows(20, (i) => `"one\n\ntwo ${i % 4}",${i % 2}`)]);
    expect(summaryText(await inspect(file))).toContain("one two 0 25.0%, one two 1 25.0%");
  });

  test("leaves out columns of lists and objects, and says so", async () => {
    const file = written(rows(12, (i) => `{"x": ${i}, "n": {"a": ${i}}, "l": [1, null], "y": "${i % 2}"}`));
    const lines = file.replace("rows.csv", "rows.jsonl");
    renameSync(file, lines);
    const { columns, warnings } = await inspect(lines);
    expect(columns.map(({ name }) => name)).toEqual(["x", "y"]);
    expect(warnings[0]).toMatch(
      /^n: holds lists or objects \(\{"a":.*it is left out here, and by a spec with/,
    );
  });

  test("tells numbers with a unit from texts, and few of them apart by name", async () => {
    const of = async (n: number) =>
      (await inspect(written(["w,y", ...rows(60, (i) => `${50 + (i % n) / 2} kg,${i % 2}`)]))).warnings;
    expect(await of(30)).toContainEqual(
      'w: numbers with the unit "kg", such as "50 kg", are read as text; to use them as numbers, remove the unit.',
    );
    expect((await of(5)).filter((one) => one.startsWith("w:"))).toEqual([]);
  });

  test("has as many digits of a range as tell its ends apart", async () => {
    const file = written(["id,y", ...rows(20, (i) => `${9007000000000000 + 3 * i},${i % 2}`)]);
    expect(summaryText(await inspect(file))).toContain("9007000000000000 to 9007000000000057,");
  });

  test("says of each column its kind, gaps and range or commonest values", async () => {
    const file = written([
      "age,city,on,y",
      "20,Lyon,2024-01-31,no",
      "40,,2024-02-29,yes",
      ",Lyon,2024-02-01,no",
    ]);
    expect(summaryText(await inspect(file, { target: "y" })).replace(file, "rows.csv")).toBe(
      [
        "rows.csv: 3 rows, 4 columns.",
        'The target is "y": 2 classes ("y" has two distinct values).',
        "",
        "column  kind              values                    missing  distinct",
        "age     number            20 to 40, mean 30           33.3%         2",
        "city    category          Lyon 100.0%                 33.3%         1",
        "on      date              2024-01-31 to 2024-02-29        –         3",
        "y       category, target  no 66.7%, yes 33.3%             –         2",
        "",
        "on: dates are converted to days since 1970-01-01.",
      ].join("\n"),
    );
  });

  test.each<[string, readonly string[], RegExp]>([
    [
      "small integers",
      rows(30, (i) => `${i * 0.5},${i % 5}`),
      /regression \("y" has 5 distinct numbers; for classes say data\.columns\.y: category\)/,
    ],
    ["many numbers", rows(30, (i) => `${i * 0.5},${i}`), /regression \("y" has 30 distinct numbers\)/],
    ["two numbers", rows(30, (i) => `${i * 0.5},${i % 2}`), /2 classes \("y" has two distinct values\)/],
    ["texts", rows(30, (i) => `${i * 0.5},${"abc"[i % 3]}`), /3 classes \("y" has text values\)/],
  ])("says why the task is what it is: %s", async (_, lines, words) => {
    const file = written(["x,y", ...lines]);
    expect(summaryText(await inspect(file, { target: "y" }))).toMatch(words);
  });

  test.each<[string, string, (i: number) => string, string]>([
    ["a number of the row", "id", (i) => `${i + 1}`, "id: looks like a row number"],
    ["names", "name", (i) => `n${i}`, "name: 200 distinct texts, one per row; leave names and comments out"],
    [
      "one value alone",
      "k",
      () => "7",
      "k: all rows have the same value, so the model learns nothing from it.",
    ],
    ["no value at all", "k", () => "", "k: every cell is missing"],
    ["mostly gaps", "k", (i) => (i % 4 ? "" : String(i % 3)), "k: 75.0% of the cells are missing."],
    ["percent", "k", (i) => `${i % 9}%`, "k: percent are shares (12% is 0.12)."],
    ["thousands", "k", (i) => `"${1 + (i % 9)},000"`, "k: commas separate thousands (1,234 is 1234)."],
  ])("warns of %s", async (_, name, cell, words) => {
    const file = written([`${name},x,y`, ...rows(200, (i) => `${cell(i)},${i % 7},${i % 2}`)]);
    expect((await inspect(file, { target: "y" })).warnings.join("\n")).toContain(words);
  });

  describe("with integers beyond double precision", () => {
    // 2⁵³ + 1 and 2⁵³ + 2 are both read as the latter, or as 2⁵³.
    const long = (i: number): string => `900719925474099${3 + (i % 2)}`;
    const file = written([
      "id,x,y",
      ...rows(80, (i) => `${long(i)},${Math.floor(i / 2)},${Number((Math.floor(i / 2) * 7) % 5 > 2)}`),
    ]);
    const words =
      "id: 9007199254740993 has more digits than a number can hold and is read as 9007199254740992, and others may be rounded too; if these are identifiers, keep every digit with data.columns.id: category";

    test("warns where they are numbers, and calls no rows the same that differ in them", async () => {
      const { warnings } = await inspect(file, { target: "y" });
      expect(warnings).toEqual([`${words} or group, or leave them out with ignore.`]);
      expect((await inspect(file, { target: "id" })).warnings).toContain(`${words}.`);
    });

    test("does not where they are groups, and tells them apart", async () => {
      const { warnings, columns } = await inspect(file, { target: "y", groups: ["id"] });
      expect(warnings).toEqual([]);
      expect(columns[0]).toMatchObject({
        different: 2,
        top: [
          [long(0), 40],
          [long(1), 40],
        ],
      });
    });
  });

  test.each<[string, (i: number) => string]>([
    ["equal rows of few values", (i) => `${i % 2},${"ab"[Math.floor(i / 2) % 2]},${Math.floor(i / 4) % 2}`],
    [
      "what tells the target of 19 rows in 20",
      (i) => `${(i * 7) % 5},${i % 20 ? i % 2 : 1 - (i % 2)},${i % 2}`,
    ],
    ["names, of which each row has its own", (i) => `${(i * 7) % 5},${i % 2 ? "b" : "a"}${i},${i % 2}`],
  ])("does not warn of %s", async (_, row) => {
    const file = written(["x,z,y", ...rows(80, row)]);
    expect((await inspect(file, { target: "y" })).warnings).toEqual([]);
  });

  test("before training says which columns the model does not use, and which group columns it does", async () => {
    const lines = [
      "x,ward,sex,site,w,y",
      ...rows(
        60,
        (i) => `${i * 1.5},${"AB"[i % 2]},${"mf"[i % 3 ? 0 : 1]},${"st"[i % 4 ? 0 : 1]},1,${i % 2}`,
      ),
    ];
    const columns = "{ ward: group, site: group }, weights: w";
    const { summary } = await prepared(lines, columns, "a: { metric: error, by: [ward, sex], level: 0.5 }");
    expect(summary!.sight).toEqual([
      'The model does not see "ward". Requirements use it to form groups.',
      'The model does not see "site", and no requirement groups by it.',
      'The model does not see "w": it sets which rows are held out, or how much rows count.',
      'The model uses "sex", which requirements group by; data.columns.sex: group keeps it out of the model.',
    ]);
    expect(summaryText(summary!)).toContain(summary!.sight.join("\n"));
    expect((await inspect(written(lines), { target: "y", groups: ["ward"] })).sight).toEqual([]);
  });

  test("before training says which class rates count", async () => {
    const lines = ["x,y", ...rows(60, (i) => `${i * 1.5},${i % 2 ? "yes" : "no"}`)];
    expect(summaryText((await prepared(lines)).summary!)).toContain(
      'The target is "y": 2 classes ("y" has two distinct values). Rates are measured for the class "yes" unless a requirement names another.',
    );
    const letters = lines.map((line) => line.replace("yes", "b").replace("no", "a"));
    expect(summaryText((await prepared(letters)).summary!)).not.toContain("rates are about");
  });

  test("counts and names rows without a group", async () => {
    const file = written(["x,ward,y", ...rows(20, (i) => `${i},${i % 5 ? "AB"[i % 2] : ""},${i % 2}`)]);
    expect((await inspect(file, { target: "y", groups: ["ward"] })).warnings).toEqual([
      "x: looks like a row number. To leave it out, set data.columns.x to ignore.",
      "ward: 4 rows have no group (line 2, line 7, line 12 and 1 more), and count in no requirement by ward.",
    ]);
  });
});

describe("columns that look numeric and are not", () => {
  const dirty = ["x,z,y", ...rows(40, (i) => `${i === 7 ? "n.a." : i * 1.5},${i % 3},${i % 2}`)];

  test("is refused as something to learn from, with its lines and the remedies", async () => {
    await expect(prepared(dirty)).rejects.toThrow(
      /the column "x" has numbers, except in 1 cell: "n\.a\." \(line 9\)\. If it means a missing value, set data\.missing: \[.*, "\?", "n\.a\."\]\. If the column holds text, set data\.columns\.x: category\.$/,
    );
  });

  test("is left alone where the spec says what it is", async () => {
    await expect(prepared(dirty, "{ x: ignore }")).resolves.toBeDefined();
    await expect(prepared(dirty, "{ x: category }")).resolves.toBeDefined();
  });

  test("is told by inspect, which refuses nothing", async () => {
    const { warnings } = await inspect(written(dirty), { target: "x" });
    expect(warnings[0]).toContain('"n.a." (line 9)');
  });

  test("as a target is refused too", async () => {
    const lines = ["x,y", ...rows(40, (i) => `${i % 3},${i === 7 ? "?!" : i * 1.5}`)];
    await expect(prepared(lines)).rejects.toThrow(/the column "y" has numbers, except in 1 cell/);
  });
});

test("parts of dates are columns of their own", async () => {
  const lines = [
    "on,y",
    ...rows(60, (i) => `2024-${String((i % 12) + 1).padStart(2, "0")}-0${(i % 7) + 1},${i % 2}`),
  ];
  const { encoding } = await prepared(lines, "{ on: { date: [month, weekday] } }");
  expect(encoding!.columns.map(({ name, kind }) => [name, kind])).toEqual([
    ["on", "number"],
    ["on month", "category"],
    ["on weekday", "category"],
  ]);
  expect(encoding!.parts).toEqual({ on: ["month", "weekday"] });
});
