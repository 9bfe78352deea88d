// Every kind of requirement in one spec: the report on the test file, against counts of the answers of pliant predict.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { calibrationError } from "@pliant/learn";
import type { Outcome, Prediction, TrainReport } from "@pliant/train";
import { beforeAll, describe, expect, test } from "vitest";
import { predictCommand } from "../src/training/predict.js";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

interface Row {
  readonly dose: number;
  readonly age: number;
  readonly ward: string;
  readonly group: string;
  readonly ill: boolean;
}

/** Illness that follows a dose, more loosely in ward C. */
function rows(seed: number, n: number): Row[] {
  const noise = random.normal(random.key(seed), [n, 3]).data;
  return Array.from({ length: n }, (_, i) => {
    const ward = "ABC"[i % 3];
    const dose = noise[3 * i];
    return {
      dose,
      age: 50 + 10 * noise[3 * i + 1],
      ward,
      group: i % 4 === 0 ? "old" : "new",
      ill: dose + (ward === "C" ? 1.5 : 0.4) * noise[3 * i + 2] > 0,
    };
  });
}

const csv = (list: readonly Row[]): string =>
  `dose,age,ward,group,ill\n${list.map((r) => [r.dose.toFixed(3), r.age.toFixed(1), r.ward, r.group, r.ill ? "1" : "0"].join(",")).join("\n")}\n`;

const spec = `
data: { file: train.csv, test: test.csv, target: ill, columns: { group: group } }
model: { kind: mlp, hidden: [6], activation: relu }
requirements:
  misses: { metric: false-negative-rate, by: ward, level: overall + 0.02 }
  alarms gap: { metric: false-positive-rate, by: group, gap: true, level: 0.05 }
  treated: { metric: positive-rate, level: [0.3, 0.7] }
  honest: { metric: calibration-error, level: 0.05 }
  wrong by outcome: { metric: error, by: ill, level: 0.2 }
  steady: { metric: loss, under: { noise: 0.3, draws: 3, columns: [dose] }, level: overall * 1.2 }
  rising: { metric: monotonicity, column: dose, level: 0, cost: linear(1) }
  gentle: { metric: slope, column: age, level: 0.1 }
  small: { metric: size, level: 4, cost: "huber(1, 0.5)" }
  margins: { metric: margin, level: 0.5, cost: free }
  margins by group: { metric: margin, by: group, level: overall - 0.5, cost: free }
cost: maximum(1)
decision: { threshold: 0.5 }
budget: { epochs: 30, batch: 60, optimizer: adam, schedule: cosine, clip: 5 }
`;

const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

