// A trained model on new rows: evaluate reports the rates that are counted from predictions, and names columns that drifted.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leaves, type NdArray } from "@pliant/engine";
import { type Evaluation, evaluateRun, type Prediction, trainedModel } from "@pliant/train";
import { beforeAll, describe, expect, test } from "vitest";
import { evaluateCommand } from "../src/training/evaluate.js";
import { predictCommand } from "../src/training/predict.js";
import { trainCommand } from "../src/training/train.js";
import { smallLoans } from "./fixtures/loans.js";
import { printed } from "./fixtures/output.js";

const { folder, spec, csv } = smallLoans({ rows: 1500 });
const run = join(folder, "run");
const [header, ...lines] = readFileSync(csv, "utf8").trim().split("\n");
const names = header.split(",");
const cellOf = (line: string, name: string): string => line.split(",")[names.indexOf(name)];

function written(rows: readonly string[], head = header): string {
  const file = join(mkdtempSync(join(tmpdir(), "pliant-")), "new.csv");
  writeFileSync(file, `${[head, ...rows].join("\n")}\n`);
  return file;
}
const changed = (name: string, to: (cell: string) => string) =>
  written(
    lines.map((line) =>
      line
        .split(",")
        .map((cell, i) => (names[i] === name ? to(cell) : cell))
        .join(","),
    ),
  );
const evaluated = async (file: string): Promise<Evaluation> =>
  JSON.parse(await printed(() => evaluateCommand([run, file, "--json"])));

beforeAll(async () => {
  const few = ["--set", "budget.steps=200", "--no-insist", "--hard", "false alarms"];
  await printed(() => trainCommand([spec, "--device", "cpu", "--out", run, ...few]));
});

describe("requirements", () => {
  test("are counted as in the predictions of the same rows", async () => {
    const found = await evaluated(csv);
    const { rows } = JSON.parse(await printed(() => predictCommand([run, csv, "--json"]))) as {
      rows: Extract<Prediction, { class: string }>[];
    };
    const rate = (of: (line: string) => boolean, given: string) => {
      const own = lines.flatMap((line, i) => (of(line) ? [rows[i].class === given] : []));
      return own.filter((is) => is).length / own.length;
    };
    const well = (line: string) => cellOf(line, "defaulted") === "no";
    expect(found.requirements["false alarms"].outcome!.strict.value).toBeCloseTo(rate(well, "yes"), 6);
    const inB = (line: string) => !well(line) && cellOf(line, "group") === "B";
    expect(found.requirements["missed defaults [group=B]"].outcome!.strict.value).toBeCloseTo(
      rate(inB, "no"),
      6,
    );
    expect(found.examples).toBe(1500);
    const wrong = lines.filter((line, i) => rows[i].class !== cellOf(line, "defaulted")).length;
    expect(found.error!.value).toBeCloseTo(wrong / 1500, 6);
  });

  test("missed beyond chance come first, and a hard one sets the exit code", async () => {
    // Everybody is well, and half of them are called not so.
    const file = changed("defaulted", () => "no");
    const both = await evaluated(file);
    expect(both.requirements["missed defaults [group=A]"].verdict).toBe("not told");
    const worse = written(
      lines.filter((line) => cellOf(line, "defaulted") === "yes").map((line) => line.replace(/yes$/, "no")),
    );
    let code = 0;
    const text = await printed(async () => {
      code = await evaluateCommand([run, worse]);
    });
    expect(text).toMatch(
      /^One requirement is missed by more than chance would explain, on the \d+ rows of .*: "false alarms" by 0\.\d+\./,
    );
    expect(code).toBe(1);
  });
});

