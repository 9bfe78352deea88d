// Tables as hospitals have them: categories, missing cells, numbers of any size, weights, groups, rows held out. What sites agree
// on by secure sums is what one finds with all rows in one place.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCsv } from "@pliant/data/table";
import {
  type Agreed,
  agreedScale,
  checkSpec,
  type FederationSpecGiven,
  kindsOf,
  type SiteTable,
  siteTable,
  surveyOf,
} from "@pliant/federation";
import { afterAll, describe, expect, test } from "vitest";
import { readSiteData } from "../src/spec/site-data.js";
import { checkStage } from "../src/spec/stages.js";
import { fromLimbs, toLimbs } from "../src/tables/exact-sums.js";
import { inProcess } from "./in-process.js";
import { seededNumbers } from "./seeded.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-tables-"));
afterAll(() => rmSync(folder, { recursive: true }));

const draw = seededNumbers("hospital tables");

interface Row {
  readonly age: number | undefined;
  readonly sex: string;
  readonly ward: string | undefined;
  readonly sick: boolean;
  readonly cost: number;
  readonly w: number;
}

/** Ages about 60, a ward that is sometimes unknown, and a cost in thousands. */
const rowsAt = (site: number, count: number): Row[] =>
  Array.from({ length: count }, () => {
    const age = 40 + 10 * site + 30 * draw();
    const sex = draw() < 0.5 ? "f" : "m";
    const ward = ["a", "b", "c"][Math.floor(3 * draw())];
    const sick = age / 20 - 3 + (ward === "c" ? 1.5 : 0) + (sex === "f" ? 0.5 : 0) + 2 * draw() - 1 > 0;
    return {
      age: draw() < 0.1 ? undefined : age,
      sex,
      ward: draw() < 0.1 ? undefined : ward,
      sick,
      cost: 1000 * (age / 10 + (ward === "b" ? 3 : 0) + draw()),
      w: draw() < 0.5 ? 1 : 3,
    };
  });

const csvOf = (rows: readonly Row[]): string =>
  [
    "age,sex,ward,sick,cost,w",
    ...rows.map(({ age, sex, ward, sick, cost, w }) =>
      [age ?? "", sex, ward ?? "", sick ? "yes" : "no", cost, w].join(","),
    ),
  ].join("\n");

const sites = [0, 1, 2].map((site) => rowsAt(site, 60 + 20 * site));
const all = sites.flat();

type Data = FederationSpecGiven["data"];
const data: Data = {
  features: ["age", "sex", "ward"],
  categories: { sex: ["f", "m"], ward: ["a", "b", "c"] },
  missing: ["age", "ward"],
  scale: "agreed",
  label: "sick",
  classes: ["no", "yes"],
};
const specWith = (more: Partial<Data> = {}, rest: Partial<FederationSpecGiven> = {}) =>
  checkSpec({
    name: "hospitals",
    data: { ...data, ...more },
    model: { hidden: [] },
    sites: { number: 3 },
    training: { rounds: 6, communicationRounds: 2, rate: 0.5 },
    ...rest,
  });
const tableOf = (rows: readonly Row[], spec = specWith()): SiteTable =>
  siteTable(parseCsv(csvOf(rows), { columns: kindsOf(spec.data) }), spec);

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const deviation = (values: readonly number[]) =>
  Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

describe("numbers of any size in sums of fixed point", () => {
  test("come back to the bit", () => {
    for (const value of [0, 1, -1, 0.1, -1234.5678, 1e30, -7e-8, 2 ** 100, Math.PI * 1e12])
      expect(fromLimbs(toLimbs(value))).toBe(value);
  });
  test("each limb is a number that fixed point holds", () => {
    for (const limb of toLimbs(-1.23456789e25)) {
      expect(Math.abs(limb)).toBeLessThan(1);
      expect(limb * 2 ** 40).toBe(Math.round(limb * 2 ** 40));
    }
  });
  test("numbers that are too large are refused with a sentence", () => {
    expect(() => toLimbs(1e40)).toThrow("is too large to be summed; scale the column down.");
  });
});

