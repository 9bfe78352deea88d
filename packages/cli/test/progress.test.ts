import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atLeast, atMost, createSolver, minimise, type Report, sgd } from "@pliant/core";
import { array, type NdArray } from "@pliant/engine";
import { progress, progressLine, resumeRun, startRun, timeLeft, train } from "@pliant/learn/runs";
import { headline, sentences } from "@pliant/train";
import { describe, expect, test } from "vitest";

const certificate = {
  kind: "local",
  errors: { objective: 0, prices: 0, relaxations: 0, values: 0, parameters: 1e-3 },
  objectiveError: 0,
  gap: 0,
  tolerance: 1e-3,
  holds: false,
  short: [],
} as const;
const rest = { pricedBy: "loss", loss: 0, hard: false, scale: 1, allowance: 1e-3, status: "met" } as const;
const report: Report<string> = {
  objective: 0.5,
  requirements: {
    recall: {
      ...rest,
      sense: "at least",
      level: 0.9,
      reached: 0.85,
      relaxation: 0.05,
      price: 0.8,
      cost: "quadratic(8)",
    },
    alarms: {
      ...rest,
      sense: "at most",
      level: 0.1,
      reached: 0.08,
      relaxation: 0,
      price: 0,
      cost: "quadratic(8)",
    },
    size: { ...rest, sense: "between", level: [1, 2], reached: 2, relaxation: 0, price: 0.25, cost: "hard" },
  },
  certificate,
  steps: 300,
  text: "",
};

describe("train", () => {
  test("a NaN requirement stops the run, with the last finite state on disk", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "pliant-")), "run");
    // x falls by 0.1 a step from 5; its square root is none below 0.
    const task = minimise({
      params: { x: array(5) },
      forward: ({ x }, _: object) => x,
      objective: (x) => x,
    }).subjectTo({
      root: atMost(100, (x) => x.sqrt()),
      far: atLeast(-100, (x) => x),
    });
    const solver = await createSolver(task, { data: {}, optimizer: sgd(0.1) });
    const training = train(solver, startRun(path, {}), {
      steps: 200,
      every: 20,
      progress: { show: () => {}, end: () => {} },
      resumeWith: "",
    });
    await expect(training).rejects.toThrow(/In step 5[0-9] root was not a finite number/);
    const { state } = resumeRun(path, () => ({}));
    expect(state?.step).toBe(40);
    expect((state as unknown as { params: { x: NdArray } }).params.x.item()).toBeCloseTo(1, 3);
    expect(readFileSync(join(path, "metrics.jsonl"), "utf8").trim().split("\n")).toHaveLength(2);
  });
});

describe("printed text", () => {
  test("has one sentence per requirement, those that gave way first", () => {
    const { recall, alarms, size } = report.requirements;
    const certified = {
      certificate: { ...certificate, holds: true },
      requirements: {
        recall: { ...recall, status: "gave way" as const },
        alarms,
        size: { ...size, status: "at its level" as const },
      },
    };
    expect(sentences(certified)).toEqual([
      "recall: gave way by 0.050 (asked at least 0.900, reached 0.850). Loosening it by 0.01 would lower the total (loss plus cost of giving way) by 0.008. Insisting would cost at least 0.04 of loss if the problem is convex and the level can be met; this was not measured.",
      "size: at its level (asked between 1.000 and 2.000, reached 2.000). Loosening it slightly would lower the loss at a rate of 0.025 per 0.1.",
      "alarms: met with 0.020 to spare, at no cost (asked at most 0.100, reached 0.080).",
    ]);
    expect(headline(certified)).toBe('Certified. "recall" gave way by 0.050. The other 2 requirements hold.');
  });

  test("names the worst requirement and the time left in progress lines", () => {
    expect(progressLine(report, "~13 s left")).toBe(
      'step   300  loss 0.5000  "recall" misses its level by 0.050  residual 1.0e-3  ~13 s left',
    );
    // The report says whether it is certified; it may have found overfitting.
    expect(progressLine({ ...report, certificate: { ...report.certificate, holds: true } }, "")).toMatch(
      / {2}at equilibrium$/,
    );
  });

  test("estimates the time left from the residual, bounded by the remaining steps", () => {
    // 10 steps a second; the residual falls to a tenth in 100 steps.
    const falling = [1, 0.1, 0.01].map((residual, i) => ({ step: 100 * i, residual, seconds: 10 * i }));
    const goal = { tolerance: 1e-4, steps: 1000 };
    expect(timeLeft(falling, goal)).toBe("~20 s left");
    expect(timeLeft(falling, { ...goal, steps: 300 })).toBe("≤10 s left");
    expect(timeLeft([falling[0], { ...falling[1], residual: 2 }], goal)).toBe("≤90 s left");
    expect(timeLeft([falling[0], { ...falling[1], residual: 2 }], { ...goal, steps: 2000 })).toBe(
      "≤4 min left",
    );
    expect(timeLeft([falling[0]], goal)).toBe("");
    // Below the tolerance, and another part of the certificate is missing.
    expect(timeLeft([falling[0], { ...falling[1], residual: goal.tolerance / 2 }], goal)).toBe("≤90 s left");
  });

  test.each([
    [true, "\rone\x1b[K\rtwo two t\x1b[K\n"],
    [false, "one\ntwo two two\n"],
  ])("one changing line on a terminal (%s), a line each elsewhere", (isTTY, expected) => {
    let written = "";
    const stream = { isTTY, columns: 10, write: (text: string) => (written += text) };
    const line = progress(stream as unknown as NodeJS.WriteStream);
    line.show("one");
    line.show("two two two");
    line.end();
    expect(written).toBe(expected);
  });
});