test("on sensitivity, slope and direction are measured too, or the reason is given", async () => {
  const text = readFileSync(spec, "utf8").replace(
    /requirements:[\s\S]*?\n(?=\w)/,
    `requirements:
  small: { metric: size, level: 1.5, hard: true }
  gentle: { metric: slope, column: income, level: 0.05, cost: free }
  steep: { metric: slope, column: debt, level: 10, cost: free }
  falls: { metric: monotonicity, column: income, direction: decreasing, level: 0.001 }
  rises: { metric: monotonicity, column: income, direction: increasing, level: 0.001, cost: free }
  sure: { metric: margin, level: 0.1, cost: free }
  each: { metric: margin, per: example, level: 0, cost: free }
  band: { metric: loss, level: [0.6, 0.7], cost: free }
  calibrated: { metric: calibration-error, level: 0.5, cost: free }
`,
  );
  const own = join(folder, "shape.yaml");
  writeFileSync(own, text);
  const out = join(folder, "shape");
  await printed(() =>
    trainCommand([
      own,
      "--device",
      "cpu",
      "--out",
      out,
      "--no-insist",
      "--set",
      "model.kind=linear",
      "--set",
      "model.hidden=",
      "--set",
      "budget.steps=400",
    ]),
  );
  const { requirements }: Evaluation = JSON.parse(await printed(() => evaluateCommand([out, csv, "--json"])));
  const verdicts = Object.fromEntries(Object.entries(requirements).map(([name, r]) => [name, r.verdict]));
  expect(verdicts).toEqual({
    small: "holds",
    gentle: "missed",
    steep: "holds",
    falls: "holds",
    rises: "missed",
    sure: "holds",
    each: "not told",
    band: "missed",
    calibrated: "not told",
  });
  const { params } = trainedModel(out);
  const size = Math.hypot(
    ...leaves(params).flatMap(({ path, leaf }) => (/b/.test(path) ? [] : [...(leaf as NdArray).data])),
  );
  expect(requirements.small.outcome!.strict.value).toBeCloseTo(size, 4);
  const said = await printed(() => evaluateCommand([out, csv]));
  // Requirements that are only watched do not count as missed.
  expect(said).toMatch(/^No requirement is missed on/);
  expect(said).toContain("each cannot be judged: it applies to each example");
  expect(said).toContain("calibration error is unknown; it is asked to be at most 0.5, and is 0.0");
  expect(said).toMatch(
    /^rises: the table shows the .*\. The level \(at most 0\.001\) is about the smooth metric that training uses in its place; on these rows, that is 0\.\d+ \(/m,
  );
});

describe("drift", () => {
  test("is absent for rows like those of training", async () => {
    const { drift } = await evaluated(csv);
    expect(drift.some(({ drifted }) => drifted)).toBe(false);
    expect(await printed(() => evaluateCommand([run, csv]))).toContain(
      "No column has drifted since training",
    );
  });

  test("names the column that moved, and its direction", async () => {
    const file = changed("income", (cell) => String(3 * Number(cell)));
    const { drift } = await evaluated(file);
    expect(drift.filter(({ drifted }) => drifted).map(({ column }) => column)).toEqual(["income"]);
    expect(await printed(() => evaluateCommand([run, file]))).toMatch(
      /income: .* and above was \d+\.\d% and is \d+\.\d%/,
    );
  });

  test("covers the group columns of requirements, which the model does not see", async () => {
    const most = (line: string, i: number): boolean => cellOf(line, "group") === "B" || i % 20 === 0;
    const file = written(lines.filter(most));
    const { drift } = await evaluated(file);
    expect(drift[0]).toMatchObject({ column: "group", drifted: true });
    const share = lines.filter((line) => cellOf(line, "group") === "B").length / lines.length;
    const { was, is, bin } = drift[0].most;
    expect(bin === "B" ? was : 1 - was).toBeCloseTo(share, 1);
    expect(bin === "B" ? is : 1 - is).toBeGreaterThan(0.85);
    expect(await printed(() => evaluateCommand([run, file]))).toMatch(/^group: [AB] was \d/m);
  });

  test("covers group columns that no requirement uses, if the rows have them", async () => {
    // Codes of regions, which read as numbers would lose their zeros.
    const coded = (share: number) => lines.map((line, i) => `${line},${i % 10 < share ? "01" : "001"}`);
    const head = `${header},region`;
    const own = join(folder, "regions.yaml");
    const [csvFile, out] = [written(coded(3), head), join(folder, "regions")];
    writeFileSync(
      own,
      readFileSync(spec, "utf8")
        .replace(/file: .*/, `file: ${csvFile}`)
        .replace("group: group", "group: group\n    region: group"),
    );
    await printed(() =>
      trainCommand([own, "--device", "cpu", "--no-insist", "--set", "budget.steps=20", "--out", out]),
    );
    const driftOn = async (file: string) => {
      const { drift }: Evaluation = JSON.parse(await printed(() => evaluateCommand([out, file, "--json"])));
      return drift.find(({ column }) => column === "region");
    };
    expect(await driftOn(csvFile)).toMatchObject({ drifted: false });
    expect(await driftOn(written(coded(9), head))).toMatchObject({
      drifted: true,
      most: { bin: "001", is: expect.closeTo(0.1, 6) },
    });
    expect(await driftOn(csv)).toBeUndefined();
  });

  test("detects new categories and newly missing values", async () => {
    const yachts = await evaluated(changed("purpose", (cell) => (cell === "car" ? "yacht" : cell)));
    expect(yachts.drift[0]).toMatchObject({ column: "purpose", drifted: true });
    const gaps = await evaluated(changed("debt", () => ""));
    expect(gaps.drift[0]).toMatchObject({ column: "debt", most: { bin: "(missing)", was: 0, is: 1 } });
  });
});

describe("a target that changed", () => {
  test("is reported with numbers, and an unchanged one is not", async () => {
    expect((await evaluated(csv)).target).toMatchObject({ column: "defaulted", drifted: false });
    expect(await printed(() => evaluateCommand([run, csv]))).not.toMatch(/The target|wrong on these rows/);
    const flipped = changed("defaulted", (cell) => (cell === "yes" ? "no" : "yes"));
    const text = await printed(() => evaluateCommand([run, flipped]));
    expect(text).toMatch(
      /^The target "defaulted" is distributed differently than in training: (yes was 2\d\.\d% and is 7\d\.\d%|no was 7\d\.\d% and is 2\d\.\d%) \(stability index 1\.\d\d\)\. Its values may mean something else/m,
    );
    expect(text).toContain('The two values of "defaulted" may be swapped.');
  });

  test("is reported if the rate is unchanged but the predictions are not", async () => {
    // As many of each, so that only what the model makes of them tells.
    const [yes, no] = ["yes", "no"].map((value) =>
      lines.filter((line) => cellOf(line, "defaulted") === value),
    );
    const exchanged = [
      ...yes.map((line) => line.replace(/yes$/, "no")),
      ...no.slice(0, yes.length).map((line) => line.replace(/no$/, "yes")),
    ];
    const { target } = await evaluated(written(exchanged));
    expect(target!.swapped).toBe(true);
  });

  test("in a regression is reported by its means", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pliant-"));
    const rows = Array.from({ length: 90 }, (_, i) => [(i * 7) % 30, 40 + 3 * ((i * 7) % 30) + (i % 5)]);
    const table = (unit: number) => `x,y\n${rows.map(([x, y]) => `${x},${y * unit}`).join("\n")}\n`;
    writeFileSync(join(folder, "rows.csv"), table(1));
    writeFileSync(join(folder, "cents.csv"), table(100));
    const about = "data: { file: rows.csv, target: y }\nmodel: { kind: linear }\nbudget: { steps: 20 }\n";
    writeFileSync(
      join(folder, "spec.yaml"),
      `${about}requirements: { off: { metric: mean-absolute-error, level: 9 } }\n`,
    );
    const own = join(folder, "run");
    await printed(() => trainCommand([join(folder, "spec.yaml"), "--device", "cpu", "--out", own]));
    const text = await printed(() => evaluateCommand([own, join(folder, "cents.csv")]));
    expect(text).toMatch(
      /The target "y" is distributed differently than in training: its mean was 8\d\.\d+ and is 8,5\d\d.* It may be in another unit/,
    );
    expect(await printed(() => evaluateCommand([own, join(folder, "rows.csv")]))).not.toContain("The target");
  });
});

