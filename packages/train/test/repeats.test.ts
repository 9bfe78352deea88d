// Several seeds as one program, several folds in turn, and what they come to together.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exactInterval } from "@pliant/learn";
import {
  loansCsv,
  loansSpec,
  prepare,
  type RunOptions,
  readRepeats,
  readSpec,
  repeatsOf,
  repeatsText,
  trainedModel,
  trainInFolder,
  trainRepeats,
} from "@pliant/train";
import { describe, expect, test } from "vitest";
import { difference, type Outcome } from "../src/evaluate/evaluate.js";
import { together } from "../src/evaluate/together.js";
import { heldIn, spreadOf } from "../src/report/pooled.js";
import { showSpread } from "../src/text/repeats-text.js";

const quiet: RunOptions["progress"] = { show: () => {}, end: () => {} };
const folder = mkdtempSync(join(tmpdir(), "pliant-repeats-"));
const spec = join(folder, "spec.yaml");
writeFileSync(spec, loansSpec);
writeFileSync(join(folder, "loans.csv"), loansCsv({ rows: 300 }));
const short = { key: "budget.steps", value: "50" };
const options = (name: string): RunOptions => ({
  name,
  out: join(folder, name),
  device: "cpu",
  insist: false,
  progress: quiet,
});
const sd = ([a, b]: readonly number[]): number => Math.abs(a - b) / Math.SQRT2;

describe("seeds", () => {
  const specFile = readSpec(spec, [short, { key: "seeds", value: "[4, 9]" }]);
  const done = trainRepeats(specFile, repeatsOf(specFile)!, options("seeds"));

  test("each is the run that its seed alone gives, on the rows of the first", async () => {
    const { reports } = await done;
    for (const [i, seed] of [4, 9].entries()) {
      const alone = await trainInFolder(
        readSpec(spec, [short, { key: "seed", value: String(seed) }, { key: "data.seed", value: "4" }]),
        options(`alone-${seed}`),
      );
      expect(Math.abs(reports[i].objective - alone.report.objective)).toBeLessThan(1e-5);
      for (const [name, r] of Object.entries(alone.report.requirements)) {
        expect(reports[i].requirements[name].test!.strict).toEqual(r.test!.strict);
        expect(Math.abs(reports[i].requirements[name].price - r.price)).toBeLessThan(1e-4);
      }
      const run = JSON.parse(readFileSync(join(folder, "seeds", `seed-${seed}`, "run.json"), "utf8"));
      expect(run.spec).toMatchObject({ seed, data: { seed: 4 } });
      expect(run.spec.seeds).toBeUndefined();
    }
  });

  test("numbers are means with deviations, certificates are counted, and the folder says it again", async () => {
    const { repeats, reports } = await done;
    // The same test rows again and again are not as many more.
    expect(repeats).not.toHaveProperty("held");
    expect(Object.values(repeats.requirements).some((r) => "held" in r)).toBe(false);
    const objectives = reports.map(({ objective }) => objective);
    expect(repeats.objective.mean).toBeCloseTo((objectives[0] + objectives[1]) / 2, 12);
    expect(repeats.objective.sd).toBeCloseTo(sd(objectives), 12);
    const name = "missed defaults [group=B]";
    const tested = reports.map(({ requirements }) => requirements[name].test!.strict.value);
    expect(repeats.requirements[name].test!.sd).toBeCloseTo(sd(tested), 12);
    expect(repeats.certified).toBe(reports.filter(({ certificate }) => certificate.holds).length);
    expect(readRepeats(join(folder, "seeds"))!.repeats).toEqual(JSON.parse(JSON.stringify(repeats)));
    expect(() => trainedModel(join(folder, "seeds"))).toThrow(
      /has several runs of one spec; name one of them, such as .*seed-4/,
    );
    const text = repeatsText(repeats);
    expect(text).toMatch(/^None of the 2 seeds is certified\. All use the same training and test rows\./);
    expect(text).toMatch(/^missed defaults \[group=B\] +at most 0\.15 +0\.\d+ ± \S+ +– +– +–$/m);
    expect(text).toMatch(/^4 +50 +no {2}seed-4$/m);
    // A reason for each that is not certified, and none for one that is.
    const why = reports.map(({ certificate }) => `not certified: ${certificate.short.join("; ")}.`);
    expect(why[0]).toMatch(/certified: \w/);
    for (const reason of why) expect(text).toContain(reason);
    const [, nine] = repeats.runs;
    const mixed = repeatsText({
      ...repeats,
      runs: [
        { ...repeats.runs[0], certified: true },
        { ...nine, value: 9 },
        { ...nine, value: 10 },
      ],
    });
    expect(mixed).toContain(`\n\nseeds 9, 10 are ${why[1]}`);
    expect(mixed).not.toContain("seed 4 is");
  });

  test("stopped and resumed, they end in the same reports", async () => {
    const half = readSpec(spec, [
      { key: "seeds", value: "[4, 9]" },
      { key: "budget.steps", value: "50" },
    ]);
    const out = options("stopped");
    let looks = 0;
    const stopping: RunOptions["progress"] = {
      end: () => {},
      show: () => {
        if (++looks === 2) process.emit("SIGINT", "SIGINT");
      },
    };
    // The first check of both lanes is at step 25, after which they are stopped.
    await expect(trainRepeats(half, repeatsOf(half)!, { ...out, progress: stopping })).rejects.toThrow(
      /the runs are saved in .*stopped\. Go on with: npx pliant train .*stopped.spec\.yaml --resume --out/,
    );
    expect(existsSync(join(folder, "stopped", "repeats.json"))).toBe(false);
    const again = readSpec(join(folder, "stopped", "spec.yaml"));
    const { reports } = await trainRepeats(again, repeatsOf(again)!, { ...out, resume: true });
    const timeless = (all: typeof reports): string =>
      JSON.stringify(all.map(({ seconds: _, ...rest }) => rest));
    expect(timeless(reports)).toBe(timeless((await done).reports));
  });
});

