// What is said on top of every page of a run: how it stands, the verdict, and the next step with its command.
import { describe, expect, test } from "vitest";
import { answersOf } from "../page/src/words/answers.js";
import { decidedIn } from "../page/src/words/decided.js";
import type { Networked } from "../page/src/words/networked.js";
import { objectiveIn } from "../page/src/words/objective.js";
import { certificateIn, isNetworked, overviewOf } from "../page/src/words/overview.js";
import { resultsOf } from "../page/src/words/said.js";
import { standingOf } from "../page/src/words/standing.js";
import { verdictWords } from "../page/src/words/verdict.js";
import type { RunDetail, Status } from "../src/api.js";
import { requirement } from "./fixtures.js";

const certificate = { holds: true, tolerance: 1e-3 };
const met = requirement({ test: { strict: { value: 0.05, interval: [0.03, 0.07] } } });
const gave = requirement({ reached: 0.257, relaxation: 0.157, price: 0.63, of: "misses" });

function detailOf(
  report: object | null,
  summary: Partial<RunDetail["summary"]> = {},
  more: object = {},
): RunDetail {
  const holds = (report as { certificate?: { holds?: boolean } } | null)?.certificate?.holds;
  return {
    summary: {
      name: "a",
      title: "loans",
      command: "train",
      status: "finished",
      certified: holds ?? null,
      counted: false,
      violated: false,
      kind: null,
      steps: 400,
      problem: null,
      device: null,
      ...summary,
    },
    path: "runs/a",
    again: "runs/a-again",
    run: { spec: { requirements: { misses: {}, alarms: {} }, objective: { loss: "cross-entropy" } } },
    report,
    files: [{ name: "checkpoint.safetensors", bytes: 1 }],
    spec: { file: "spec.yaml", text: "" },
    ...more,
  } as unknown as RunDetail;
}

test("a certified run is green where everything holds, and not where something gave way", () => {
  const tone = (requirements: object) =>
    overviewOf(detailOf({ certificate, requirements }, { certified: true })).tone;
  expect([tone({ met }), tone({ met, gave })]).toEqual(["good", "open"]);
});

describe("how a run stands", () => {
  test.each([
    [{ status: "finished", certified: true }, "certified", "good"],
    [{ status: "finished", certified: true, kind: "local" }, "certified: local minimum", "good"],
    [{ status: "finished", certified: true, kind: "global" }, "certified: global minimum", "good"],
    [{ status: "finished", certified: true, kind: "stationary" }, "certified: stationary point", "good"],
    [{ status: "finished", certified: false }, "not certified", "open"],
    [{ status: "finished", certified: false, counted: true }, "counted, not certified", "open"],
    [
      { status: "finished", certified: false, counted: true, violated: true },
      "violated, not certified",
      "bad",
    ],
    [{ status: "finished", certified: null }, "finished, no certificate", "none"],
    [{ status: "finished", certified: true, violated: true }, "violated", "bad"],
    [{ status: "finished", certified: null, violated: true }, "violated", "bad"],
    [{ status: "finished", certified: false, violated: true }, "violated, not certified", "bad"],
    [{ status: "failed", certified: null }, "failed", "bad"],
    [{ status: "killed", certified: false }, "killed", "bad"],
    [{ status: "unreadable", certified: null }, "unreadable", "bad"],
    [{ status: "stopped", certified: null }, "stopped", "none"],
    [{ status: "running", certified: true }, "running", "busy"],
  ] as const)("%j is %s", (run, words, tone) => {
    expect(standingOf(run)).toEqual({ words, tone });
  });
});