describe("rows without the target", () => {
  const cut = (rows: readonly string[]): string =>
    written(
      rows.map((line) => line.split(",").slice(0, -1).join(",")),
      names.slice(0, -1).join(","),
    );
  const richer = lines.map((line) =>
    line
      .split(",")
      .map((cell, i) => (names[i] === "income" ? String(3 * Number(cell)) : cell))
      .join(","),
  );

  test("have the same drift as with the target, in JSON and in words, and nothing else", async () => {
    const labelled = await evaluated(written(richer));
    const file = cut(richer);
    const found = JSON.parse(await printed(() => evaluateCommand([run, file, "--json"])));
    expect(found).toEqual({
      ...{ run, rows: file, lacks: "defaulted", examples: 1500, unseen: labelled.unseen },
      drift: labelled.drift,
    });
    expect(found.drift[0]).toMatchObject({ column: "income", drifted: true });
    const text = await printed(() => evaluateCommand([run, file]));
    expect(text).toContain('have no column "defaulted", the target, so requirements, loss and error are not');
    expect(text).toMatch(/income: .* \(stability index \d\.\d+\)\./);
    expect(text).not.toContain("missed");
  });

  test("like those of training are reported as such", async () => {
    expect(await printed(() => evaluateCommand([run, cut(lines)]))).toContain(
      "No column has drifted since training",
    );
  });

  test("are refused if a program requests an evaluation", async () => {
    await expect(evaluateRun(run, cut(lines))).rejects.toThrow(
      /has no column "defaulted", the target, without which nothing can be evaluated/,
    );
  });
});