describe("every kind of requirement", () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  const run = join(folder, "run");
  const test_ = rows(2, 180);
  let report: TrainReport;
  let yes: number[];
  let chosen: boolean[];
  beforeAll(async () => {
    writeFileSync(join(folder, "train.csv"), csv(rows(1, 300)));
    writeFileSync(join(folder, "test.csv"), csv(test_));
    writeFileSync(join(folder, "spec.yaml"), spec);
    report = JSON.parse(
      await printed(() =>
        trainCommand([join(folder, "spec.yaml"), "--device", "cpu", "--out", run, "--json", "--no-insist"]),
      ),
    );
    const { rows: found } = JSON.parse(
      await printed(() => predictCommand([run, join(folder, "test.csv"), "--json"])),
    ) as { rows: Extract<Prediction, { class: string }>[] };
    yes = found.map(({ probabilities }) => probabilities["1"]);
    chosen = found.map((row) => row.class === "1");
  }, 120_000);

  const outcome = (name: string): Outcome => report.requirements[name].test!;
  const missRate = (of: (r: Row) => boolean): number =>
    mean(test_.flatMap((r, i) => (r.ill && of(r) ? [Number(!chosen[i])] : [])));
  const alarmRate = (of: (r: Row) => boolean): number =>
    mean(test_.flatMap((r, i) => (!r.ill && of(r) ? [Number(chosen[i])] : [])));

  test("has one entry per group, with separate prices", () => {
    expect(Object.keys(report.requirements)).toEqual([
      ...["A", "B", "C"].map((ward) => `misses [ward=${ward}]`),
      ...["new", "old"].map((group) => `alarms gap [group=${group}]`),
      "treated, at least 0.3",
      "treated, at most 0.7",
      "honest",
      ...["0", "1"].map((ill) => `wrong by outcome [ill=${ill}]`),
      "steady",
      "rising",
      "gentle",
      "small",
      "margins",
      ...["new", "old"].map((group) => `margins by group [group=${group}]`),
    ]);
  });

  test("rates count predictions, and a relative level is the overall rate plus its margin", () => {
    for (const ward of ["A", "B", "C"]) {
      const { strict, asked } = outcome(`misses [ward=${ward}]`);
      expect(strict.value).toBeCloseTo(
        missRate((r) => r.ward === ward),
        6,
      );
      expect(asked!.strict).toBeCloseTo(missRate(() => true) + 0.02, 6);
    }
    // Strictly a margin is an error, of which its level says nothing.
    expect(outcome("margins by group [group=old]").asked).toEqual({
      surrogate: expect.closeTo(outcome("margins").surrogate - 0.5, 5),
    });
    for (const side of ["at least 0.3", "at most 0.7"])
      expect(outcome(`treated, ${side}`).strict.value).toBeCloseTo(mean(chosen.map(Number)), 6);
    // The surrogate of a count is above the count.
    const bits = (p: number): number => -Math.log2(p);
    expect(outcome("treated, at most 0.7").surrogate).toBeCloseTo(mean(yes.map((p) => bits(1 - p))), 3);
    expect(outcome("treated, at least 0.3").surrogate).toBeCloseTo(1 - mean(yes.map(bits)), 3);
    expect(report.test.error!.value).toBeCloseTo(mean(test_.map((r, i) => Number(r.ill !== chosen[i]))), 6);
    expect(outcome("wrong by outcome [ill=1]").strict.value).toBeCloseTo(
      missRate(() => true),
      6,
    );
  });

  test("a gap is one group's rate minus that of the rest, with an interval", () => {
    const [fresh, old] = ["new", "old"].map((group) => outcome(`alarms gap [group=${group}]`).strict);
    const gap = alarmRate((r) => r.group === "new") - alarmRate((r) => r.group === "old");
    expect(fresh.value).toBeCloseTo(gap, 6);
    expect(old.value).toBeCloseTo(-gap, 6);
    expect(fresh.interval![0]).toBeLessThan(gap);
    expect(fresh.interval![1]).toBeCloseTo(-old.interval![0], 6);
    expect(report.requirements["alarms gap [group=new]"].strictly).toBe("gap in false positive rate");
  });

  test("calibration, slopes and sizes", () => {
    expect(outcome("honest").strict.value).toBeCloseTo(
      calibrationError(
        yes,
        test_.map((r) => r.ill),
      ),
      3,
    );
    const { train, test: there } = report.requirements.small;
    expect(there!.strict.value).toBeCloseTo(train!.strict.value, 6);
    expect(outcome("gentle").strict.value).toBeGreaterThanOrEqual(outcome("gentle").surrogate - 1e-3);
    expect(report.requirements.margins.price).toBe(0);
  });

  test("under noise the metric is that of perturbed copies, and overall that of the examples", () => {
    const { surrogate, asked } = outcome("steady");
    expect(asked!.surrogate).toBeCloseTo(1.2 * report.test.loss.value, 5);
    expect(surrogate).not.toBeCloseTo(report.test.loss.value, 6);
  });

  test("the report states a relative level in words and numbers", async () => {
    const text = await printed(() =>
      trainCommand([join(run, "spec.yaml"), "--out", run, "--resume", "--no-insist"]),
    );
    expect(text).toMatch(
      /misses \[ward=C\]: .* \(asked at most overall \+ 0\.02 \(0\.\d+\), reached 0\.\d+\)\. The run is not certified\./,
    );
    expect(text).toMatch(/^steady +at most overall × 1\.2 /m);
    const lines = readFileSync(join(run, "metrics.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(lines.at(-1)!).step).toBe(150);
  });
});

test("images and three classes or more: requirements by class and under transforms", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  writeFileSync(
    join(folder, "spec.yaml"),
    `
data: { dataset: strokes, limit: { train: 120, test: 60 } }
model: { kind: lenet }
requirements:
  ones missed: { metric: false-negative-rate, class: 1, level: 0.2 }
  turned: { metric: error, under: { rotation: 20, scale: [0.9, 1.1], translation: 0.05 }, level: overall + 0.05 }
  each digit: { metric: loss, by: label, level: overall * 1.5 }
budget: { steps: 8, optimizer: adam, batch: 60 }
`,
  );
  const report: TrainReport = JSON.parse(
    await printed(() =>
      trainCommand([join(folder, "spec.yaml"), "--device", "cpu", "--out", join(folder, "run"), "--json"]),
    ),
  );
  expect(Object.keys(report.requirements)).toHaveLength(12);
  expect(report.test.examples).toBe(60);
  expect(report.requirements.turned.test!.strict.interval).toHaveLength(2);
  expect(report.requirements["each digit [label=7]"].train!.asked!.surrogate).toBeCloseTo(
    1.5 * report.train.loss.value,
    4,
  );
});