describe("folds", () => {
  const of = (text: string) => readSpec(spec, [short, { key: "data.test", value: text }]);

  test("every row is tested once, by a model that did not learn from it", async () => {
    const planned = repeatsOf(of("{ folds: 3 }"))!;
    expect(planned.repeats.map(({ specFile }) => specFile.spec.data.test)).toEqual(
      [1, 2, 3].map((fold) => ({ folds: 3, fold })),
    );
    const parts = await Promise.all(planned.repeats.map(({ specFile }) => prepare(specFile)));
    expect(parts.map(({ prepared }) => prepared.test.count)).toEqual([100, 100, 100]);
    expect(parts.map(({ prepared }) => prepared.train.count)).toEqual([200, 200, 200]);
  });

  test("stratified they have each class alike, and by a column no group is in two", async () => {
    const count = async (text: string, fold: number): Promise<number[]> => {
      const { prepared } = await prepare(of(text.replace("FOLD", String(fold))));
      return [prepared.test.count, Array.from(prepared.test.y.data).filter((y) => y === 1).length];
    };
    const folds = await Promise.all(
      [1, 2, 3].map((fold) => count("{ folds: 3, fold: FOLD, stratified: true }", fold)),
    );
    const positives = folds.map(([, yes]) => yes);
    expect(Math.max(...positives) - Math.min(...positives)).toBeLessThanOrEqual(1);
    const groups = await Promise.all(
      [1, 2].map((fold) => count("{ folds: 2, fold: FOLD, by: purpose }", fold)),
    );
    expect(groups[0][0] + groups[1][0]).toBe(300);
    expect(groups[0][0]).not.toBe(150);
  });

  test("the held-out numbers of all folds are one", async () => {
    const asked = [
      "requirements:",
      "  parity: { metric: demographic-parity, by: group, level: 0.05 }",
      "  all groups: { metric: error, by: group, worst: true, level: 0.2 }",
      "  ranks: { metric: auc, level: 0.5, cost: free }",
      "cost:",
    ].join("\n");
    const own = join(folder, "groups.yaml");
    writeFileSync(own, loansSpec.replace(/requirements:.*cost:/s, asked));
    const specFile = readSpec(own, [short, { key: "data.test", value: "{ folds: 2 }" }]);
    const { repeats, reports } = await trainRepeats(specFile, repeatsOf(specFile)!, options("folds"));
    const wrong = reports.reduce((sum, { test: { error, examples } }) => sum + error!.value * examples, 0);
    expect(repeats.requirements.ranks).toHaveProperty("test");
    expect(repeats.requirements.ranks).toMatchObject({ watched: true });
    expect(repeats.requirements.ranks).not.toHaveProperty("relaxation");
    expect(repeatsText(repeats)).not.toContain("ranks gave way");
    // For the pairs of each fold: the scores of two models do not compare.
    const { adds } = repeats.requirements.ranks.held!;
    const pairs = reports.map(({ requirements: { ranks } }) => ranks.test!.strict.adds!.of);
    expect(adds).toEqual({ by: "mean", of: pairs[0] + pairs[1] });
    expect(repeats.held!.error!.examples).toBe(300);
    expect(repeats.held!.error!.value).toBeCloseTo(wrong / 300, 12);
    // For every group, or side of a gap, the rows of both folds.
    const counted = (name: string, side: string): readonly [count: number, rows: number] => {
      const all = reports.map((report) => report.requirements[name].test!.sides![side]);
      const rows = all.reduce((sum, { examples }) => sum + examples, 0);
      return [Math.round(all.reduce((sum, { value, examples }) => sum + value * examples, 0)), rows];
    };
    const share = (...of: Parameters<typeof counted>): number => counted(...of)[0] / counted(...of)[1];
    expect(repeats.requirements["parity [group=A]"].held!.value).toBeCloseTo(
      share("parity [group=A]", "own") - share("parity [group=A]", "rest"),
      12,
    );
    const worst = Math.max(share("all groups", "group=A"), share("all groups", "group=B"));
    const { held } = repeats.requirements["all groups"];
    expect(held!.value).toBeCloseTo(worst, 12);
    expect(share("all groups", held!.group!)).toBe(worst);
    const { low, high } = exactInterval(...counted("all groups", held!.group!));
    expect(held!.interval).toEqual([low, high]);
    expect(repeatsText(repeats)).toMatch(/^all groups .* \[group=[AB]\]$/m);
    expect(repeatsText(repeats)).toMatch(
      /^(?:All 2|1 of 2|None of the 2) folds (?:are|is) certified\. Each model was tested on the rows that it was not trained on\./,
    );
  });

  test.each([
    ["{ folds: 3, fold: 4 }", [], /data\.test\.fold is 4, and there are 3 folds/],
    ["{ folds: 200 }", [], /has 300 rows, too few for 200 folds/],
    ["{ folds: 5, by: purpose }", [], /"purpose" has 4 groups, too few for 5 folds/],
    ["0.3", [{ key: "data.validation", value: "{ folds: 3 }" }], /folds are for testing; give a share/],
  ])("%s %j is refused", async (text, more, sentence) => {
    await expect(prepare(of(text).with(more))).rejects.toThrow(sentence);
  });
});

