// What tells runs of one title apart.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { labelsOf } from "../page/src/lib/names.js";
import { apartFrom, differences } from "../src/differences.js";
import { runsIn } from "../src/runs.js";
import { temporaryFolder, writeRun } from "./fixtures.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const spec = {
  name: "loans",
  cost: "quadratic(2)",
  requirements: { missed: { level: 0.1 }, alarms: { level: 0.2 } },
};

test("differences are the settings that are not the same everywhere", () => {
  const other = { ...spec, cost: "hard", requirements: { missed: { level: 0.1, hard: ["B", "C"] } } };
  expect(differences([spec, spec])).toEqual([]);
  expect(differences([spec, other])).toEqual([
    { path: ["cost"], values: ["quadratic(2)", "hard"] },
    { path: ["requirements", "alarms", "level"], values: ["0.2", undefined] },
    { path: ["requirements", "missed", "hard"], values: [undefined, "B, C"] },
  ]);
  expect(apartFrom(other, spec)).toBe("cost hard, hard B, C, no level");
});

test("keys that are the same are said with their paths; name, seed and data are said elsewhere", () => {
  const other = {
    ...spec,
    name: "x",
    seed: 4,
    data: { file: "y" },
    requirements: { missed: { level: 0.3 }, alarms: { level: 0.4 } },
  };
  expect(apartFrom(other, spec)).toBe("missed level 0.3, alarms level 0.4");
});

test("specs that differ in many settings are compared by section, not setting by setting", () => {
  const model = { kind: "mlp", hidden: [8], activation: "tanh" };
  const other = { ...spec, cost: "hard", model, requirements: { errors: { level: 0.2, metric: "error" } } };
  expect(apartFrom(other, { ...spec, model: { kind: "linear" } })).toBe(
    "cost hard, other requirements, another model",
  );
  // As long as they are few, each is named.
  expect(apartFrom({ ...spec, model }, { ...spec, model: { kind: "linear" } })).toBe(
    "kind mlp, hidden 8, activation tanh",
  );
});

test("runs of one title are labelled by how they differ from the first that was started", async () => {
  mkdirSync(join(folder.path, "runs"));
  const runs = join(folder.path, "runs");
  const write = (name: string, at: number, more: object) =>
    writeRun(runs, name, { started: new Date(at), more: { name: "loans", ...more } });
  write("b", 1000, { spec });
  write("a", 2000, { spec: { ...spec, cost: "hard" } });
  write("c", 3000, { spec, seed: 2 });
  write("d", 4000, { spec: { ...spec, cost: "free" }, name: "other" });
  const list = await runsIn(runs, { shared: false }).list();
  const apart = Object.fromEntries(list.map((run) => [run.name, run.apart]));
  expect(apart).toEqual({ a: "cost hard", b: null, c: null, d: null });
  expect(Object.fromEntries(labelsOf(list))).toEqual({
    a: "loans, cost hard",
    b: "loans, seed 1",
    c: "loans, seed 2",
    d: "other",
  });
  // One that is looked at alone is told apart as it is in the list, a new one and one of another title too.
  const all = runsIn(runs, { shared: false });
  const alone = async (name: string) => (await all.detail(name)).summary.apart;
  expect(await Promise.all(["a", "b", "c", "d"].map(alone))).toEqual(["cost hard", null, null, null]);
  write("e", 5000, { spec: { ...spec, cost: "linear" } });
  expect(await alone("e")).toBe("cost linear");
  await all.note("d", { title: "loans" });
  expect(await alone("d")).toBe("cost free");
});