describe("the next step", () => {
  const next = (report: object | null, summary: Partial<RunDetail["summary"]> = {}, more: object = {}) =>
    overviewOf(detailOf(report, summary, more)).next;

  test("for a requirement that gave way: measure what insisting costs, or insist once that is known", () => {
    expect(next({ certificate, requirements: { "misses [B]": gave } })).toEqual({
      words: "Measure what insisting on misses [B] costs.",
      command: "npx pliant insist runs/a 'misses [B]'",
    });
    const insisting = { had: true, missed: 0, reached: 0.1, costs: 0.03, others: {} };
    expect(next({ certificate, requirements: { "misses [B]": { ...gave, insisting } } })).toEqual({
      words: "If misses [B] must not give way, train with it as hard.",
      command: "npx pliant train runs/a/spec.yaml --hard 'misses [B]' --out runs/a-again",
    });
  });

  test("for a violated requirement: a level that can be reached, on the side that holds", () => {
    const hard = (more: object) => requirement({ hard: true, status: "violated", of: "misses", ...more });
    const report = (r: object) => ({ certificate, requirements: { "misses [B]": r } });
    expect(next(report(hard({ reached: 0.1811 })), { violated: true })?.command).toBe(
      "npx pliant train runs/a/spec.yaml --set requirements.misses.level=0.19 --out runs/a-again",
    );
    const least = hard({ sense: "at least", level: 0.9, reached: 0.7777 });
    expect(next(report(least), { violated: true })?.words).toBe(
      "Ask for misses [B] at least 0.77, which this model reaches, or let it give way.",
    );
    const relative = { ...hard({ reached: 0.2 }), relative: "overall" };
    expect(next(report(relative), { violated: true })).toEqual({
      words: "Loosen the level of misses [B], or let it give way.",
    });
    // A model that violates two needs both loosened, and groups of one requirement share its level.
    const both = {
      ...{ "misses [A]": hard({ reached: 0.231 }), "misses [B]": hard({ reached: 0.1811 }) },
      alarms: hard({ of: "alarms", reached: 0.139 }),
    };
    expect(next({ certificate, requirements: both }, { violated: true })).toEqual({
      words:
        "Ask for misses [A] at most 0.24, misses [B] at most 0.24 and alarms at most 0.14, which this model reaches, or let them give way.",
      command:
        "npx pliant train runs/a/spec.yaml --set requirements.misses.level=0.24 --set requirements.alarms.level=0.14 --out runs/a-again",
    });
  });

  test("for one violated group: its own level, and no other's", () => {
    const of = (reached: number, more: object) =>
      requirement({ of: "misses", level: 0.15, reached, ...more });
    const requirements = {
      "misses [group=A]": of(0.07, { level: Math.fround(0.15) }),
      "misses [group=B]": of(0.1811, { hard: true, status: "violated" }),
    };
    const spec = { requirements: { misses: { by: "group" } } };
    const run = { spec, data: { groups: { group: ["A", "B"] } } };
    expect(next({ certificate, requirements }, { violated: true }, { run })).toEqual({
      words: "Ask for misses [group=B] at most 0.19, which this model reaches, or let it give way.",
      command:
        "npx pliant train runs/a/spec.yaml --set 'requirements.misses.level={ A: 0.15, B: 0.19 }' --out runs/a-again",
    });
    const named = { spec, data: { groups: { group: ["A", "B", "no one"] } } };
    const third = { ...requirements, "misses [group=no one]": of(0.1, {}) };
    expect(next({ certificate, requirements: third }, {}, { run: named })?.command).toContain(
      '{ A: 0.15, B: 0.19, "no one": 0.15 }',
    );
    // Where the report does not tell of all groups, one level is for all.
    expect(next({ certificate, requirements }, {}, { run: named })?.command).toContain("level=0.19");
  });

  test("for a requirement that gave way: never insist if insisting did not meet it", () => {
    const insisting = { had: true, missed: 0, reached: 0.1, costs: 0.03, others: {} };
    const out = { ...insisting, had: false, missed: 0.04, reached: 0.14 };
    const breaking = { ...insisting, others: { alarms: 0.1 }, broken: ["alarms"] };
    const report = (...all: object[]) => ({
      certificate,
      requirements: Object.fromEntries(
        all.map((r, i) => [["misses", "alarms"][i], { ...gave, of: undefined, ...r }]),
      ),
    });
    for (const one of [out, breaking])
      expect(next(report({ insisting: one }))).toEqual({
        words: "Ask for misses at most 0.26, which this model reaches.",
        command: "npx pliant train runs/a/spec.yaml --set requirements.misses.level=0.26 --out runs/a-again",
      });
    // Another that can be met comes first; of several the one that gave way most, as the headline names it.
    expect(next(report({ insisting: out }, { insisting }))?.words).toContain("If alarms must not");
    expect(
      next(report({ insisting, price: 9 }, { insisting, reached: 0.3, relaxation: 0.2 }))?.words,
    ).toContain("If alarms");
  });

  test("for a run that is not certified: more steps", () => {
    expect(next({ certificate: { holds: false }, requirements: { met } })?.command).toBe(
      "npx pliant train runs/a/spec.yaml --set budget.steps=1600 --out runs/a-again",
    );
  });

  test("for a requirement missed on test rows: validation rows", () => {
    const missed = { ...met, test: { strict: { value: 0.3, interval: [0.2, 0.4] } } };
    expect(next({ certificate, requirements: { missed } })?.command).toContain("--set data.validation=0.2");
    // What gave way misses its level wherever it is counted, and a threshold is chosen on held-out rows already.
    const { test: onTest } = missed;
    expect(next({ certificate, requirements: { gave: { ...gave, test: onTest } } })?.words).toContain(
      "insisting",
    );
    expect(next({ certificate, requirements: { missed: { ...missed, decidedOn: "folds" } } })?.words).toBe(
      "Write its model card.",
    );
  });

  test("if everything holds everywhere: the model card", () => {
    expect(next({ certificate, requirements: { met } })?.command).toBe(
      "npx pliant card runs/a --out card.md",
    );
  });

  test.each([
    ["killed", "Continue from its last checkpoint."],
    ["stopped", "Continue from its last checkpoint."],
  ] as const)("for a run that %s: resume it if possible", (status, words) => {
    expect(next(null, { status })).toEqual({
      words,
      command: "npx pliant train runs/a/spec.yaml --resume --out runs/a",
    });
    expect(next(null, { status }, { files: [] })?.command).toBe(
      "npx pliant train runs/a/spec.yaml --out runs/a-again",
    );
  });

  test("for a run that failed: correct the cause and train again, as its checkpoint leads to the same failure", () => {
    expect(next(null, { status: "failed" })).toEqual({
      words: "Correct the cause in runs/a/spec.yaml, then train it again.",
      command: "npx pliant train runs/a/spec.yaml --out runs/a-again",
    });
    const problem =
      "In step 2 the objective was not a finite number. Try a smaller rate, or clip the gradient.";
    const run = { spec: { budget: { rate: 0.3 } } };
    expect(next(null, { status: "failed", problem }, { run })).toEqual({
      words: "Train it at a smaller rate.",
      command: "npx pliant train runs/a/spec.yaml --set budget.rate=0.03 --out runs/a-again",
    });
    expect(next(null, { status: "failed", problem })?.words).toMatch(/^Correct the cause/);
  });

  test("for a reproduction that was stopped: the command that started it, with --resume", () => {
    const recipe = { dataset: "strokes", clients: 4 };
    const more = { run: { settings: recipe }, spec: null, path: "runs/fed/strokes/clients-4/seed-0" };
    const summary = { command: "federated", seed: "0", name: "fed/strokes/clients-4/seed-0" };
    expect(next(null, { ...summary, status: "stopped" }, more)).toEqual({
      words: "Continue from its last checkpoint.",
      command:
        "npx pliant reproduce federated --dataset strokes --clients 4 --seeds 0 --out runs/fed --resume",
    });
  });

  test("for an experiment of the paper: the other way to train it, beside this one", () => {
    const recipe = { dataset: "strokes", method: "resilient", level: 0.1, cost: "quadratic", alpha: 0.5 };
    const summary = { command: "reproduce invariance", seed: "1", name: "inv/a/b/seed-1" };
    const of = (requirements: object, method: string) =>
      next({ requirements }, summary, {
        ...{ run: { recipe: { ...recipe, method } }, spec: null, path: "runs/inv/a/b/seed-1" },
      });
    const asked = "npx pliant reproduce invariance --dataset strokes --method";
    expect(of({ scale: gave }, "resilient")).toEqual({
      words: "Train it with scale as hard, and compare.",
      command: `${asked} constrained --epsilon 0.1 --seeds 1 --out runs/inv`,
    });
    expect(of({ scale: requirement({ hard: true, reached: 0.4 }) }, "constrained")).toEqual({
      words: "Let scale give way at a cost, and compare.",
      command: `${asked} resilient --cost quadratic --alpha 0.5 --epsilon 0.1 --seeds 1 --out runs/inv`,
    });
    expect(of({ met }, "constrained")).toBeUndefined();
  });

  test("a run that trains, or has no spec, has no command", () => {
    expect(next(null, { status: "running" })).toEqual({
      words: "Let it finish, or stop it: it saves itself, and --resume goes on with it.",
    });
    expect(next(null, { status: "running" }, { spec: null })).toBeUndefined();
    expect(next({ certificate: { holds: false } }, {}, { spec: null })).toEqual({
      words: "Train with more steps.",
    });
  });
});