describe("the scale that sites agree on", () => {
  const spec = specWith({ classes: undefined, label: "cost" });
  const tables = sites.map((rows) => parseCsv(csvOf(rows), { columns: kindsOf(spec.data) }));
  const surveys = tables.map((table) => surveyOf(table, spec.data));
  const means = surveys[0].map((_, k) => mean(surveys.map((one) => one[k])));

  test("is the mean and deviation over all rows, missing cells left out", () => {
    const scale = agreedScale(means, 3, spec.data);
    const ages = all.flatMap(({ age }) => (age === undefined ? [] : [age]));
    expect(scale.age[0]).toBeCloseTo(mean(ages), 9);
    expect(scale.age[1]).toBeCloseTo(deviation(ages), 9);
    expect(scale.cost[0]).toBeCloseTo(mean(all.map(({ cost }) => cost)), 6);
    expect(scale.cost[1]).toBeCloseTo(deviation(all.map(({ cost }) => cost)), 6);
  });
  test("is 1 for a column whose numbers are all alike", () => {
    const same = surveyOf(parseCsv("age,sex,ward,cost\n7.1,f,a,2\n7.1,m,b,3\n7.1,f,c,4"), spec.data);
    expect(agreedScale(same, 1, spec.data).age[1]).toBe(1);
  });
  test("a count or a variance below 0 shows a liar", () => {
    const lied = means.map((value, k) => (k === 0 ? -value : value));
    expect(() => agreedScale(lied, 3, spec.data)).toThrow("a site lied");
    const flat = means.map((value, k) => (k > 5 && k <= 10 ? 0 : value));
    expect(() => agreedScale(flat, 3, spec.data)).toThrow('The variance of "age" over all sites is');
  });
});

test("a federation over them equals one whose scale was written down, and no site was asked for more than sums", async () => {
  const tables = sites.map((rows) => tableOf(rows));
  const agreed = await inProcess(specWith(), tables);
  const scale = agreed.agreed!.scale!;
  const ages = all.flatMap(({ age }) => (age === undefined ? [] : [age]));
  expect(scale.age[0]).toBeCloseTo(mean(ages), 6);
  const given = specWith({ scale: { age: [scale.age[0], scale.age[1]] } });
  const written = await inProcess(
    given,
    sites.map((rows) => tableOf(rows, given)),
  );
  expect(agreed.state.params).toEqual(written.state.params);
  expect(agreed.rows).toHaveLength(written.rows.length + 1);
  expect(agreed.state.step).toBe(7);
  for (const { accuracy } of agreed.sites) expect(accuracy).toBeGreaterThan(0.6);
});

describe("what few rows have is told of none of them", () => {
  const lines = (wards: string, more: object = {}, least = 3) => {
    const spec = specWith(more);
    const text = [...wards].map((ward, i) => `${50 + i},${i % 2 === 0 ? "f" : "m"},${ward},yes`).join("\n");
    const table = parseCsv(`age,sex,ward,sick\n${text}`, { columns: kindsOf(spec.data) });
    return siteTable(table, spec, least);
  };
  test("a category counts as missing, and its owner is notified", () => {
    const { notes, encoded } = lines("aaabbbc");
    expect(notes[0]).toBe('Fewer than 3 rows have a "ward" of c: they count as missing.');
    const { x } = encoded({ age: [50, 10] }).train;
    const width = x.shape[1];
    const inWard = (row: number) => Array.from(x.data).slice(row * width + 4, (row + 1) * width);
    expect(inWard(0)).toEqual([1, 0, 0]);
    expect(inWard(6)).toEqual([0, 0, 0]);
  });
  test("where cells may not be missing it is refused, as are too few rows in all", () => {
    expect(() => lines("aaabbbc", { missing: ["age"] })).toThrow(
      'fewer than 3 rows have a "ward" of c, and sums would reveal something about them. List "ward" in data.missing',
    );
    expect(() => lines("aa", { missing: ["age", "sex", "ward"] })).toThrow("Training would use 2 rows");
  });
  test("a group has none of them", () => {
    const groups = { column: "ward", values: ["a", "c"] };
    const { notes, encoded } = lines("aaabbbc", {
      features: ["age", "sex"],
      categories: { sex: ["f", "m"] },
      missing: ["age"],
      groups,
    });
    expect(notes).toEqual(['Fewer than 3 rows have a "ward" of c: they count in no group.']);
    expect(Array.from(encoded({ age: [50, 10] }).train.groups!)).toEqual([0, 0, 0, -1, -1, -1, -1]);
    const none = { ...groups, values: ["A", "B"] };
    const other = {
      features: ["age", "sex"],
      categories: { sex: ["f", "m"] },
      missing: ["age"],
      groups: none,
    };
    expect(lines("aaabbb", other).notes).toEqual(['No row has a "ward" of A, B: all are in no group.']);
  });
});

