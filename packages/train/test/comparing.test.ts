// Whether one run is better than another beyond chance.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { type Compared, compareRuns, compareText, finishedRun, readSpec, trainInFolder } from "@pliant/train";
import { beforeAll, describe, expect, test } from "vitest";
import type { TrainReport } from "../src/report/report.js";
import type { TrainAsked } from "../src/run/asked.js";
import { differencesText, differenceText } from "../src/text/difference-text.js";
import { lossFactor, sameTestRows, unlikeIn } from "../src/use/comparable.js";
import { betterOf, mcnemar, pairedDifference } from "../src/use/differences.js";
import { loansFolder } from "./loans.js";

const { folder, spec, options } = loansFolder("comparing", { rows: 400, device: "cpu" });

describe("differences row by row", () => {
  test("McNemar's test is exact", () => {
    expect(mcnemar(10, 2)).toBeCloseTo((2 * (1 + 12 + 66)) / 4096, 12);
    expect(mcnemar(5, 5)).toBe(1);
    expect(mcnemar(0, 0)).toBe(1);
    expect(mcnemar(0, 6)).toBeCloseTo(2 / 64, 12);
    expect(mcnemar(900, 1100)).toBeLessThan(1e-5);
  });

  test("the interval of counts excludes 0 exactly if the exact test finds a difference", () => {
    for (let a = 0; a <= 14; a++)
      for (let b = 0; b <= 14; b++) {
        const values = Float64Array.from({ length: 40 }, (_, i) => Number(i < a));
        const other = Float64Array.from({ length: 40 }, (_, i) => Number(i >= a && i < a + b));
        const own = new Uint8Array(40).fill(1);
        const { value, interval, rows, beyondChance } = pairedDifference(
          { values, own },
          { values: other, own },
        );
        const [low, high] = interval!;
        expect(rows!.p < 0.05).toBe(low > 0 || high < 0);
        expect(beyondChance).toBe(rows!.p < 0.05);
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
      }
  });

  test.each([
    [1200, 0.081, 0.0067],
    [87, 0.08, 0.01],
    [87, 0.01, 0.3],
    [200, 0.1, 0.1],
  ])(
    "the interval of counts covers the true difference 19 times in 20: %d rows, %d and %d",
    (n, first, second) => {
      const trials = 500;
      const own = new Uint8Array(n).fill(1);
      let held = 0;
      for (let trial = 0; trial < trials; trial++) {
        const draws = random.uniform(random.key(trial), [n]).data;
        const values = Float64Array.from(draws, (u) => Number(u < first));
        const other = Float64Array.from(draws, (u) => Number(u >= first && u < first + second));
        const [low, high] = pairedDifference({ values, own }, { values: other, own }).interval!;
        held += Number(low <= second - first && second - first <= high);
      }
      expect(held / trials).toBeGreaterThan(0.92);
      expect(held / trials).toBeLessThan(0.99);
    },
  );

  /** How often two samples without a difference seem to have one. */
  const alarms = (trials: number, gap: boolean): number => {
    const n = 200;
    let found = 0;
    for (let trial = 0; trial < trials; trial++) {
      const draws = (stream: number) => random.normal(random.foldIn(random.key(trial), stream), [n]).data;
      const [common, a, b] = [0, 1, 2].map(draws);
      const values = (own: ArrayLike<number>) => Float64Array.from(common, (x, i) => 3 * x + own[i]);
      const marks = Uint8Array.from(common, (_, i) => Number(i % 3 === 0));
      const rest = marks.map((m) => 1 - m);
      const sample = (own: ArrayLike<number>) => ({
        values: values(own),
        own: marks,
        ...(gap && { base: { values: values(own), marks: rest, factor: 1 } }),
      });
      if (pairedDifference(sample(a), sample(b)).beyondChance) found++;
    }
    return found / trials;
  };

  test("chance seems to be none in one case of twenty", () => {
    for (const gap of [false, true]) {
      expect(alarms(600, gap)).toBeGreaterThan(0.02);
      expect(alarms(600, gap)).toBeLessThan(0.09);
    }
  });

  test("with one row nothing is beyond chance, in a group or in the rest", () => {
    const sample = (values: number[], own: number[], rest?: number[]) => ({
      values,
      own,
      ...(rest && { base: { values, marks: rest, factor: 1 } }),
    });
    const [before, after] = [
      [0.5, 0.7, 0.9],
      [0.1, 0.2, 0.8],
    ];
    const between = (own: number[], rest?: number[]) =>
      pairedDifference(sample(before, own, rest), sample(after, own, rest));
    expect(between([1, 0, 0])).toEqual({ value: expect.closeTo(-0.4, 12), beyondChance: false });
    expect(between([1, 1, 0], [0, 0, 1])).toEqual({ value: expect.closeTo(-0.35, 12), beyondChance: false });
    expect(between([1, 1, 1])).toHaveProperty("interval");
  });

  test("a small difference on every row is found beneath large ones between rows", () => {
    const values = Float64Array.from({ length: 100 }, (_, i) => 10 * Math.sin(i));
    const own = new Uint8Array(100).fill(1);
    const better = values.map((x, i) => x - 0.1 - 0.01 * (i % 3));
    const { value, interval, beyondChance } = pairedDifference({ values, own }, { values: better, own });
    expect(value).toBeCloseTo(-0.1099, 10);
    expect(interval![1] - interval![0]).toBeLessThan(0.01);
    expect(beyondChance).toBe(true);
  });
});