describe("a run that ended before its time says how", () => {
  const said = (status: Status, more: object = {}) =>
    overviewOf(detailOf({ requirements: { met } }, { status, ...more }));
  test.each([
    ["failed", "The loss is not finite.", "It failed after step 400. The loss is not finite."],
    ["killed", null, "It was killed after step 400: its process ended without a message"],
    ["stopped", null, "It stopped after step 400, before it was finished."],
    ["unreadable", "report.json is damaged.", "No verdict: report.json is damaged."],
  ] as const)("%s", (status, problem, words) => {
    const { headline, answers, reservations } = said(status, { problem });
    expect(headline?.join("")).toContain(words);
    expect([answers, reservations]).toEqual([[], []]);
  });
  test("and has no certificate, whatever its last evaluation was", () => {
    const of = (status: Status) => certificateIn(detailOf({ certificate }, { status }));
    expect(["failed", "killed", "stopped", "unreadable"].map((status) => of(status as Status))).toEqual([
      ...[undefined, undefined, undefined, undefined],
    ]);
    expect([of("finished")?.holds, of("running")?.holds]).toEqual([true, true]);
  });
  test("before anything was measured", () => {
    expect(said("killed", { steps: null }).headline?.[1]).toMatch(/^ before its first evaluation/);
  });
});