describe("cells that do not fit are sentences", () => {
  const lines = (text: string, spec = specWith()) =>
    siteTable(parseCsv(`age,sex,ward,sick\n${text}`, { columns: kindsOf(spec.data) }), spec);
  test("a category that the spec does not list", () => {
    expect(() => lines("50,x,a,yes")).toThrow('column "sex" has "x"; the spec\'s categories are f, m.');
  });
  test("a missing cell that the spec does not allow", () => {
    expect(() => lines("50,f,a,yes", specWith({ missing: [] }))).not.toThrow();
    expect(() => lines("50,f,a,yes\n,f,a,no", specWith({ missing: [] }))).toThrow(
      'column "age" has a missing cell, and the spec lists no missing cells for it (data.missing).',
    );
  });
  test("an unlisted category counts as missing if cells may be missing, and its owner is notified", () => {
    const { notes, encoded } = lines("50,f,z,yes\n60,m,b,no");
    expect(notes).toEqual(['1 rows have a "ward" that the spec does not list (z); they count as missing.']);
    expect(Array.from(encoded({ age: [50, 10] }).train.x.data)).toEqual([
      0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0,
    ]);
  });
  test("a column without any number is missing everywhere, where cells may be", () => {
    const { encoded } = lines(",f,a,yes\n,m,a,no");
    expect(Array.from(encoded({ age: [50, 10] }).train.x.data).slice(0, 2)).toEqual([0, 1]);
  });
  test("a missing number stands at the centre, and a feature says so", () => {
    const { encoded } = lines(",f,a,yes\n50,m,b,no");
    expect(Array.from(encoded({ age: [50, 10] }).train.x.data)).toEqual([
      0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0,
    ]);
  });
  test("spec: names, privacy and requirements that exclude each other", () => {
    expect(() => specWith({ missing: ["wards"] })).toThrow('has "wards", which is none of the features');
    expect(() => specWith({ scale: undefined })).toThrow("which has no centre to stand at");
    expect(() => specWith({ weights: "age" })).toThrow("which is the label or a feature");
    expect(() => specWith({}, { privacy: { epsilon: 1, delta: 1e-5 } })).toThrow(
      "data.scale: agreed needs sums without noise",
    );
    const groups = { column: "sex", values: ["f", "m"], loss: "mean + 0.01" };
    expect(() => specWith({ groups }, { sites: { number: 3, loss: "mean + 0.1" } })).toThrow(
      "both weight the same rows",
    );
  });
});

test("a site answers no survey or evaluation that its spec does not have, and no second survey", () => {
  const scale = { age: [60, 10] as const };
  const refused = "that the spec does not have here";
  expect(() => checkStage(specWith(), { stage: "evaluation", scale })).toThrow(refused);
  expect(() => checkStage(specWith(), { stage: "survey", scale })).toThrow(refused);
  expect(() => checkStage(specWith(), { stage: "training" })).toThrow(refused);
  expect(() => checkStage(specWith({ test: 0.2, scale: { age: [60, 10] } }), { stage: "survey" })).toThrow(
    refused,
  );
  for (const agreed of [{ stage: "survey" }, { stage: "training", scale }] as const)
    expect(() => checkStage(specWith(), agreed)).not.toThrow();
  expect(() => checkStage(specWith({ test: 0.2 }), { stage: "evaluation", scale })).not.toThrow();
});

test("a number too large to be summed is reported before the site joins", () => {
  expect(() => tableOf([{ ...sites[0][0], age: 1e25 }])).toThrow(
    "is too large to be summed; scale the column down.",
  );
});

