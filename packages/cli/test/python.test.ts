// The Python programs in the documentation, run by Python: reading a run's files, and an exported model on raw rows.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { random } from "@pliant/engine";
import type { Prediction } from "@pliant/train";
import { beforeAll, expect, test } from "vitest";
import { exportCommand } from "../src/training/export.js";
import { predictCommand } from "../src/training/predict.js";
import { trainCommand } from "../src/training/train.js";
import { smallLoans } from "./fixtures/loans.js";
import { printed } from "./fixtures/output.js";

const python = process.env.PLIANT_PYTHON ?? "python3";
const has = (modules: string): boolean =>
  spawnSync(python, ["-c", `import ${modules}`], { stdio: "ignore" }).status === 0;

const documentation = readFileSync(fileURLToPath(new URL("../../../docs/spec.md", import.meta.url)), "utf8");
const [reading, asking] = [...documentation.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code]) => code);

function inPython(code: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(python, ["-c", code, ...args], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

const { folder, spec, csv } = smallLoans({ rows: 400 });
const run = join(folder, "run");
beforeAll(() =>
  printed(() =>
    trainCommand([
      ...[spec, "--out", run, "--no-insist", "--set", "budget.steps=60"],
      ...["--set", "model={ kind: linear }", "--set", "decision.threshold=learnt"],
    ]),
  ),
);

test("ten lines read a run", ({ skip }) => {
  if (!has("json")) skip("There is no python3 here.");
  expect(reading.trim().split("\n").length).toBeLessThanOrEqual(12);
  const { certificate, steps, requirements } = JSON.parse(readFileSync(join(run, "report.json"), "utf8"));
  const [verdict, ...lines] = inPython(reading, run).trim().split("\n");
  expect(verdict).toBe(`${certificate.holds ? "certified" : "not certified"} after ${steps} steps`);
  for (const [i, name] of Object.keys(requirements).entries()) {
    const { sense, level, test: outcome, price, unsettled, decidedOn } = requirements[name];
    expect(unsettled === true).toBe(!certificate.holds && !decidedOn);
    const [, asked, found, priced] = new RegExp(`^.* asked ${sense} (\\S+) test (\\S+) price (\\S+)$`).exec(
      lines[i],
    )!;
    expect(lines[i].startsWith(`${name} asked`)).toBe(true);
    expect([asked, found].map(Number)).toEqual([level, outcome.strict.value]);
    expect(priced).toBe(unsettled ? "unknown" : String(price));
  }
  const curve = JSON.parse(lines[lines.length - 1].replace("objective ", ""));
  expect(curve).toHaveLength(Math.ceil(steps / 25));
});

test("an exported model predicts like pliant predict on raw rows, with texts and missing and unknown values", async ({
  skip,
}) => {
  if (!has("onnxruntime, numpy")) skip(`${python} has no onnxruntime; PLIANT_PYTHON names another.`);
  const model = join(folder, "model.onnx");
  await printed(() => exportCommand([run, model]));
  const rows = join(folder, "rows.csv");
  writeFileSync(rows, `${readFileSync(csv, "utf8")}401,A,,,,,,,\n402,C,30,0.4,2.5,1,600,yacht,no\n`);
  const found = JSON.parse(inPython(asking, model, rows));
  const { rows: expected } = JSON.parse(await printed(() => predictCommand([run, rows, "--json"])));
  expect(found.label).toHaveLength(402);
  for (const [i, row] of (expected as Extract<Prediction, { class: string }>[]).entries()) {
    for (const [k, p] of Object.values(row.probabilities).entries())
      expect(Math.abs(found.probabilities[i][k] - p)).toBeLessThan(1e-5);
    expect(found.label[i]).toBe(row.class);
  }
  // Decisions at a threshold that was learnt, which is not 0.5.
  const answered = expected as Extract<Prediction, { class: string }>[];
  expect(answered.some((row) => (row.class === "yes") !== row.probabilities.yes > 0.5)).toBe(true);
});

/** Rows of groups A and B with gaps in both kinds of columns; the answer follows x and the town, in B more often yes. */
function mixedRows(classes: readonly string[]): string {
  const z = random.normal(random.key(5), [600, 3]).data;
  const lines = Array.from({ length: 600 }, (_, i) => {
    const [x, e, h] = [z[3 * i], z[3 * i + 1], z[3 * i + 2]];
    const [group, town] = [i % 3 === 0 ? "B" : "A", ["Lund", "Turku", "Bergen"][(i % 5) % 3]];
    const score = x + 0.8 * e + (group === "B" ? 0.7 : 0) + (town === "Turku" ? 0.5 : 0);
    const y =
      classes[Math.max(0, Math.min(classes.length - 1, Math.floor((score + 1.5) / (3 / classes.length))))];
    return `${h > 1.6 ? "" : x.toFixed(3)},${h < -1.6 ? "" : town},${group},${y}`;
  });
  return ["x,town,group,y", ...lines, ""].join("\n");
}

/** A column may be empty, a town unknown, and a group one that no threshold was learnt for. */
const strange = ["1.2,Oslo,A,", ",,A,", "-0.4,Lund,C,", ",Oslo,,", ""].join("\n");

test.for([
  {
    name: "thresholds by group",
    classes: ["no", "yes"],
    asks: "parity: { metric: demographic-parity, by: group, level: 0.05 }",
    decision: "decision: { threshold: by group, by: group }\n",
  },
  {
    name: "offsets of three classes",
    classes: ["green", "amber", "red"],
    asks: "missed red: { metric: false-negative-rate, class: red, level: 0.2 }",
    decision: "",
  },
])(
  "$name give the decisions of predict, missing and unseen values among the rows",
  async ({ name, classes, asks, decision }, { skip }) => {
    if (!has("onnxruntime, numpy")) skip(`${python} has no onnxruntime; PLIANT_PYTHON names another.`);
    const file = (ending: string): string => join(folder, `${name.replaceAll(" ", "-")}${ending}`);
    writeFileSync(file(".csv"), mixedRows(classes));
    writeFileSync(
      file(".yaml"),
      `data: { file: ${name.replaceAll(" ", "-")}.csv, target: y, columns: { group: group } }\nmodel: { kind: linear }\nrequirements: { ${asks} }\n${decision}`,
    );
    await printed(() => trainCommand([file(".yaml"), "--out", file(""), "--no-insist"]));
    await printed(() => exportCommand([file(""), file(".onnx")]));
    const learnt = JSON.parse(readFileSync(join(file(""), "decision.json"), "utf8"));
    if (classes.length === 2) expect(new Set(Object.values(learnt.by.thresholds)).size).toBe(2);
    else expect(Math.max(...learnt.offsets.map(Math.abs))).toBeGreaterThan(0.1);
    writeFileSync(file("-asked.csv"), mixedRows(classes) + strange);
    const found = JSON.parse(inPython(asking, file(".onnx"), file("-asked.csv")));
    const { rows } = JSON.parse(
      await printed(() => predictCommand([file(""), file("-asked.csv"), "--json"])),
    );
    const expected = rows as Extract<Prediction, { class: string }>[];
    expect(found.label).toHaveLength(604);
    expect(found.label).toEqual(expected.map((row) => row.class));
    const off = expected.flatMap((row, i) =>
      Object.values(row.probabilities).map((p, k) => Math.abs(found.probabilities[i][k] - p)),
    );
    expect(off).toHaveLength(604 * classes.length);
    expect(Math.max(...off)).toBeLessThan(1e-5);
    // A model at its likeliest class would decide otherwise about some of them.
    const likeliest = (row: (typeof expected)[number]): string =>
      Object.entries(row.probabilities).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    expect(expected.some((row) => row.class !== likeliest(row))).toBe(true);
  },
);

test("dates are passed as they are written", async ({ skip }) => {
  if (!has("onnxruntime, numpy")) skip(`${python} has no onnxruntime; PLIANT_PYTHON names another.`);
  const rows = Array.from({ length: 60 }, (_, i) => {
    const day = new Date(Date.UTC(2023, 0, 1 + 9 * i)).toISOString().slice(0, 10);
    return `${i % 7 === 3 ? "" : day},${i / 10 - 3}e-1,${i % 3 === 0 || i > 40 ? "yes" : "no"}`;
  });
  const file = join(folder, "dated.csv");
  writeFileSync(file, `seen,x,y\n${rows.join("\n")}\n`);
  const dated = join(folder, "dated.yaml");
  writeFileSync(
    dated,
    "data: { file: dated.csv, target: y }\nrequirements: { watched: { metric: loss, level: 1, cost: free } }\nbudget: { steps: 20 }\n",
  );
  const [out, model] = [join(folder, "dated"), join(folder, "dated.onnx")];
  await printed(() => trainCommand([dated, "--out", out, "--no-insist"]));
  await printed(() => exportCommand([out, model]));
  expect(JSON.parse(readFileSync(join(folder, "dated.json"), "utf8")).inputs[0]).toMatchObject({
    name: "seen",
    written: "date",
  });
  const found = JSON.parse(inPython(asking, model, file));
  const { rows: expected } = JSON.parse(await printed(() => predictCommand([out, file, "--json"])));
  for (const [i, row] of (expected as Extract<Prediction, { class: string }>[]).entries())
    for (const [k, p] of Object.values(row.probabilities).entries())
      expect(Math.abs(found.probabilities[i][k] - p)).toBeLessThan(1e-5);
});
