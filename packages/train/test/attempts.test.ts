// Runs that begin again with more decay: which of them is handed back, what is overfitted beyond chance, and what folders then hold.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { finishedRun, readSpec, trainInFolder } from "@pliant/train";
import { describe, expect, test } from "vitest";
import type { Examples, Prepared } from "../src/data/examples.js";
import type { Capacity } from "../src/fit/capacity.js";
import { partings } from "../src/fit/generalisation-gap.js";
import type { Stated } from "../src/problem/stated.js";
import type { TrainReport } from "../src/report/report.js";

import { bestTry, meritOnValidation } from "../src/run/attempts.js";

const first: Capacity = { decay: 0.003, tried: [{ decay: 0.003, loss: 1 }] };

/** Attempts by decay: the result of each on the validation rows, and whether it was overfitted. */
async function searched(outcomes: Record<number, { value: number; overfitted: boolean; missed?: number }>) {
  const lines: string[] = [];
  const asked: number[] = [];
  const found = await bestTry(
    first,
    async (capacity) => {
      asked.push(capacity.decay);
      const { value, overfitted, missed = 0 } = outcomes[capacity.decay];
      return { capacity, overfitted, merit: { step: 25, missed, value } };
    },
    (line) => lines.push(line),
  );
  return { taken: found.capacity.decay, asked, lines };
}

describe("the best of several decays", () => {
  test("none follows one that does worse on the validation rows, and the best is taken, not the last", async () => {
    const found = await searched({
      0.003: { value: 0.9, overfitted: true },
      0.01: { value: 0.85, overfitted: true },
      0.03: { value: 1.1, overfitted: true },
    });
    expect(found.asked).toEqual([0.003, 0.01, 0.03]);
    expect(found.taken).toBe(0.01);
    expect(found.lines).toEqual([
      "overfitted with decay 0.003; again with 0.01",
      "overfitted with decay 0.01; again with 0.03",
      "decay 0.03 is no better on the validation rows; the model is that of decay 0.01",
    ]);
  });

  test("one that is not overfitted is taken where it costs little, not where it is ruined", async () => {
    const then = (value: number) =>
      searched({ 0.003: { value: 0.9, overfitted: true }, 0.01: { value, overfitted: false } });
    expect((await then(0.91)).taken).toBe(0.01);
    expect((await then(1.07)).taken).toBe(0.003);
  });

  test("hard requirements come before the loss", async () => {
    const found = await searched({
      0.003: { value: 0.5, overfitted: true, missed: 0.2 },
      0.01: { value: 0.9, overfitted: false },
    });
    expect(found.taken).toBe(0.01);
    const misses = await searched({
      0.003: { value: 0.9, overfitted: true },
      0.01: { value: 0.5, overfitted: false, missed: 0.2 },
    });
    expect(misses.taken).toBe(0.003);
  });

  test("the first is all where it is not overfitted", async () => {
    expect(await searched({ 0.003: { value: 0.9, overfitted: false } })).toEqual({
      taken: 0.003,
      asked: [0.003],
      lines: [],
    });
  });

  test("the decay in the objective and the training loss do not count", () => {
    const common = {
      sense: "at most",
      level: 0.1,
      cost: "quadratic(1)",
      hard: false,
      price: 1,
      allowance: 0,
    };
    const report = {
      steps: 50,
      objective: 7,
      validation: { loss: { value: 0.5 } },
      requirements: {
        counted: { ...common, pricedBy: "strict", reached: 0.3 },
        trained: { ...common, pricedBy: "loss", reached: 0.1, validation: { surrogate: 0.5 } },
      },
    } as unknown as TrainReport;
    const merit = meritOnValidation(report, "quadratic(1)");
    const without = meritOnValidation({ ...report, requirements: {} }, "quadratic(1)");
    expect(without.value).toBe(0.5);
    expect(merit.value - 0.5).toBeCloseTo(0.2 ** 2 + 0.4 ** 2, 12);
  });
});

