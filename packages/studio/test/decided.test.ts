// Requirements that a threshold settles: counted on held-out rows, paid in wrong decisions, and pending until training is over.
import { describe, expect, test } from "vitest";
import { overviewOf } from "../page/src/words/overview.js";
import type { RunDetail, Status } from "../src/api.js";
import { lookAt } from "../src/look.js";
import { requirement } from "./fixtures.js";

const seen = (value: number) => ({
  strict: { value, interval: [value - 0.05, value + 0.05], examples: 247 },
});
/** As the loans example leaves it. */
const misses = requirement({
  ...{ level: 0.15, reached: 0.1862, relaxation: 0.0362, price: 0.1449, pricedBy: "strict", strict: 0.1862 },
  ...{ status: "gave way", of: "misses", metric: "false-negative-rate", strictly: "false negative rate" },
  ...{ train: seen(0.1781), folds: seen(0.1862), test: seen(0.19), decidedOn: "folds", allowance: 0.004 },
  insisting: {
    ...{ level: 0.15, reached: 0.1498, had: true, missed: 0, costs: 0.025, in: "errors" },
    ...{ pays: { misses: -0.0276 }, others: { alarms: 0.041 } },
  },
});
const certificate = { holds: false, tolerance: 1e-3, short: ["pressed scores are not an equilibrium"] };
const decision = { pressed: true, in: "errors", cost: 0.116 };

const detailOf = (report: object, status: Status = "finished"): RunDetail =>
  ({
    summary: { name: "a", command: "train", status, certified: false, steps: 200, problem: null },
    ...{ path: "runs/a", again: "runs/a-again", report, files: [], spec: { file: "spec.yaml", text: "" } },
    run: {
      spec: { requirements: { misses: { hard: false }, watched: { cost: "free" } }, cost: "quadratic(2)" },
    },
  }) as unknown as RunDetail;

describe("a run whose threshold was chosen", () => {
  const { headline, answers, next, requirements } = overviewOf(
    detailOf({ certificate, decision, judgedOn: "train", requirements: { misses } }),
  );
  const answer = (question: string) => answers.find((one) => one.question === question);

  test("tells the rate on the rows that chose it, not on those trained on", () => {
    expect(headline?.join("")).toBe(
      "misses gave way by 0.0362: asked at most 0.15, it reached 0.186 on rows held out in folds.",
    );
    expect(answer("What gave way")?.answer).toBe("misses by 0.0362");
    expect(requirements.misses).toMatchObject({ reached: 0.1862, decidedOn: "folds" });
    expect(requirements.misses.unsettled).toBeUndefined();
  });

  test("tells what insisting costs in wrong decisions, certified or not", () => {
    expect(answer("What it costs")).toMatchObject({
      answer: expect.stringMatching(/^0\.025 of errors; /),
      detail: "to insist on misses, at the same scores",
    });
  });

  test("is out of reach where no threshold has it", () => {
    const insisting = { ...misses.insisting, had: false, missed: 0.02 };
    const report = { certificate, decision, requirements: { misses: { ...misses, insisting } } };
    const found = overviewOf(detailOf(report)).answers.find(({ question }) => question === "What it costs");
    expect(found?.answer).toBe("out of reach");
  });

  test("stands as counted, by the rule of its report", () => {
    const counted = (report: object): boolean =>
      lookAt("a", {
        ...{ run: {}, report: { ...report }, note: { title: "", text: "", tags: [] } as never, updated: 0 },
        standing: () => ({ status: "finished" }),
      }).summary.counted;
    const report = { certificate, decision, requirements: { misses } };
    expect(counted(report)).toBe(true);
    expect(counted({ ...report, certificate: { ...certificate, holds: true } })).toBe(false);
    expect(counted({ ...report, decision: undefined })).toBe(false);
    expect(counted({ ...report, requirements: {} })).toBe(false);
    for (const status of ["unknown", undefined])
      expect(counted({ ...report, requirements: { misses: { ...misses, status } } })).toBe(false);
    expect(counted({ ...report, requirements: { misses: { ...misses, price: null } } })).toBe(false);
  });

  test("is not asked for more steps: pressed scores are no equilibrium however long they train", () => {
    expect(next?.words).toBe("If misses must not give way, train with it as hard.");
    const plain = { certificate, decision: { ...decision, pressed: false }, requirements: { misses } };
    expect(overviewOf(detailOf(plain)).next?.words).toBe("Train with more steps.");
  });
});

describe("a run that has not chosen its threshold yet", () => {
  const free = requirement({ level: 0.15, reached: 0.26, relaxation: 0.11, cost: "free", status: "unknown" });
  const report = { certificate, requirements: { "misses [group=A]": free, watched: free } };

  test.each(["running", "stopped"] as const)(
    "says so while it is %s, and not that nothing was asked",
    (status) => {
      const { requirements, headline } = overviewOf(detailOf(report, status));
      expect(requirements["misses [group=A]"].pending).toBe(true);
      expect(requirements["misses [group=A]"].said.sentence).toBe(
        "asked at most 0.15, reached 0.26 so far; the threshold is chosen when training is over.",
      );
      // Free in the spec too.
      expect(requirements.watched.pending).toBeUndefined();
      if (status === "running")
        expect(headline?.join("")).toBe(
          "misses [group=A] is decided by the threshold, which is chosen when training is over.",
        );
    },
  );

  test("answers no question before it is", () => {
    const { answers } = overviewOf(detailOf(report, "running"));
    expect(answers.map(({ answer }) => answer)).toEqual([
      ...["1 requirement", "not known yet", "not known yet", "not known"],
    ]);
    expect(answers[0].detail).toBe("misses [group=A] at most 0.15");
  });

  test("a free requirement of a finished report is only reported", () => {
    const { requirements } = overviewOf(detailOf(report));
    expect(requirements["misses [group=A]"].pending).toBeUndefined();
  });
});