test("a spec reads back as itself", () => {
  const spec = specWith({ test: 0.25, weights: "w", groups: { column: "sex", values: ["f", "m"] } });
  expect(checkSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
});

test("regression: the label's own unit, and the error that least squares has", async () => {
  const spec = specWith(
    { classes: undefined, label: "cost" },
    { training: { rounds: 60, communicationRounds: 2, rate: 0.1 } },
  );
  const done = await inProcess(
    spec,
    sites.map((rows) => tableOf(rows, spec)),
  );
  const spread = deviation(all.map(({ cost }) => cost));
  for (const { rmse, loss } of done.sites) {
    expect(rmse! ** 2 / spread ** 2).toBeCloseTo(loss!, 6);
    // What is left once age and ward are known; a tenth of rows lacks each.
    expect(rmse).toBeLessThan(0.6 * spread);
  }
});

test("weights: a row of weight 3 counts as three rows", async () => {
  const spec = specWith({ weights: "w" });
  const weighted = await inProcess(
    spec,
    sites.map((rows) => tableOf(rows, spec)),
  );
  const thrice = sites.map((rows) => rows.flatMap((row) => new Array<Row>(row.w).fill(row)));
  // The survey counts every row once: the scale is written down.
  const { age } = weighted.agreed!.scale!;
  const plain = specWith({ scale: { age: [age[0], age[1]] } });
  const repeated = await inProcess(
    plain,
    thrice.map((rows) => tableOf(rows, plain)),
  );
  for (const [i, { loss }] of weighted.sites.entries()) expect(loss).toBeCloseTo(repeated.sites[i].loss!, 4);
});

test("rows held out are the same after a restart, never trained on, and their losses are summed over all sites", async () => {
  const spec = specWith({ test: 0.25 });
  const tables = sites.map((rows) => tableOf(rows, spec));
  const again = tableOf(sites[0], spec);
  const [x, y] = [tables[0], again].map((table) => table.encoded({ age: [60, 10] }));
  expect(x.test!.x.data).toEqual(y.test!.x.data);
  expect(x.train.labels).toHaveLength(45);
  expect(x.test!.labels).toHaveLength(15);
  const done = await inProcess(spec, tables);
  const { evaluation } = done.rows.at(-1)!;
  for (const part of ["train", "test"] as const) {
    const own = done.sites.map((site) =>
      part === "train" ? { loss: site.loss!, accuracy: site.accuracy!, rows: 0 } : site.test!,
    );
    const counts = sites.map(({ length }) => (part === "train" ? 0.75 : 0.25) * length);
    const total = counts.reduce((a, b) => a + b, 0);
    const overall = evaluation!.overall[part]!;
    expect(overall.rows).toBe(total);
    expect(overall.meanLoss).toBeCloseTo(mean(own.map(({ loss }) => loss)), 5);
    expect(overall.loss).toBeCloseTo(own.reduce((sum, { loss }, i) => sum + loss * counts[i], 0) / total, 5);
    expect(overall.accuracy).toBeCloseTo(
      own.reduce((sum, { accuracy }, i) => sum + accuracy! * counts[i], 0) / total,
      9,
    );
  }
  expect((done.agreed as Agreed).stage).toBe("evaluation");
});

test("a head of its own serves a site better on its training rows, and both are evaluated", async () => {
  const spec = specWith(
    { test: 0.25 },
    {
      model: { hidden: [4] },
      training: { rounds: 3, communicationRounds: 2, rate: 0.3, personalise: { epochs: 20, rate: 0.3 } },
    },
  );
  const done = await inProcess(
    spec,
    sites.map((rows) => tableOf(rows, spec)),
  );
  for (const { loss, personalised } of done.sites) {
    expect(personalised!.train.loss).toBeLessThan(loss!);
    expect(personalised!.test!.rows).toBeGreaterThan(0);
  }
  const { train, test: held } = done.rows.at(-1)!.evaluation!.overall;
  expect(train.personalisedLoss).toBeCloseTo(
    mean(done.sites.map(({ personalised }) => personalised!.train.loss)),
    5,
  );
  expect(held!.personalisedLoss).toBeCloseTo(
    mean(done.sites.map(({ personalised }) => personalised!.test!.loss)),
    5,
  );
});

test("a level per site: each price is that of its own level", async () => {
  const spec = specWith(
    { scale: { age: [60, 15] } },
    {
      sites: { number: 3, loss: "mean", levels: { b: "mean + 0.005", c: "mean + 0.01" }, dualRate: 6 },
      training: { rounds: 100, communicationRounds: 2, rate: 0.3, decay: 0.01 },
    },
  );
  const done = await inProcess(
    spec,
    sites.map((rows) => tableOf(rows, spec)),
  );
  const losses = done.sites.map(({ lossBefore }) => lossBefore!);
  for (const [i, level] of [0, 0.005, 0.01].entries())
    expect(done.sites[i].price).toBeCloseTo(2 * Math.max(0, losses[i] - mean(losses) - level), 3);
  expect(Math.max(...done.sites.map(({ price }) => price))).toBeGreaterThan(0.01);
}, 60_000);

test("a file with categories that look like numbers is read as categories", async () => {
  const spec = checkSpec({
    name: "codes",
    data: { features: ["code"], categories: { code: ["007", "8"] }, label: "y", classes: ["no", "yes"] },
    sites: { number: 3 },
    training: { rounds: 1, rate: 0.1 },
  });
  const file = join(folder, "codes.csv");
  writeFileSync(file, "code,y\n007,no\n8,yes\n");
  const { encoded } = await readSiteData(file, spec);
  expect(Array.from(encoded().train.x.data)).toEqual([1, 0, 0, 1]);
});