describe("a requirement that is hard in one run is asked of both", () => {
  const run = (folder: string, hard: boolean, value: number) => {
    const strict = { value, interval: [value - 0.05, value + 0.05], examples: 200 };
    const misses = { hard, sense: "at most", level: 0.35, pricedBy: "strict", test: { strict } };
    return { folder, report: { requirements: { misses } } as unknown as TrainReport };
  };
  const loss = { value: 0.1, interval: [0.05, 0.15] as const, beyondChance: true };
  const beside = (beyondChance: boolean) => ({
    loss,
    requirements: { misses: { value: -0.22, beyondChance } },
  });
  const [soft, firm] = [run("soft", false, 0.55), run("firm", true, 0.47)];
  const text = (found: ReturnType<typeof betterOf>, differences: ReturnType<typeof beside>) =>
    differenceText({ first: "soft", second: "firm", paired: true, rows: 200, ...differences, ...found });

  test("before one is called better, and what decides is named", () => {
    const differences = beside(true);
    expect(betterOf([soft, firm], differences)).toEqual({ better: "soft", by: "loss" });
    const found = betterOf([soft, run("firm", true, 0.33)], differences);
    expect(found).toMatchObject({ better: "firm", by: "what must hold" });
    expect(text(found, differences)).toMatch(
      /^"firm" is better: on test rows "soft" misses "misses" \(at most 0\.35, hard in firm\) by more than chance would explain \(0\.550 \(0\.500 to 0\.600\)\), and "firm" does not \(0\.330 \(0\.280 to 0\.380\)\)\.\n/,
    );
    expect(betterOf([run("soft", false, 0.33), firm], differences)).toMatchObject({
      better: "soft",
      by: "what must hold",
    });
    const both = betterOf([run("soft", true, 0.55), run("firm", true, 0.33)], differences);
    expect(both.missed).toMatchObject([{ holdsIn: ["soft", "firm"] }]);
    expect(text(both, differences)).toContain("hard in both");
  });

  test("a difference within chance decides nothing, and is stated beside the loss that decides", () => {
    const differences = beside(false);
    const found = betterOf([soft, run("firm", true, 0.33)], differences);
    expect(found).toMatchObject({
      better: "soft",
      by: "loss",
      missed: [{ run: "soft", beyondChance: false }],
    });
    expect(text(found, differences)).toMatch(
      /Hard requirements do not decide between the two: no difference in them is significant\. On test rows "soft" misses "misses" \(.*\) by more than chance would explain .*, but the two do not differ significantly\.\n/,
    );
  });

  test("and what the other was not asked at all decides nothing", () => {
    const unasked = { folder: "other", report: { requirements: {} } as unknown as TrainReport };
    expect(betterOf([unasked, run("firm", true, 0.55)], { loss, requirements: {} })).toEqual({
      better: "other",
      by: "loss",
    });
  });
});