describe("how many requirements hold", () => {
  const holding = (requirements: object, holds = true, summary: Partial<RunDetail["summary"]> = {}) =>
    overviewOf(detailOf({ certificate: { ...certificate, holds }, requirements }, summary)).holding;
  test("stands beside the certificate, which says nothing of it", () => {
    expect(holding({ met })).toEqual({ words: "its requirement holds", tone: "met" });
    expect(holding({ met, gave })).toEqual({ words: "1 of 2 requirements hold", tone: "gave" });
    const violated = requirement({ hard: true, status: "violated", reached: 0.3 });
    expect(holding({ met, gave, violated })).toEqual({
      words: "1 of 3 requirements hold",
      tone: "missed",
    });
    expect(holding({ met, other: met }, false)).toEqual({
      ...{ words: "both requirements hold", tone: "none" },
    });
    expect(holding({ met, free: requirement({ cost: "free", reached: 0.5 }) })?.words).toBe(
      "its requirement holds",
    );
    expect(holding({ met }, true, { status: "failed" })).toBeUndefined();
    expect(holding({})).toBeUndefined();
  });
});

describe("a requirement beyond its level by less than its allowance, in a run that is not certified", () => {
  const near = (reached: number, more: object) =>
    requirement({ ...{ hard: true, status: "at its level", reached, price: 0.4 }, ...more });
  const requirements = {
    B: near(0.1038, { resolution: 0.004, allowance: 0.0055 }),
    alarms: near(0.1015, { resolution: 0.0005, allowance: 0.0017 }),
    met: requirement({}),
  };
  const said = overviewOf(detailOf({ certificate: { holds: false }, requirements }));
  test("is not said to hold", () => {
    expect(said.headline?.join("")).toBe(
      "B and alarms are beyond their levels by 0.0038 at most, no more than counting and training allow for; nothing is certified, so what they cost is not known.",
    );
    expect(said.holding).toEqual({ words: "1 of 3 requirements hold", tone: "gave" });
    expect(said.answers[2]).toMatchObject({
      question: "What does not hold",
      answer: "B by 0.0038",
      detail: "not certified; also alarms by 0.0015",
    });
    expect(Object.values(said.requirements).map((r) => verdictWords(r))).toEqual([
      "beyond by 0.0038, not certified",
      "beyond by 0.0015, not certified",
      "holds, not certified",
    ]);
    expect(said.requirements.alarms.said.sentence).toMatch(/^misses its level by 0\.0015, within 0\.0017/);
  });
});

describe("a run that stopped too early", () => {
  const said = (requirements: object, summary: Partial<RunDetail["summary"]>) =>
    overviewOf(detailOf({ certificate: { holds: false }, requirements }, summary));
  const open = requirement({ status: "unknown", reached: 0.3 });
  test("says so, and what to do", () => {
    const { headline, next } = said({ open }, { steps: 400, total: 400 });
    expect(headline?.join("")).toBe(
      "open does not hold yet: the run stopped too early, after its 400 steps and before it converged, so whether it can is not known.",
    );
    expect(next?.words).toBe("Train with more steps.");
    expect(said({ met }, { steps: 400, total: 400 }).headline?.join("")).toContain("stopped too early");
  });
  test("and only where it used all its steps, without a certificate", () => {
    expect(said({ open }, { steps: 300, total: 400 }).headline?.join("")).not.toContain("too early");
    expect(said({ open }, { steps: 400, total: null }).headline?.join("")).not.toContain("too early");
    for (const requirements of [{ met }, { open }]) {
      const whole = detailOf({ certificate, requirements }, { steps: 400, total: 400 });
      expect(overviewOf(whole).headline?.join("")).not.toContain("too early");
    }
    const pressed = { certificate: { holds: false }, decision: { pressed: true }, requirements: { open } };
    const counted = overviewOf(detailOf(pressed, { steps: 400, total: 400 }));
    expect(counted.headline?.join("")).not.toContain("too early");
  });
});

