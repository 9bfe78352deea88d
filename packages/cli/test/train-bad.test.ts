// Each spec or table in fixtures/bad has one mistake: the message must locate it and suggest a correction.
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "@pliant/core";
import { describe, expect, test } from "vitest";
import { exampleCommand } from "../src/training/example.js";
import { predictCommand } from "../src/training/predict.js";
import { reportCommand } from "../src/training/report.js";
import { trainCommand } from "../src/training/train.js";

const folder = fileURLToPath(new URL("fixtures/bad", import.meta.url));

/** The sentence of a request that is refused as a person's mistake, for which the command exits with 2. */
async function refusal(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  const { message } = error as InputError;
  expect(message).toMatch(/[.?]$/);
  expect(message).not.toContain("\n");
  return message;
}

const out = join(mkdtempSync(join(tmpdir(), "pliant-")), "run");
const training = (name: string, ...args: string[]) =>
  refusal(trainCommand([join(folder, name), "--device", "reference", "--out", out, ...args]));

const expected: Record<string, readonly string[]> = {
  "01-unknown-key": [
    "01-unknown-key.yaml, line 14",
    '"budgets" is not a key of a spec; did you mean "budget"?',
  ],
  "02-unknown-inner-key": ["line 12", '"levl" is not a key of requirements.misses; did you mean "level"?'],
  "03-unknown-metric": ["line 11", "requirements.misses.metric", 'did you mean "false-negative-rate"?'],
  "04-unknown-model": ["line 8", 'model.kind: "mpl" is not allowed here', 'did you mean "mlp"?'],
  "05-misspelt-model-key": ["line 6", '"hiden" is not a key of model; did you mean "hidden"?'],
  "06-no-level": ["line 10", "requirements.misses.level is missing; it is a number"],
  "07-level-not-a-level": ["line 13", "requirements.misses.level", 'did you mean "overall"?'],
  "08-levels-reversed": [
    "line 12",
    "requirements.rate.level",
    "the lower level 0.6 is above the upper one, 0.2",
  ],
  "09-unknown-cost": ["line 14", 'cost: "quadratc" is not a cost; did you mean "quadratic"?'],
  "10-cost-without-number": ["line 14", 'cost: "quadratic" is not a cost; write quadratic(α) with numbers'],
  "11-cost-not-positive": ["line 14", "cost: quadratic: α must be a positive, finite number, got -1"],
  "13-text-for-number": ["line 15", 'budget.steps is "many", and should be a number'],
  "14-not-yaml": ["14-not-yaml.yaml, line 3", "this is not YAML"],
  "15-key-twice": ["15-key-twice.yaml, line 9", "for the second time"],
  "16-empty": ["16-empty.yaml", "a spec is a list of keys (data, model, requirements, …)"],
  "17-no-target": ["line 1", "data.target is missing; it is the column to predict"],
  "18-unknown-target": ['good.csv has no column "bougt"; did you mean "bought"?'],
  "19-unknown-column": ['good.csv has no column "grup"; did you mean "group"?'],
  "20-unknown-by": ["line 12", "requirements.misses.by", 'did you mean "group"?'],
  "21-unknown-positive": ["line 4", 'data.positive: "yess" is not a value of "bought"; did you mean "yes"?'],
  "22-no-file": ["line 2", "data.file: there is no file", 'god.csv; did you mean "good.csv"?'],
  "23-file-and-dataset": ["line 1", "data: give a file or a dataset"],
  "24-unknown-dataset": ["line 2", "data.dataset", 'did you mean "strokes"?'],
  "25-images-model-for-columns": ["line 8", "model.kind: lenet is for grey images", "linear or mlp"],
  "26-gap-without-groups": ["line 12", "requirements.gap.gap: a gap is between groups; say which with by"],
  "27-column-not-numeric": ["line 12", "requirements.rising.column", 'did you mean "income"?'],
  "28-turned-columns": ["line 12", "requirements.steady.under: rotation is for images; columns have noise"],
  "29-unknown-hard-group": ["line 14", 'requirements.misses.hard: "C" is not a group', "Choose from: A, B"],
  "30-relative-to-itself": ["line 12", "requirements.misses.level", "needs by or under"],
  "31-classes-as-number": ['good.csv, line 2, column "bought": "yes" is not a number'],
  "32-steps-and-epochs": ["line 16", "budget: give steps or epochs, not both"],
  "33-batch-per-example": ["line 15", "budget.batch: a requirement on every example"],
  "34-text-in-numbers": ['34-text-in-numbers.csv, line 4, column "income": "thirty" is not a number'],
  "35-short-row": ["35-short-row.csv, line 3: 4 cells where the header names 5 columns"],
  "36-header-twice": ['36-header-twice.csv: columns 1 and 2 are both called "age"'],
  "37-open-quote": ["37-open-quote.csv, line 5: a quote is opened in this row and never closed"],
  "38-no-rows": ["38-no-rows.csv has the names of its columns and no row below them"],
  "39-target-missing": ['39-target-missing.csv, line 7: the target column "bought" has no value'],
  "40-one-class": ['40-one-class.csv: the target column "bought" has the one value "yes"'],
  "41-one-group": ["line 12", 'requirements.misses.by: the column "group" has one group alone, A'],
  "42-empty": ["42-empty.csv is empty"],
  "43-decimal-commas": [
    '43-decimal-commas.csv, line 2, column "income": "40,5" is not a number (decimals take a point)',
  ],
  "44-unknown-noise-column": ["line 12", "requirements.steady.under", 'did you mean "income"?'],
  "46-groups-of-numbers": [
    "line 12",
    'requirements.misses.by: "age" is a column of numbers',
    "data.columns.age: group",
  ],
  "47-reserved-name": ["line 10", "requirements.objective: this cannot be the name of a requirement"],
  "48-names-as-categories": [
    'the column "name" has more than 1000 different texts',
    "data.columns.name: ignore",
  ],
  "49-text-in-test-target": ['49-text-in-test-target.csv, line 5, column "age": "sixty" is not a number'],
  "50-group-without-members": [
    "misses [group=C]: no training example is one that it is about",
    "join the group with another",
  ],
  "51-every-example-disturbed": ["line 11", "requirements.asked.under: a requirement on every example"],
  "52-range-reversed": ["line 8", "requirements.asked.under: the lower end of rotation, 30, is above"],
  "53-class-of-a-number": ["line 10", "requirements.asked.class: the target is a number"],
  "54-positive-number": ["line 4", 'data.positive: the target "age" is a number'],
  "55-positive-image": ["line 3", "data.positive is for CSV files, and strokes is a set of images"],
  "56-guessed-decimal-commas": [
    '43-decimal-commas.csv: the column "income" has numbers with decimal commas',
    "data.columns.income: category",
  ],
  "57-one-number": ['57-one-number.csv: the target column "score" is 0.1 in all training rows'],
  "58-number-that-is-none": [
    'the column "income" has numbers, except in 1 cell: "n.a." (line 9)',
    '"null", "?", "n.a."]',
    "set data.columns.income: category",
  ],
  "59-infinity": ['"inf" (line 9)'],
  "60-dates-day-first": [
    'the column "since" has dates such as 08/01/2024',
    "set data.columns.since to day-month or month-day, write them as 2024-01-31",
  ],
  "61-utf-16": ["is a text in UTF-16; save it in UTF-8"],
  "62-windows-1252": ["is not a text in UTF-8: line 3 has the byte 0xe9", "Windows-1252", '"Renée"'],
  "63-workbook": ["is a ZIP archive or an Excel workbook; save the sheet as CSV"],
  "64-gzip-cut": ["is packed by gzip and cannot be unpacked"],
  "65-json-broken": ["cannot be read as JSON lines"],
  "66-json-nested": ['the column "likes" holds lists or objects', "data.columns.likes: ignore"],
  "67-parquet-cut": ["cannot be read as Parquet"],
  "68-target-number-that-is-none": ['the column "income" has numbers, except in 1 cell: "~40" (line 9)'],
  "69-weight-negative": ['line 9: the weight in "income" is -1; a weight is a number of at least 0'],
  "70-weight-missing": ['line 9: the weight in "income" is missing'],
  "71-weights-of-the-target": ["line 1", 'data.weights: "bought" is the target'],
  "72-balance-without-groups": ["data.balance: no column is a group"],
  "73-balance-of-a-number": ["data.balance: the target is a number and has no classes"],
  "74-quantile-of-another-loss": ["objective.quantile: it is for objective.loss: quantile"],
  "75-huber-of-classes": ['"yes" is not a number'],
  "76-group-without-level": [
    "requirements.misses.level: the group B has none; give it one, or leave it out with only",
  ],
  "77-level-of-no-group": ['requirements.misses.level: "C" is not a group', "Choose from: A, B"],
  "78-levels-without-groups": ["levels by group need groups; say which with by"],
  "79-only-without-by": ["requirements.misses.only: it names groups; say of which column with by"],
  "80-only-no-group": ['requirements.misses.only: "D" is not a group'],
  "81-precision-in-percent": ["a share is between 0 and 1, and 80 is not; for 80% write 0.8"],
  "82-cost-of-no-class": ['requirements.dear.costs: "yess" is not a class; did you mean "yes"?'],
  "83-units-of-classes": ["mean-absolute-error is about a number, and the target has classes"],
  "84-parity-of-nobody": ["requirements.fair.by is missing; it is a column, or a list of columns"],
  "85-unknown-column-together": ['"cty" is not a column with groups; did you mean "city"?'],
  "86-rate-in-percent": ["a share is between 0 and 1, and 5 is not; for 5% write 0.05"],
  "87-rate-below-nothing": ["a share is between 0 and 1, and -0.1 is not."],
  "88-last-of-texts": ['the column "city" is neither dates nor numbers, and has no order in time'],
  "89-last-unknown": ['line 5: "income" is missing, so Pliant cannot tell'],
  "90-whole-groups-of-the-target": ['data.test: "bought" is the target'],
  "91-not-stratified": ['data.test is {"share":0.3,"stratified":false}, and should be a share of the rows'],
  "92-share-of-all": ["data.test.share is 1, and should be less than 1"],
  "93-no-date": ['column "city"', "is not a date (dates are written like 2024-01-31)"],
  "94-unknown-part-of-a-date": ['data.columns.age is {"date":["hour"]}', "{ date: [year, month, weekday] }"],
  "95-percent-among-numbers": ['the column "income" has numbers, except in 1 cell: "40%" (line 9)'],
  "96-name-missing": ["column 2 has no name in the header"],
  "97-quote-in-a-cell": ["line 3: a quote begins in the middle of a cell"],
  "98-long-row": ["line 3: 4 cells where the header names 3 columns"],
  "99-date-as-a-number": ['line 2, column "since": "2024-01-31" is not a number'],
  "100-unknown-kind": [
    'data.columns.age is "numeric", and should be one of number, category, date, day-month, month-day, group, ignore',
  ],
  "101-date-that-is-none": [
    'the column "since" has dates, except in 1 cell: "2024-02-30" (line 9)',
    '"null", "?", "2024-02-30"]',
    "set data.columns.since: category",
  ],
  "102-date-day-first-that-is-none": [
    'the column "since" has dates, except in 1 cell: "31/02/2024" (line 9)',
  ],
  "103-folds-by-and-stratified": [
    "103-folds-by-and-stratified.yaml, line 1",
    'data.test.stratified: with whole groups of "city" in a part its classes are what they are; leave out one',
  ],
  "45-test-share": ["line 7", "data.test is 1.5, and should be less than 1"],
};