describe("runs that cannot be ranked", () => {
  const asked = (more: object, target: object, objective: object = {}) =>
    ({
      spec: { data: { file: "a.csv", target: "y", ...more }, objective },
      data: { files: { "a.csv": "1", "b.csv": "2", "c.csv": "1", own: String(Math.random()) }, target },
    }) as unknown as TrainAsked;
  const number = { kind: "number", mean: 0, deviation: 2 };
  const classes = { kind: "class", classes: ["no", "yes"] };
  const plain = asked({}, classes);

  test("are of other targets, classes, losses or data", () => {
    expect(unlikeIn(plain, asked({ target: "z" }, classes))).toBe(
      'they predict different columns, "y" and "z"',
    );
    expect(unlikeIn(plain, asked({}, number))).toBe("one of them predicts classes and the other a number");
    expect(unlikeIn(plain, asked({}, { ...classes, classes: ["no", "so", "yes"] }))).toBe(
      "they tell different classes apart",
    );
    expect(unlikeIn(plain, asked({ file: "b.csv" }, classes))).toBe(
      "they were tested on different data, a.csv and b.csv",
    );
    expect(unlikeIn(plain, asked({ file: "b.csv", test: "c.csv" }, classes))).toBeUndefined();
    expect(unlikeIn(asked({}, number), asked({}, number, { loss: "absolute-error" }))).toBe(
      "they have different losses, squared-error and absolute-error",
    );
    expect(unlikeIn(plain, asked({}, classes, { loss: "parameter-size" }))).toBeUndefined();
  });

  test("differences in large units have their digits where they are read", () => {
    const off = { value: 137.2087, interval: [8.58817, 265.8292] as const, beyondChance: true };
    const loss = { value: 0.0113, interval: [-0.0061, 0.0287] as const, beyondChance: false };
    const error = { value: 0.1, beyondChance: true, rows: { first: 4, second: 120, p: 1e-25 } };
    const text = differenceText({
      first: "a",
      second: "b",
      paired: true,
      loss,
      error,
      requirements: { off },
      rows: 210,
    });
    expect(text).toContain("137.21 (8.588 to 265.83)");
    expect(text).toContain("0.0113 (-0.0061 to 0.0287)");
    expect(text).toContain('(only in "a": 4 rows, only in "b": 120 rows; p < 0.0001)');
  });

  test("get a sentence in place of a verdict and differences", () => {
    expect(
      differenceText({ first: "runs/a", second: "runs/b", unlike: "they tell different classes apart" }),
    ).toBe("a and b are not ranked: they tell different classes apart.");
    const unlike = (second: string, why: string) => ({
      first: "runs/a",
      second: `runs/${second}`,
      unlike: why,
    });
    expect(differencesText([unlike("b", "x"), unlike("c", "y"), unlike("d", "x"), unlike("e", "x")])).toBe(
      "a is not ranked beside b, d or e: x.\n\na and c are not ranked: y.",
    );
  });

  test("and losses in deviations of other training rows are brought to the same ones", () => {
    const other = { ...number, deviation: 6 };
    expect(lossFactor(plain, plain)).toBe(1);
    expect(lossFactor(asked({}, number), asked({}, other))).toBe(9);
    const [a, b] = [number, other].map((target) => asked({}, target, { loss: "absolute-error" }));
    expect(lossFactor(a, b)).toBe(3);
    const [c, d] = [number, other].map((target) => asked({}, target, { loss: "huber" }));
    expect(lossFactor(c, d)).toBeUndefined();
  });
});