describe("while a run trains", () => {
  test("a certificate that holds now is not gone by: it may be withdrawn at the end", () => {
    const report = { certificate, requirements: { met: requirement({ price: 2, reached: 0.1 }) } };
    const { headline, holding, requirements } = overviewOf(detailOf(report, { status: "running" }));
    expect(headline?.join("")).toMatch(/^Every requirement holds; nothing is certified/);
    expect(holding).toEqual({ words: "its requirement holds so far", tone: "none" });
    expect(requirements.met.said).toMatchObject({ price: "?", known: undefined });
    expect(overviewOf(detailOf(report)).requirements.met.said.price).toBe("2");
  });

  test("requirements that a threshold settles are known from the report, and before it from the spec", () => {
    const spec = {
      requirements: { misses: {}, alarms: {}, watched: { cost: "free" } },
      cost: "quadratic(2)",
    };
    const free = requirement({ cost: "free", reached: 0.3 });
    const all = { "misses [B]": free, watched: free, alarms: requirement({ reached: 0.3 }) };
    const running = detailOf({ requirements: all }, { status: "running" }, { run: { spec } });
    expect([...decidedIn(running)]).toEqual([["misses [B]", undefined]]);
    const decided = { ...free, cost: "quadratic(2)", decidedOn: "folds", reached: 0.16, strict: 0.16 };
    const over = detailOf(
      { certificate, requirements: { ...all, "misses [B]": decided } },
      {},
      { run: { spec } },
    );
    expect([...decidedIn(over)]).toEqual([["misses [B]", expect.closeTo(0.06)]]);
  });
});

describe("without requirements", () => {
  const coordinator = (more: object) =>
    ({
      role: "coordinator",
      requirement: "loss at most mean + 0.02",
      sites: [1, 2, 3, 4],
      relaxations: { upTo: [0, 0.1, 0.2], sites: [3, 0, 1] },
      ...more,
    }) as unknown as Networked;
  const said = (networked: Networked | undefined, report: object = {}, command = "federate") =>
    overviewOf(detailOf(report, { command }, { run: {} }), networked).headline?.join("");

  test("a federation's run is not said to have been asked for nothing", () => {
    expect(said(coordinator({}))).toBe(
      "1 of 4 sites gave way: asked loss at most mean + 0.02 each. Who, and by how much, stays with the sites.",
    );
    expect(said(coordinator({ relaxations: { upTo: [0], sites: [4] } }))).toMatch(/^No site gave way/);
    expect(said(undefined)).toBeUndefined();
    expect(said(coordinator({ requirement: "none" }))).toContain("no requirement was asked of them");
  });
  test("the answers of a federation are about all sites, and name none", () => {
    const answers = (more: object) =>
      overviewOf(detailOf({}, { command: "federate" }, { run: {} }), coordinator({ meanPrice: 0.1, ...more }))
        .answers;
    expect(answers({}).map(({ answer, tone }) => [answer, tone])).toEqual([
      ["of each of 4 sites", undefined],
      ["at 3 of 4", "gave"],
      ["1 site, by up to 0.2", "gave"],
      ["0.1", undefined],
    ]);
    const beyond = answers({ relaxations: { upTo: [0, 0.1, 0.2], sites: [3, 0, 0, 1] } });
    expect(beyond[2].answer).toBe("1 site, one by more than 0.2");
    const held = answers({ relaxations: { upTo: [0], sites: [4] } });
    expect(held.map(({ answer }) => answer).slice(1, 3)).toEqual(["at 4 of 4", "Nothing"]);
    expect(answers({ requirement: "none" })).toEqual([]);
  });
  test("a site tells of itself", () => {
    const site = { role: "site", site: "west", requirement: "loss at most 1", relaxation: 0.19, price: 0.38 };
    expect(said(site as unknown as Networked, {}, "federate join")).toBe(
      "west gave way by 0.19, at a price of 0.38: asked loss at most 1.",
    );
    const held = { ...site, relaxation: 0 } as unknown as Networked;
    expect(said(held)).toBe("west did not have to give way: asked loss at most 1.");
  });
  test("nothing was required where the report says so, and only there", () => {
    expect(said(undefined, { requirements: {} }, "train")).toBe("Nothing was required of this model.");
    expect(said(undefined, {}, "train")).toBe("No requirement is stated in its report.");
    expect(["federate", "federate join", "federated", "train"].map(isNetworked)).toEqual([
      ...[true, true, false, false],
    ]);
  });
});