test("rows with a class that training did not have are refused", async () => {
  await expect(evaluated(changed("defaulted", () => "maybe"))).rejects.toThrow(
    /line 2: "maybe" in the target column "defaulted" is no class of the training rows/,
  );
});

describe("predict --keep", () => {
  test("copies columns before the predictions, as written in the file", async () => {
    const file = written(["007,B,155.50,0.867,0.0,0,NA,car,yes", '8,A,30,0.4,2.5,1,600,"home, new",no']);
    const text = await printed(() => predictCommand([run, file, "--keep", "id, score", "--keep", "purpose"]));
    const [head, first, second] = text.trim().split("\n");
    expect(head).toBe("id,score,purpose,class,score_,probability of no,probability of yes");
    expect(first).toMatch(/^007,NA,car,(yes|no),/);
    expect(second).toMatch(/^8,600,"home, new",(yes|no),/);
  });

  test("copies all columns, under distinct names", async () => {
    const file = written([`${lines[0]},x`], `${header},class`);
    const [head] = (await printed(() => predictCommand([run, file, "--keep", "all"]))).split("\n");
    expect(head).toBe(`${header},class,class_,score_,probability of no,probability of yes`);
  });

  test("a column name may contain a comma", async () => {
    const file = written([`${lines[0]},x`], `${header},"seen, by"`);
    const [head, row] = (await printed(() => predictCommand([run, file, "--keep", "seen, by"]))).split("\n");
    expect(head).toMatch(/^"seen, by",class,/);
    expect(row).toMatch(/^x,/);
  });

  test("an unknown column is refused, with the nearest name", async () => {
    await expect(printed(() => predictCommand([run, csv, "--keep", "idd"]))).rejects.toThrow(
      /did you mean "id"/,
    );
  });
});