describe("runs compared", () => {
  const at = (name: string) => join(folder, name);
  const compared = async (first: string, second: string): Promise<Compared> => {
    const found = await compareRuns(at(first), at(second));
    if ("unlike" in found) throw new Error(found.unlike);
    return found;
  };
  beforeAll(async () => {
    for (const [name, steps, more] of [
      ["long", 60, []],
      ["short", 2, []],
      ["elsewhere", 60, [{ key: "data.seed", value: "8" }]],
      ["validated", 60, [{ key: "data.validation", value: "0.2" }]],
      ["otherwise", 60, [{ key: "requirements.false alarms.metric", value: "error" }]],
    ] as const)
      await trainInFolder(
        readSpec(spec, [{ key: "budget.steps", value: String(steps) }, ...more]),
        options(name),
      );
  });

  test("the one that learnt longer is better beyond chance, by the rows of both", async () => {
    const found = await compared("short", "long");
    const [a, b] = ["short", "long"].map((name) => finishedRun(at(name)).report.test);
    expect(found).toMatchObject({ paired: true, rows: 120, better: at("long"), by: "loss" });
    expect(found.loss.value).toBeCloseTo(b.loss.value - a.loss.value, 6);
    expect(found.error!.value).toBeCloseTo(b.error!.value - a.error!.value, 6);
    const { first, second } = found.error!.rows!;
    expect((second - first) / 120).toBeCloseTo(found.error!.value, 6);
    expect(differenceText(found)).toMatch(
      /^"long" has the lower loss on test rows, by 0\.\d+ \(.*\), a significant difference\. Hard requirements do not decide between the two\./,
    );
    expect(differenceText(found)).toMatch(
      /Both runs were tested on the same 120 rows, and are compared row by row\.$/,
    );
  });

  test("a run is not better than itself", async () => {
    const found = await compared("long", "long");
    expect(found.better).toBeUndefined();
    expect(found.loss).toMatchObject({ value: 0, beyondChance: false });
    expect(differenceText(found)).toMatch(/^Neither run is significantly better/);
  });

  test("the same test rows are paired, whatever the other rows are for and in whatever order they stand", async () => {
    const found = await compared("long", "validated");
    expect(found).toMatchObject({ paired: true, rows: 120 });
    const file = join(at("validated"), "rows.csv");
    const [head, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
    const asked = finishedRun(at("long")).asked;
    writeFileSync(file, [head, ...lines.reverse(), ""].join("\n"));
    const places = sameTestRows({ folder: at("long"), asked }, { folder: at("validated"), asked });
    expect(places).toEqual(Array.from({ length: 120 }, (_, i) => 119 - i));
  });

  test("on different rows the intervals of the reports are compared", async () => {
    const found = await compared("long", "elsewhere");
    expect(found).toMatchObject({ paired: false, because: "they were tested on different rows" });
    const [a, b] = ["long", "elsewhere"].map((name) => finishedRun(at(name)).report.test.loss);
    expect(found.loss.value).toBeCloseTo(b.value - a.value, 12);
    expect(found.loss.interval![0]).toBeLessThan(found.loss.value);
  });

  test("requirements with one name and different metrics are not paired, and the text says so", async () => {
    const found = await compared("long", "otherwise");
    expect(found.others).toEqual({ "false alarms": ["metric false-positive-rate", "metric error"] });
    expect(Object.keys(found.requirements)).not.toContain("false alarms");
    expect(differenceText(found)).toMatch(
      /^false alarms is not compared, because it asks for different things: metric false-positive-rate in long, metric error in otherwise\.$/m,
    );
    const runs = ["long", "otherwise"].map((name) => ({ run: at(name), ...finishedRun(at(name)).report }));
    expect(compareText(runs)).toMatch(
      /^false alarms \(false positive rate\) .*\nlong .*\notherwise +not asked /m,
    );
    expect(compareText(runs)).toMatch(/^false alarms \(error\) .*\nlong +not asked .*\notherwise +at most /m);
    // A hard requirement of one run says nothing about the other.
    const hard = runs.map(({ run, ...report }) => ({
      folder: run,
      report: {
        ...report,
        requirements: { "false alarms": { ...report.requirements["false alarms"], hard: true, level: 0 } },
      },
    }));
    const { others, loss } = found;
    expect(betterOf(hard, { loss, requirements: {}, others }).missed).toBeUndefined();
  });

  test("where the data changed since, too", async () => {
    appendFileSync(join(folder, "loans.csv"), "9999,A,30,0.4,2.5,1,600,home,no\n");
    const found = await compared("short", "long");
    expect(found.paired).toBe(false);
    expect(found.because).toMatch(/the data of .*short changed since it was trained/);
  });
});