describe("the answers", () => {
  const of = (requirements: object, context: object, report: object = { certificate }) =>
    answersOf(resultsOf({ ...report, requirements }), 1e-3, context);

  test("while a run trains its test rows are not yet measured, which is not that there are none", () => {
    const bare = requirement({});
    const later = "on test data: measured when the run is finished";
    expect(of({ bare }, { over: false })[1].detail).toBe(later);
    const training = overviewOf(detailOf({ requirements: { bare } }, { status: "running" }));
    expect(training.answers[1].detail).toBe(later);
    expect(of({ bare }, { over: true })[1].detail).toBe("not tested: no test rows were kept");
    expect(of({ bare }, { over: true, testRows: 300 })[1].detail).toBe("not measured on test rows");
  });

  test("without a certificate nothing is said to cost nothing", () => {
    for (const report of [{}, { certificate: { holds: false } }]) {
      const [, , what, costs] = of({ bare: requirement({ test: undefined }) }, {}, report);
      expect([what.answer, what.detail]).toEqual(["not known yet", "known once the run is certified"]);
      expect(costs.answer).toBe("not known");
    }
  });

  test("a loss that insisting lowers by more than its error is not reported as unchanged", () => {
    const insisting = { had: true, missed: 0, reached: 0.1, costs: -0.0019, within: 0.0008, others: {} };
    const count = { ...gave, pricedBy: "strict", insisting };
    expect(of({ count }, {})[3]).toMatchObject({ answer: "0.0019 lower ± 8e−4", tone: "unknown" });
    const costs = { ...count, insisting: { ...insisting, costs: 0.02, within: 0.005 } };
    expect(of({ costs }, {})[3].answer).toBe("0.02 of loss ± 0.005");
    const within = { ...count, insisting: { ...insisting, costs: -0.0005 } };
    expect(of({ within }, {})[3].answer).toBe("nothing measurable");
  });

  test("the dearest is the same in the sentence and in the answers: by prices that are known", () => {
    const near = { status: "at its level", reached: 0.1 };
    const requirements = {
      weighed: requirement({ ...near, price: 90, pricedBy: "strict", reached: 0.1001 }),
      cheap: requirement({ ...near, price: 0.2, reached: 0.1004 }),
      dear: requirement({ ...near, price: 3 }),
    };
    const report = { certificate, requirements };
    const { headline, answers } = overviewOf(detailOf(report));
    expect(headline?.join("")).toBe("Every requirement held; dear was the dearest, at a price of 3.");
    expect(answers[3]).toMatchObject({
      answer: "0",
      detail: "nothing gave way; the price of dear is 3 of cross-entropy per unit of its level",
    });
    const only = overviewOf(detailOf({ certificate, requirements: { weighed: requirements.weighed } }));
    expect(only.headline?.join("")).toBe("Every requirement held.");
  });

  test("errors of prices and relaxations stand beside them, where the report has them", () => {
    const r = { ...gave, price: 0.705, errors: { price: 0.002, relaxation: 0.01, reached: 0 } };
    const held = { ...met, errors: { price: 0.1, relaxation: 0, reached: 0 } };
    const told = resultsOf({ certificate, requirements: { r, held } });
    expect([told.r.said.price, told.r.said.gave]).toEqual(["0.705 ± 0.002", "0.157 ± 0.01"]);
    expect(told.held.said.price).toBe("0");
  });
});

describe("the objective", () => {
  const curve = { x: [100, 400], y: [0.5, 0.3] };
  test("of a kept model is that of its step, not one measured at the end", () => {
    expect(objectiveIn(detailOf({ keptStep: 100 }, { objective: 0.5 }), curve, "step")).toEqual({
      term: "objective at step 100, the model kept",
      note: "What is minimised. The model of step 100 was kept: 0.5.",
    });
  });
  test("is said to be measured at the end only where it was", () => {
    const of = (objective: number) => objectiveIn(detailOf({ keptStep: 400 }, { objective }), curve, "step");
    expect(of(0.3)).toBeUndefined();
    expect(of(0.4)?.term).toBe("objective, measured at the end");
  });
});