describe("how far chance parts rows", () => {
  const of = (count: number) => ({ count, groups: {} }) as unknown as Examples;
  const prepared = { train: of(400), validation: of(100) } as Prepared;
  const rate = { name: "error", metric: { kind: "rate", level: "strict" } } as unknown as Stated;

  test("goes by how many they are, and by how many requirements are looked at", () => {
    const alone = partings([rate], prepared, 4).error(0.3).least;
    expect(alone).toBeCloseTo((1.96 / 2) * Math.sqrt(1 / 400 + 1 / 100), 12);
    const other = { ...rate, name: "other" };
    expect(partings([rate, other], prepared, 4).other(0.3).least / alone).toBeCloseTo(
      Math.sqrt(1 + (2 * Math.log(2)) / 1.96 ** 2),
      12,
    );
  });

  test("is that of the worst group itself, which its rate tells: one of few rows speaks for no other", () => {
    const groups = (a: number, b: number): Examples => {
      const cells = [...Array(a).fill("a"), ...Array(b).fill("b")];
      return { count: a + b, groups: { g: cells } } as unknown as Examples;
    };
    const parts = { train: groups(4000, 40), validation: groups(1000, 10) } as Prepared;
    const of = (value: string) => ({ column: "g", value });
    const worst = { ...rate, spec: {}, worst: [of("a"), of("b")] } as unknown as Stated;
    const { error } = partings([worst], parts, 4);
    const deviations = Math.sqrt(1.96 ** 2 + 2 * Math.log(2));
    const [large, small] = [1 / 4000 + 1 / 1000, 1 / 40 + 1 / 10].map((v) => (deviations / 2) * Math.sqrt(v));
    const found = error(Math.fround(0.123));
    expect(found.least).toBeCloseTo(large, 12);
    // Four parameters may know eight rows.
    expect(found.most).toBe(8 / 4000);
    // 3 of 10, or 300 of 1000: only the larger of both is known.
    expect(error(Math.fround(0.3)).least).toBeCloseTo(small, 12);
  });

  test("is not known of statistics, of what is counted on the training rows, and without validation rows", () => {
    const statistic = { ...rate, metric: { ...rate.metric, kind: "statistic" } } as Stated;
    expect(partings([statistic], prepared, 4)).toEqual({});
    expect(partings([{ ...rate, few: 3 }], prepared, 4)).toEqual({});
    expect(partings([rate], { ...prepared, validation: undefined }, 4)).toEqual({});
  });
});

