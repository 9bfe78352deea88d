// What the page on migrating quotes: both programs of Pliant come to what is recorded, and the first to what Newton's method finds.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSpec, trainInFolder } from "@pliant/train";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { migratingRows } from "../bench/migrating/rows.js";
import { part, type Table } from "../bench/table.js";

const bench = join(import.meta.dirname, "../bench");
const { programs } = JSON.parse(readFileSync(join(bench, "records/migrating.json"), "utf8")) as {
  programs: { program: string; said: string }[];
};
const numbers = (said: string): number[] => [...said.matchAll(/\d+\.\d+/g)].map(([n]) => Number(n));
const recorded = (program: string): number[] =>
  numbers(programs.find((each) => each.program === program)!.said);

const [here, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), "pliant-migrating-"))];
let rows: Table;
beforeAll(() => {
  rows = migratingRows(folder);
});
afterEach(() => {
  process.chdir(here);
  vi.restoreAllMocks();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The solution of A x = c, by elimination. */
function solved(A: number[][], c: number[]): number[] {
  const rows = A.map((row, i) => [...row, c[i]]);
  for (let i = 0; i < rows.length; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      const factor = rows[j][i] / rows[i][i];
      rows[j] = rows[j].map((v, k) => v - factor * rows[i][k]);
    }
  }
  const x = new Array<number>(rows.length).fill(0);
  for (let i = rows.length - 1; i >= 0; i--)
    x[i] = (rows[i].at(-1)! - x.reduce((sum, v, j) => sum + (j > i ? rows[i][j] * v : 0), 0)) / rows[i][i];
  return x;
}

/** Loss and weights that minimise loss + price · ‖w‖², the bias last. */
function penalised(x: number[][], y: number[], price: number): { loss: number; w: number[] } {
  let w = [0, 0, 0, 0, 0];
  let loss = 0;
  for (let step = 0; step < 8; step++) {
    const g = w.map((v, j) => (j < 4 ? 2 * price * v : 0));
    const H = w.map((_, j) => w.map((_, k) => (j === k && j < 4 ? 2 * price : 0)));
    loss = 0;
    for (const [i, row] of x.entries()) {
      const z = row.reduce((sum, v, j) => sum + v * w[j], 0);
      const p = 1 / (1 + Math.exp(-z));
      loss -= Math.log(y[i] ? p : 1 - p) / x.length;
      for (let j = 0; j < 5; j++) {
        g[j] += ((p - y[i]) * row[j]) / x.length;
        for (let k = 0; k < 5; k++) H[j][k] += (p * (1 - p) * row[j] * row[k]) / x.length;
      }
    }
    const d = solved(H, g);
    w = w.map((v, j) => v - d[j]);
  }
  return { loss, w };
}

test("the regression reaches the recorded loss and price, those of Newton's method", async () => {
  process.chdir(folder);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import("../bench/migrating/bounded.js");
  const [loss, length, price] = numbers(log.mock.calls[0][0]);
  const learnt = part(rows, 0, 4000);
  const x = Array.from({ length: 4000 }, (_, i) => [
    ...["x1", "x2", "x3", "x4"].map((name) => Number(learnt[name][i])),
    1,
  ]);
  const y = learnt.y.map(Number);
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i++) {
    const middle = (low + high) / 2;
    const { w } = penalised(x, y, middle);
    if (w.slice(0, 4).reduce((sum, v) => sum + v * v, 0) > 1) low = middle;
    else high = middle;
  }
  expect(Math.abs(loss - penalised(x, y, low).loss)).toBeLessThan(1e-3);
  expect(Math.abs(length - 1)).toBeLessThan(1e-3);
  expect(Math.abs(price / low - 1)).toBeLessThan(0.02);
  for (const name of ["bounded.ts", "bounded_cooper.py"])
    for (const [i, each] of [loss, length, price].entries())
      expect(Math.abs(each - recorded(name)[i]), name).toBeLessThan(1e-3);
});

test("the spec reaches the recorded gap and errors", async () => {
  copyFileSync(join(bench, "migrating/parity.yaml"), join(folder, "parity.yaml"));
  const { report } = await trainInFolder(readSpec(join(folder, "parity.yaml")), {
    name: "parity",
    out: join(folder, "run"),
    progress: { show: () => {}, end: () => {} },
  });
  expect(report.certificate.holds).toBe(true);
  const gaps = (["train", "test"] as const).map((part) =>
    Math.max(...Object.values(report.requirements).map((r) => Math.abs(r[part]!.strict.value))),
  );
  const found = [report.train.error!.value, gaps[0], report.test.error!.value, gaps[1]];
  for (const [i, each] of recorded("parity.yaml").entries())
    expect(Math.abs(found[i] - each)).toBeLessThan(0.003);
  expect(gaps[0]).toBeLessThanOrEqual(0.02 + 1 / 2000);
});
