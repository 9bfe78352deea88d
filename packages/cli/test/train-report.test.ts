// The report in words: each number in the units a reader knows, and nothing called met that is not.
import { describe, expect, test } from "vitest";
import { goOnWith } from "../src/train/asked.js";
import { compareText } from "../src/train/compare.js";
import { nextSteps, reportText, type TrainReport, type TrainRequirement } from "../src/train/report.js";

const part = { examples: 100, loss: { value: 0.4, examples: 100 } };

function report(more: Partial<TrainRequirement>, overall: object = { error: { value: 0.1, examples: 100 } }) {
  return {
    objective: 0.4,
    steps: 50,
    certificate: {
      equilibrium: 0,
      feasibility: 0,
      complementarity: 0,
      stationarity: 0,
      gap: 0,
      tolerance: 1e-3,
      holds: true,
      short: [],
    },
    requirements: {
      misses: {
        sense: "at most",
        level: 0.1,
        reached: 0.05,
        relaxation: 0,
        price: 0,
        cost: "quadratic(1)",
        of: "misses",
        metric: "false-negative-rate",
        strictly: "false negative rate",
        ...more,
      },
    },
    train: { ...part, ...overall },
    test: { ...part, ...overall },
  } as unknown as TrainReport;
}
const outcome = (surrogate: number, strict: number) => ({
  surrogate,
  strict: { value: strict, examples: 100 },
});

describe("a requirement", () => {
  test("between two levels has reached the value itself, below the lower one too", () => {
    // The solver's own number is the worse of the two sides, counted from the upper level.
    const two = {
      sense: "between" as const,
      level: [0.3, 0.7] as const,
      reached: 0.75,
      relaxation: 0.05,
      price: 0.1,
    };
    const text = reportText(report({ ...two, train: outcome(0.25, 0.25) }));
    expect(text).toMatch(/^misses +between 0\.3 and 0\.7 +0\.25 /m);
    expect(text).toContain(
      "misses: asked at least 0.3 and at most 0.7, reached 0.250, gave way by 0.050 at price 0.10",
    );
    const hard = { ...two, relaxation: 0, cost: "hard" };
    expect(reportText(report({ ...hard, train: outcome(0.25, 0.25) }))).toContain(
      "reached 0.250, still missed by 0.050 though it must hold",
    );
    expect(reportText(report({ ...hard, train: outcome(0.8, 0.8) }))).toContain(
      "asked at most 0.7 and at least 0.3, reached 0.800, still missed by 0.100",
    );
  });

  test("that strictly misses the level its surrogate meets is told of, and no other", () => {
    const note = (more: Partial<TrainRequirement>) =>
      /^misses: strictly .*$/m.exec(reportText(report(more)))?.[0];
    expect(note({ train: outcome(0.05, 0.3) })).toBe(
      "misses: strictly it misses its level all the same: false negative rate 0.300.",
    );
    expect(note({ train: outcome(0.05, 0.09) })).toBeUndefined();
    expect(note({ reached: 0.2, relaxation: 0.1, price: 0.2, train: outcome(0.2, 0.3) })).toBeUndefined();
    expect(note({ sense: "at least", train: outcome(0.2, 0.05) })).toContain("0.050");
    expect(note({ sense: "between", level: [0.1, 0.2], train: outcome(0.15, 0.05) })).toContain("0.050");
    const relative = {
      relative: "overall + 0.1",
      train: { ...outcome(0.2, 0.3), asked: { strict: 0.35, surrogate: 0.25 } },
    };
    expect(note(relative)).toBeUndefined();
    // A share of examples is no slope.
    expect(note({ metric: "monotonicity", train: outcome(0, 0.3) })).toBeUndefined();
  });

  test("whose cost is free is only watched", () => {
    const text = reportText(
      report({ cost: "free", reached: 0.4, relaxation: 0.3, train: outcome(0.4, 0.4) }),
    );
    expect(text).toContain(
      "misses: reached 0.4, at most 0.1 would be asked; its cost is free, so it is only watched.",
    );
    expect(text).not.toContain("insisting");
  });
});

describe("side by side", () => {
  test("a relative level is compared with the metric, as in the report", () => {
    const relative = {
      level: 0.02,
      relative: "overall + 0.02",
      reached: 0.05,
      relaxation: 0.03,
      price: 0.06,
      train: { ...outcome(0.45, 0.5), asked: { strict: 0.4, surrogate: 0.42 } },
    };
    const text = compareText([{ run: "a", ...report(relative) }]);
    expect(text).toMatch(/^a +at most overall \+ 0\.02 +0\.45 +0\.03 +0\.06 /m);
  });

  test("of a number the error is the root of its mean square", () => {
    const text = compareText([{ run: "a", ...report({}, { rootMeanSquare: 38_700 }) }]);
    expect(text).toMatch(/^a +0\.4 +0\.400 +38700 +0\.400 +38700 +yes$/m);
  });
});

test("a folder with a space is one word of the commands that are told", () => {
  expect(nextSteps("runs/my model")).toContain('npx pliant report "runs/my model"');
  expect(goOnWith("runs/prüfung-2")).toBe(
    "npx pliant train runs/prüfung-2/spec.yaml --resume --out runs/prüfung-2",
  );
  expect(goOnWith("my model")).toContain('train "my model/spec.yaml" --resume --out "my model"');
});
