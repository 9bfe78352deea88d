// Printed costs of neighbouring levels and of insisting, beside runs that were trained at those levels.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { expect, test } from "vitest";
import type { TrainReport } from "../src/report/report.js";
import { trainInFolder } from "../src/run/run.js";
import { readSpec } from "../src/spec/spec-file.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-neighbours-"));
const rows = 2400;
const z = random.normal(random.key(11), [rows, 3]).data;
const lines = Array.from({ length: rows }, (_, i) => {
  const [a, b, e] = [0, 1, 2].map((k) => z[3 * i + k]);
  return `${a.toFixed(3)},${b.toFixed(3)},${a - 0.7 * b + e > 0.3 ? "yes" : "no"}`;
});
writeFileSync(join(folder, "rows.csv"), ["a,b,y", ...lines, ""].join("\n"));

async function asked(requirements: string): Promise<TrainReport> {
  const name = String(Math.random()).slice(2);
  const spec = join(folder, `${name}.yaml`);
  // A decay that is given is not chosen anew in every run.
  writeFileSync(
    spec,
    `data: { file: rows.csv, target: y, positive: yes }\nmodel: { kind: linear }\nobjective: { decay: 0.001 }\nrequirements: ${requirements}\n`,
  );
  const { report } = await trainInFolder(readSpec(spec), {
    ...{ name, out: join(folder, name), device: "cpu", insist: true },
    progress: { show: () => {}, end: () => {} },
  });
  return report;
}

/** Levels at which each rate binds. */
const cases: [metric: string, from: number][] = [
  ["false-negative-rate", 14],
  ["false-positive-rate", 4],
];

test.each(cases)(
  "%s: seven levels, looser and tighter, cost what neighbouring runs pay",
  async (metric, from) => {
    const levels = Array.from({ length: 7 }, (_, i) => (from + i) / 100);
    const at = new Map<string, TrainReport>();
    const run = async (level: number): Promise<TrainReport> => {
      const key = level.toFixed(2);
      const known =
        at.get(key) ?? (await asked(`{ rate: { metric: ${metric}, level: ${key}, hard: true } }`));
      at.set(key, known);
      return known;
    };
    let compared = 0;
    for (const level of levels) {
      const own = await run(level);
      const { neighbours } = own.requirements.rate;
      if (!neighbours) continue;
      for (const side of ["tighter", "looser"] as const) {
        const printed = neighbours[side];
        if (printed === undefined) continue;
        const other = await run(level + (side === "looser" ? 1 : -1) * neighbours.unit.size);
        const paid = other.decision!.cost - own.decision!.cost;
        expect(side === "tighter" ? paid : -paid).toBeCloseTo(printed, 9);
        expect(other.decision!.loss).toBeCloseTo(own.decision!.loss, 6);
        compared++;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(12);
  },
);

test.each([0.02, 0.05, 0.08, 0.1])(
  "insisting on misses ≤ %d costs what a run pays in which it is hard",
  async (level) => {
    const rate = `metric: false-negative-rate, level: ${level}`;
    const own = await asked(`{ rate: { ${rate} } }`);
    const { insisting } = own.requirements.rate;
    expect(own.requirements.rate.status).toBe("gave way");
    const hard = await asked(`{ rate: { ${rate}, hard: true } }`);
    expect(hard.decision!.cost - own.decision!.cost).toBeCloseTo(insisting!.costs, 9);
  },
);