test.each([
  ["[3]", /give two different ones or more; for one there is seed/],
  ["[3, 3]", /give two different ones or more/],
  ["few", /seeds is "few", and should be several seeds, at most 1000: from and to, as in 1-5, or a list/],
])("seeds: %s is refused", (value, sentence) => {
  expect(() => repeatsOf(readSpec(spec, [{ key: "seeds", value }]))).toThrow(sentence);
});

describe("what folds hold out of several groups", () => {
  const share = (count: number, examples: number) => {
    const { low, high } = exactInterval(count, examples);
    return { value: count / examples, interval: [low, high] as const, examples };
  };
  /** Each group is the worst of one fold, and both are alike in all. */
  const folds = [
    { A: share(30, 100), B: share(10, 100) },
    { A: share(10, 100), B: share(31, 100) },
  ].map((sides): Outcome => {
    const [group, strict] = sides.A.value > sides.B.value ? ["A", sides.A] : ["B", sides.B];
    return { strict, group, sides, surrogate: 0 };
  });
  const worst = { sense: "at most", strictly: "error of the worst group" } as const;

  test("is of the one that is worst in all rows, not of those that were in each fold", () => {
    expect(heldIn(folds, worst)).toEqual({ ...share(41, 200), group: "B" });
    expect(heldIn(folds, { ...worst, sense: "at least" })).toEqual({ ...share(40, 200), group: "A" });
  });

  test("counts a group in the folds that have it", () => {
    const without = { ...folds[1], sides: { A: share(10, 100) } };
    expect(heldIn([folds[0], without], worst)).toEqual({ ...share(40, 200), group: "A" });
  });

  test("is not told where the groups of each fold were not written down", () => {
    const { sides: _, ...bare } = folds[0];
    expect(heldIn([bare, folds[1]], worst)).toBeUndefined();
    expect(heldIn([], worst)).toBeUndefined();
  });

  test("for a gap it is the difference of the sides over all rows", () => {
    const gap = (own: ReturnType<typeof share>, rest: ReturnType<typeof share>): Outcome => ({
      strict: difference(own, rest),
      sides: { own, rest },
      surrogate: 0,
    });
    const found = heldIn([gap(share(1, 2), share(10, 100)), gap(share(10, 100), share(1, 2))], {
      sense: "at most",
      strictly: "gap in error",
    });
    expect(found).toEqual(difference(share(11, 102), share(11, 102)));
  });

  test("for a root mean square it is the root over all rows, with the interval of the mean square", () => {
    const fold = (value: number, examples: number): Outcome => ({
      strict: {
        ...{ value, interval: [Math.sqrt(value ** 2 - 0.6), Math.sqrt(value ** 2 + 0.6)], examples },
        adds: { by: "square", of: examples },
      },
      surrogate: 0,
    });
    const root = {
      sense: "at most",
      strictly: "root mean square error",
      asWhole: true,
    } as const;
    const found = heldIn([fold(1, 30), fold(3, 10)], root)!;
    expect(found.value).toBeCloseTo(Math.sqrt((30 * 1 + 10 * 9) / 40), 12);
    const reach = Math.hypot(0.75 * 0.6, 0.25 * 0.6);
    expect(found.interval![0]).toBeCloseTo(Math.sqrt(3 - reach), 12);
    expect(found.interval![1]).toBeCloseTo(Math.sqrt(3 + reach), 12);
    expect(found.examples).toBe(40);
  });

  test("a metric that is not a mean over rows has none, unless it defines how it adds up", () => {
    const precise = { sense: "at least", strictly: "precision", asWhole: true } as const;
    const fold = (strict: ReturnType<typeof share>): Outcome => ({ strict, surrogate: 0 });
    expect(heldIn([fold(share(1, 1)), fold(share(40, 100))], precise)).toBeUndefined();
    const given = (count: number, of: number): Outcome =>
      fold({ ...share(count, of), examples: 500, adds: { by: "share", of } } as ReturnType<typeof share>);
    expect(heldIn([given(1, 1), given(40, 100)], precise)).toMatchObject({
      value: 41 / 101,
      interval: share(41, 101).interval,
    });
  });
});

