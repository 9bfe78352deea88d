// python/pliant.py, run by Python where there is one: data frames in, reports, predictions and errors out.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtCommand } from "./fixtures/command.js";

const root = join(import.meta.dirname, "../../..");
const wrapper = join(root, "python/pliant.py");
const python = process.env.PLIANT_PYTHON ?? "python3";
const has = (modules: string): boolean =>
  spawnSync(python, ["-c", `import ${modules}`], { stdio: "ignore" }).status === 0;

const folder = mkdtempSync(join(tmpdir(), "pliant-python-"));
let main: string;
beforeAll(async () => {
  main = await builtCommand();
  cpSync(join(root, "examples/tumours"), folder, { recursive: true });
  cpSync(wrapper, join(folder, "pliant.py"));
});

function inPython(code: string): string[] {
  const { status, stdout, stderr } = spawnSync(python, ["-c", code], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PLIANT_COMMAND: `"${process.execPath}" "${main}"` },
  });
  expect(status, stderr).toBe(0);
  return stdout.trim().split("\n");
}

test("the wrapper is short enough to read", () => {
  expect(readFileSync(wrapper, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(100);
});

test("it trains a run, reads prices, predicts rows and insists on a level", ({ skip }) => {
  if (!has("json")) skip("There is no Python here.");
  const [names, rows, insisted] = inPython(`
import json, pliant
run = pliant.train("spec.yaml", "--no-insist", out="run")
print(json.dumps(sorted(run.prices())))
print(len(run.predict("tumours.csv")))
print(run.insist("missed tumours")["name"])
`);
  expect(JSON.parse(names)).toEqual(["false alarms", "missed tumours"]);
  expect(rows).toBe("569");
  expect(insisted).toBe("missed tumours");
});

test("a mistake raises an exception with the command's message, kind and exit code", ({ skip }) => {
  if (!has("json")) skip("There is no Python here.");
  const [line] = inPython(`
import pliant
try:
    pliant.train("none.yaml")
except pliant.PliantError as error:
    print(error.kind, error.exit, error)
`);
  expect(line).toMatch(/^usage 2 .*none\.yaml/);
});

test("it trains on a data frame and predicts one", ({ skip }) => {
  if (!has("pandas")) skip("Python has no pandas here.");
  const [certified, rows] = inPython(`
import pandas, pliant
frame = pandas.read_csv("tumours.csv")
run = pliant.train("spec.yaml", "--no-insist", table=frame, out="frame")
print(run.certified in (True, False))
print(len(run.predict(frame.head(3))))
`);
  expect([certified, rows]).toEqual(["True", "3"]);
});

test("examples/tumours is scikit-learn's table", ({ skip }) => {
  if (!has("sklearn, pandas")) skip("Python has no scikit-learn here.");
  const [same] = inPython(`
import pandas
from sklearn.datasets import load_breast_cancer
frame = load_breast_cancer(as_frame=True).frame
ours = pandas.read_csv("tumours.csv")
ours["target"] = (ours.pop("diagnosis") == "benign").astype(int)
print(ours.rename(columns=lambda name: name.replace("_", " ")).equals(frame))
`);
  expect(same).toBe("True");
});