describe("a spec or a table with a mistake", () => {
  test("every fixture has an expected message", () => {
    const kept = readdirSync(folder).flatMap((file) => (file.endsWith(".yaml") ? [file.slice(0, -5)] : []));
    expect(kept.sort()).toEqual(Object.keys(expected).sort());
    expect(kept.length).toBeGreaterThanOrEqual(100);
  });

  test.each(Object.entries(expected))("%s is answered with a sentence", async (name, parts) => {
    const sentence = await training(`${name}.yaml`);
    for (const part of parts) expect(sentence).toContain(part);
    // Other files in the folder are not touched.
    expect(existsSync(out)).toBe(false);
  });
});

describe("options with a mistake", () => {
  const good = "../good.yaml";
  test.each<[string[], string]>([
    [["--set", "requirements.mises.level=0.3"], 'no requirement "mises"; did you mean "misses"?'],
    [
      ["--set", "requirements.misses.levl=0.3"],
      '"levl" is not a key of requirements.misses; did you mean "level"?',
    ],
    [
      ["--set", "budget.steps=lots"],
      '--set budget.steps=lots: budget.steps is "lots", and should be a number',
    ],
    [["--set", "model.kind.deep=1"], "--set model.kind.deep=1: model.kind has no keys of its own"],
    [["--set", "nothing"], "--set takes KEY=VALUE"],
    [["--hard", "miss"], '"miss" is not a requirement of the spec; did you mean "misses"?'],
    [["--hard", "misses [group=C]"], '--hard misses [group=C]: requirements.misses.hard: "C" is not a group'],
    [["--sweep", "cost"], "--sweep takes KEY=VALUE,VALUE"],
    [["--seeds", "0-99999999999"], "should be several seeds, at most 1000: from and to, as in 1-5"],
    [["--sweep", "cost=1,-1"], "--sweep cost takes positive factors of the costs"],
    [["--seed", "x"], "--seed must be a whole number"],
    [["--device", "gpu"], "--device must be one of auto, cpu, cuda, reference"],
    [["--resume"], "there is no run to resume in"],
    [
      ["--set", "requirements.misses.level=10"],
      "a share is between 0 and 1, and 10 is not; for 10% write 0.1",
    ],
    [["--set", "requirements.misses.level=-0.1"], "a share is between 0 and 1, and -0.1 is not."],
    [["--set", "requirements.misses.level=.nan"], "requirements.misses.level"],
    [["--set", "requirements.misses.level=[0.1, .inf]"], "requirements.misses.level"],
    [["--set", "budget.every=0"], "budget.every is 0, and should be more than 0"],
    [["--set", "budget.steps=0"], "budget.steps is 0, and should be more than 0"],
    [["--set", "budget.batch=0"], "budget.batch is 0, and should be more than 0"],
    [["--set", "objective.decay=-1"], "objective.decay is -1, and should be at least 0"],
    [
      ["--set", "requirements.misses.hard=true", "--set", "requirements.misses.cost=linear(1)"],
      "requirements.misses.hard: it must not give way, so the cost linear(1) has no effect",
    ],
    [["--set", "requirements.misses.sharpness=2"], '"sharpness" is not a key of requirements.misses'],
    [["--set", "data.validation=0"], "data.validation is 0, and should be more than 0"],
  ])("%j is refused with a sentence", async (args, sentence) => {
    expect(await training(good, ...args)).toContain(sentence);
  });

  test("missing files and runs", async () => {
    expect(await refusal(trainCommand(["nowhere.yaml"]))).toBe("there is no file nowhere.yaml.");
    expect(await refusal(trainCommand([]))).toContain("name one spec file");
    expect(await refusal(reportCommand(["nowhere"]))).toBe("there is no run in nowhere.");
    expect(await refusal(predictCommand(["nowhere", "rows.csv"]))).toBe("there is no run in nowhere.");
    expect(await refusal(exampleCommand(["loan"]))).toContain('did you mean "loans"?');
  });
});