test("a number from one of several runs has no deviation", () => {
  expect(showSpread(spreadOf([0.2]), 3)).toBe("0.2 (of 1)");
  expect(showSpread(spreadOf([0.2, 0.4]), 3)).toBe("0.3 ± 0.14 (of 2)");
  expect(showSpread(undefined, 3)).toBe("–");
});

test("rows of several measures are one measure, whose interval is that of them all", () => {
  const half = { value: 0.2, interval: [0.1, 0.3] as const, examples: 50 };
  const found = together([half, { ...half, value: 0.4, interval: [0.3, 0.5] }]);
  expect(found.value).toBeCloseTo(0.3, 12);
  expect(found.examples).toBe(100);
  expect(found.interval![0]).toBeCloseTo(0.3 - 0.1 / Math.SQRT2, 12);
});

describe("with several statistics", () => {
  const of = (value: number, by: "share" | "F1" | "mean" | "square" | "largest", of: number, more = {}) => ({
    ...{ value, examples: 100, adds: { by, of }, ...more },
  });
  const exact = (count: number, n: number): number[] => Object.values(exactInterval(count, n));

  test("a precision is that of all who are given the class: a fold in which one is counts as one", () => {
    const found = together([of(1, "share", 1), of(0.5, "share", 40), of(1, "share", 0)]);
    expect([found.value, found.examples]).toEqual([21 / 41, 300]);
    expect(found.interval).toEqual(exact(21, 41));
    // Without runs it is empty.
    const none = together([of(1, "share", 0), of(1, "share", 0)]);
    expect([none.value, none.interval]).toEqual([1, undefined]);
  });

  test("an F1 is that of all their counts", () => {
    // 2·10 / (15 + 20), 2·3 / (6 + 4): hits of those given or of it, 10 of 25 and 3 of 7.
    const found = together([of(20 / 35, "F1", 25), of(0.6, "F1", 7)]);
    expect(found.value).toBeCloseTo(26 / 45, 12);
    const [low, high] = exact(13, 32).map((j) => (2 * j) / (1 + j));
    expect(found.interval).toEqual([low, high]);
  });

  test("an AUC is of the pairs of each, and a fold without one says nothing", () => {
    const found = together([
      of(0.9, "mean", 300, { interval: [0.8, 0.95] }),
      of(0.7, "mean", 100, { interval: [0.6, 0.8] }),
      of(1, "mean", 0),
    ]);
    expect(found.value).toBeCloseTo(0.85, 12);
    expect(found.interval![0]).toBeCloseTo(0.85 - Math.hypot(0.75 * 0.1, 0.25 * 0.1), 12);
  });

  test("a root mean square is that of all errors, and a largest slope the largest", () => {
    const found = together([
      of(3, "square", 100, { interval: [2, 4] }),
      of(4, "square", 300, { interval: [3, 5] }),
    ]);
    expect(found.value).toBeCloseTo(Math.sqrt((9 + 3 * 16) / 4), 12);
    expect(found.interval![1]).toBeCloseTo(Math.sqrt(14.25 + Math.hypot(0.25 * 7, 0.75 * 9)), 12);
    expect(together([of(3, "largest", 1), of(4, "largest", 9)]).value).toBe(4);
  });
});

test("counts of several are added up, and their share has the exact interval", () => {
  const share = (count: number, examples: number) => {
    const { low, high } = exactInterval(count, examples);
    return { value: count / examples, interval: [low, high] as const, examples };
  };
  // scipy.stats.beta.ppf of 15 in 569 and of 3 in 357.
  const error = together([share(4, 190), share(8, 190), share(3, 189)]);
  expect(error.value).toBe(15 / 569);
  expect(error.interval![0]).toBeCloseTo(0.01483, 5);
  expect(error.interval![1]).toBeCloseTo(0.04311, 5);
  expect(together([share(0, 119), share(3, 119), share(0, 119)])).toEqual(share(3, 357));
});