describe("a run", () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-tries-"));

  /** Rows of three numbers; the class goes by them, as far as it does at all. */
  async function trained(name: string, { rows, classes, signal, seed }: Drawn, spec: string) {
    const [x, noise] = [0, 1].map(
      (stream) => random.normal(random.foldIn(random.key(seed), stream), [rows, 3]).data,
    );
    const lines = Array.from({ length: rows }, (_, i) => {
      const own = [0, 1, 2].map((j) => x[3 * i + j]);
      const z = signal * (own[0] + own[1]) + noise[3 * i];
      const k = classes.filter((_, j) => j > 0 && z > 1.4 * j - 1.4).length;
      return [...own.map((v) => v.toFixed(3)), classes[k]].join(",");
    });
    writeFileSync(join(folder, `${name}.csv`), ["a,b,c,class", ...lines, ""].join("\n"));
    writeFileSync(
      join(folder, `${name}.yaml`),
      `name: ${name}\ndata: { file: ${name}.csv, target: class, validation: 0.2 }\n${spec}`,
    );
    return again(name);
  }

  /** Trains or resumes it; `ends` names the words after which the process is killed. */
  async function again(
    name: string,
    { resume = false, out = join(folder, name), ends = (_: string): boolean => false } = {},
  ) {
    const told: string[] = [];
    const { report, state } = await trainInFolder(readSpec(join(folder, `${name}.yaml`), []), {
      ...{ name, out, resume },
      device: "cpu",
      insist: false,
      progress: {
        show: (line) => {
          told.push(line);
          if (ends(line)) throw new Error("ended");
        },
        end: () => {},
      },
    });
    return { report, state, out, overfitted: told.filter((line) => /overfitted|no better/.test(line)) };
  }

  interface Drawn {
    readonly rows: number;
    readonly classes: readonly string[];
    readonly signal: number;
    readonly seed: number;
  }

  test("with a linear model is not reported as overfitted because few rows make its calibration look worse", async () => {
    const { overfitted, report } = await trained(
      "linear",
      { rows: 600, classes: ["green", "amber", "red"], signal: 0.6, seed: 1 },
      `model: { kind: linear }
requirements:
  missed reds: { metric: false-negative-rate, class: red, level: 0.15 }
  false reds: { metric: false-positive-rate, class: red, level: 0.12 }
  calibrated: { metric: calibration-error, level: 0.03 }
cost: quadratic(2)
decision: { threshold: 0.5 }
budget: { steps: 200 }
`,
    );
    expect(overfitted).toEqual([]);
    expect(report.ranAway).toBeUndefined();
  });

  test("that does worse with more decay hands back the folder of the try before", async () => {
    const { overfitted, report, out, state } = await trained(
      "noise",
      { rows: 300, classes: ["no", "yes"], signal: 0.3, seed: 3 },
      `model: { kind: mlp, hidden: [32] }
requirements:
  missed: { metric: false-negative-rate, class: yes, level: 0.05 }
  wrong: { metric: false-positive-rate, class: yes, level: 0.05 }
cost: quadratic(50)
decision: { threshold: 0.5 }
budget: { steps: 600 }
`,
    );
    expect(overfitted).toEqual([
      "overfitted with decay 0.003; again with 0.01",
      "decay 0.01 is no better on the validation rows; the model is that of decay 0.003",
    ]);
    expect(report.decay).toBe(0.003);
    const { asked } = finishedRun(out);
    expect(asked.capacity.decay).toBe(report.decay);
    const steps = readFileSync(join(out, "metrics.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).step);
    expect(steps).toContain(state.step);
    // The suggested remedy was not tried.
    expect(report.decays).toEqual([0.003, 0.01]);
    const said = report.certificate.short.join("; ");
    expect(said).toContain(
      "a larger objective.decay was tried (0.01) and did not mend it; a smaller model or more rows may",
    );
    expect(said).not.toContain("may help");
  });

  test("that is stopped in its second attempt and resumed keeps the first", async () => {
    const out = join(folder, "ended");
    let left = Number.POSITIVE_INFINITY;
    const ends = (line: string): boolean => {
      if (line.startsWith("overfitted")) left = 2;
      return left-- <= 0;
    };
    await expect(again("noise", { out, ends })).rejects.toThrow("ended");
    expect(existsSync(join(out, "report.json"))).toBe(false);
    const { report, overfitted } = await again("noise", { out, resume: true });
    expect(overfitted.at(-1)).toBe(
      "decay 0.01 is no better on the validation rows; the model is that of decay 0.003",
    );
    const whole = join(folder, "noise");
    const timeless = ({ seconds: _, ...rest }: TrainReport): object => rest;
    expect(timeless(report)).toEqual(timeless(finishedRun(whole).report));
    // The whole is more than training, and of the process that went on alone.
    expect(report.seconds).toEqual({
      training: expect.any(Number),
      whole: expect.any(Number),
      resumed: true,
    });
    expect(finishedRun(whole).report.seconds).not.toHaveProperty("resumed");
    for (const { training, whole: all } of [report.seconds!, finishedRun(whole).report.seconds!])
      expect(training > 0 && training < all).toBe(true);
    expect(finishedRun(out).asked.capacity).toEqual(finishedRun(whole).asked.capacity);
    for (const file of ["checkpoint.safetensors", "best.safetensors"])
      expect(readFileSync(join(out, file)).equals(readFileSync(join(whole, file)))).toBe(true);
    expect(existsSync(join(out, "tries"))).toBe(false);
  });
});
