// A study of many runs, and a run with many held-out rows, made up to be shown.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsLine, report } from "./long-run.js";

/** A number in [0, 1) by a place, the same every time. */
const noise = (at: number): number => {
  const x = Math.sin(at * 127.1) * 43_758.5453;
  return x - Math.floor(x);
};

function writeRun(folder: string, asked: object, answer: object): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "run.json"), JSON.stringify({ command: "train", device: "cpu", ...asked }));
  writeFileSync(join(folder, "report.json"), JSON.stringify(answer));
  writeFileSync(join(folder, "metrics.jsonl"), metricsLine(0));
  return folder;
}

/** Ten costs with ten seeds each, and so on: tells the name of the study. */
export function writeStudy(runs: string, count: number): string {
  for (let i = 0; i < count; i++) {
    const [cost, seed] = [2 ** Math.floor(i / 10), (i % 10) + 1];
    const loss = 0.3 + 0.05 * noise(i);
    const test = { loss: { value: loss, interval: [loss - 0.02, loss + 0.02] } };
    const asked = {
      name: `study, cost × ${cost}, seed ${seed}`,
      seed,
      spec: { seed, cost: `quadratic(${cost})` },
      sweep: { parameter: "cost", value: cost, group: `study-cost-seed-${seed}` },
      started: new Date(1.7e12 + 1000 * i).toISOString(),
    };
    writeRun(join(runs, `study-cost-${cost}-seed-${seed}`), asked, { ...report(1000 + i), test });
  }
  return "study-cost";
}

/** A run with so many rows in two groups; tells its name. */
export function writeHeldOut(runs: string, rows: number): string {
  const folder = writeRun(join(runs, "model"), { name: "model" }, report(1000));
  const at = Array.from({ length: rows }, (_, i) => i);
  const probability = at.map((i) => Number(noise(i).toPrecision(7)));
  const held = {
    rows,
    of: "validation",
    score: probability.map((p) => Number(Math.log((p + 1e-6) / (1 - p + 1e-6)).toPrecision(7))),
    probability,
    target: at.map((i) => (noise(i + 0.5) < probability[i] ? 1 : 0)),
    groups: { group: at.map((i) => i % 2) },
    values: { group: ["A", "B"] },
    threshold: 0,
    importance: [],
    effects: [],
  };
  writeFileSync(join(folder, "held-out.json"), JSON.stringify(held));
  return "model";
}
