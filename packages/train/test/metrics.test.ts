// Metrics: the strict number that is asked for and what stands for it in training, each against its definition.

import { readFileSync } from "node:fs";
import { onNumbers } from "@pliant/core";
import { array, constant, evaluate, NdArray, random, type Tensor } from "@pliant/engine";
import { calibrationError as expectedCalibration } from "@pliant/learn";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Examples, Prepared } from "../src/data/examples.js";
import { meanOver } from "../src/evaluate/evaluate.js";
import { costOf } from "../src/grammar/cost.js";
import { readLevel, showRelative } from "../src/grammar/level.js";
import { error, falseNegativeRate, falsePositiveRate, positiveRate } from "../src/metrics/answers.js";
import { calibrationError } from "../src/metrics/calibration.js";
import { expectedCost, f1, falseDiscoveryRate, precision } from "../src/metrics/counts.js";
import { kinds } from "../src/metrics/kinds.js";
import { margin } from "../src/metrics/margin.js";
import type { Look, MeanMetric } from "../src/metrics/metric.js";
import { auc } from "../src/metrics/ranking.js";
import { monotonicity, slope } from "../src/metrics/slopes.js";
import { disturbances } from "../src/problem/disturb.js";
import { comparison, measured } from "../src/problem/measure.js";
import { membersOf, type Stated } from "../src/problem/stated.js";

const numbers = (tensor: Tensor): number[] => Array.from(evaluate(tensor).data);
const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

/** Scores of two classes for a number of examples, and the truth. */
function answers(seed: number, n: number, classes = 2): Look & { z: number[]; truth: number[] } {
  const keys = random.split(random.key(seed), 2);
  const logits = random.normal(keys[0], [n, classes], { std: 2 });
  if (classes === 2) for (let i = 0; i < n; i++) logits.data[2 * i] = 0;
  const y = random.randint(keys[1], [n], 0, classes);
  return {
    target: { kind: "class", classes: Array.from({ length: classes }, (_, k) => `c${k}`), positive: 1 },
    logits: constant(logits),
    y: constant(y),
    moved: () => {
      throw new Error("not asked");
    },
    squares: constant(array(0)),
    z: Array.from({ length: n }, (_, i) => logits.data[classes * i + 1]),
    truth: Array.from(y.data),
  };
}

const rates: Record<string, MeanMetric> = {
  error,
  "positive rate": positiveRate(1),
  "false positive rate": falsePositiveRate(1),
  "false negative rate": falseNegativeRate(1),
};

describe("rates", () => {
  const look = answers(1, 200);
  const wrong = look.z.map((z, i) => Number(z > 0 !== (look.truth[i] === 1)));
  const softplus = (z: number): number => Math.log1p(Math.exp(-Math.abs(z))) + Math.max(z, 0);

  test("are counted, and of two classes trained by the logistic loss of the answer in question, in bits", () => {
    const close = (found: number[], expected: number[]) => {
      expect(found).toHaveLength(expected.length);
      for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[i], 5);
    };
    close(
      numbers(positiveRate(1).above(look)),
      look.z.map((z) => softplus(z) / Math.LN2),
    );
    close(
      numbers(falseNegativeRate(1).above(look)),
      look.z.map((z) => softplus(-z) / Math.LN2),
    );
    close(
      numbers(error.above(look)),
      look.z.map((z, i) => softplus(look.truth[i] === 1 ? -z : z) / Math.LN2),
    );
    // What should be large, or is subtracted, is bounded by its complement.
    close(
      numbers(positiveRate(1).below(look)),
      look.z.map((z) => 1 - softplus(-z) / Math.LN2),
    );
    expect(numbers(error.strict(look))).toEqual(wrong);
    expect(numbers(positiveRate(1).strict(look))).toEqual(look.z.map((z) => Number(z > 0)));
    expect(numbers(falseNegativeRate(0).strict(look))).toEqual(look.z.map((z) => Number(z > 0)));
    for (const metric of Object.values(rates)) expect(metric.level).toBe("strict");
  });

  test.each(Object.entries(rates))(
    "what is trained for the %s is never below and never above what is counted",
    (_, metric) => {
      for (const classes of [2, 3, 7]) {
        const some = answers(10 + classes, 400, classes);
        const [above, below, strict] = (["above", "below", "strict"] as const).map((side) =>
          numbers(metric[side](some)),
        );
        for (const [i, counted] of strict.entries()) {
          expect(above[i]).toBeGreaterThanOrEqual(counted - 1e-5);
          expect(below[i]).toBeLessThanOrEqual(counted + 1e-5);
        }
        // Far on its side it equals the count.
        const sure = { ...some, logits: some.logits.mul(1e4) };
        const slack = numbers(metric.above(sure)).filter((_, i) => strict[i] === 0);
        expect(Math.max(...slack)).toBeLessThan(0.1);
      }
    },
  );

  test.each(Object.entries(rates))(
    "of two classes what is trained for the %s is convex in the score",
    (_, metric) => {
      const scores = Array.from({ length: 81 }, (_, i) => (i - 40) / 5);
      const at = (side: "above" | "below"): number[] => {
        const logits = new NdArray(Float32Array.from(scores.flatMap((z) => [0, z])), [81, 2]);
        const y = constant(array(new Int32Array(81).fill(1)));
        return numbers(metric[side]({ ...look, logits: constant(logits), y }));
      };
      const bend = (list: number[], i: number): number => list[i - 1] - 2 * list[i] + list[i + 1];
      const [above, below] = [at("above"), at("below")];
      for (let i = 1; i < 80; i++) {
        expect(bend(above, i)).toBeGreaterThan(-1e-5);
        expect(bend(below, i)).toBeLessThan(1e-5);
      }
    },
  );

  test("margins of two classes are the signed score", () => {
    const signed = look.z.map((z, i) => (look.truth[i] === 1 ? z : -z));
    for (const [i, value] of numbers(margin.above(look)).entries()) expect(value).toBeCloseTo(signed[i], 5);
  });
});

describe("groups", () => {
  const look = answers(2, 120);
  const group = Array.from({ length: 120 }, (_, i) => (i % 3 === 0 ? "B" : i % 7 === 0 ? null : "A"));
  const examples = { count: 120, y: { data: look.truth }, groups: { group } } as unknown as Examples;
  const stated = (base?: Stated["base"]): Stated =>
    ({ metric: falsePositiveRate(1), group: { column: "group", value: "B" }, base }) as Stated;
  const marked = (marks: Uint8Array) => constant(array(Float32Array.from(marks)));

  test("a rate is the share of the group's examples that the metric is about, exactly", () => {
    const { own } = membersOf(stated(), examples);
    const found = measured(falsePositiveRate(1), "strict", look, marked(own));
    const about = look.z.filter((_, i) => group[i] === "B" && look.truth[i] === 0);
    const count = about.filter((z) => z > 0).length;
    expect(evaluate(found.value).item()).toBe(Math.fround(count / about.length));
    expect(evaluate(found.observed).item()).toBe(1);
  });

  test("in a minibatch without the group it is not observed, elsewhere the mean of those that are there", () => {
    const { own } = membersOf(stated(), examples);
    const rows = (keep: (i: number) => boolean) => {
      const chosen = Int32Array.from({ length: 120 }, (_, i) => i).filter(keep);
      const part: Look = {
        ...look,
        logits: look.logits.gather(constant(array(chosen))),
        y: look.y.gather(constant(array(chosen))),
      };
      const found = measured(
        falsePositiveRate(1),
        "above",
        part,
        marked(Uint8Array.from(chosen, (i) => own[i])),
      );
      return { value: evaluate(found.value).item(), observed: evaluate(found.observed).item() };
    };
    expect(rows((i) => own[i] === 0)).toEqual({ value: 0, observed: 0 });
    const few = rows((i) => i < 30);
    const all = numbers(falsePositiveRate(1).above(look));
    expect(few.observed).toBe(1);
    expect(few.value).toBeCloseTo(mean(all.filter((_, i) => i < 30 && own[i] === 1)), 5);
  });

  test("what is trained for a gap, or for a rate beside the overall one, is no less than what is counted", () => {
    for (const base of [
      { of: "rest", factor: 1 },
      { of: "overall", factor: 1.1 },
    ] as const) {
      const marks = membersOf(stated(base), examples);
      const gap = (side: "above" | "below" | "strict"): number =>
        evaluate(
          comparison(
            falsePositiveRate(1),
            side,
            { look, members: marked(marks.own) },
            { look, members: marked(marks.base!), factor: base.factor },
          ).value,
        ).item();
      const share = (m: Uint8Array) => mean(look.z.filter((_, i) => m[i] === 1).map((z) => Number(z > 0)));
      expect(gap("strict")).toBeCloseTo(share(marks.own) - base.factor * share(marks.base!), 5);
      expect(gap("above")).toBeGreaterThan(gap("strict"));
      expect(gap("below")).toBeLessThan(gap("strict"));
    }
  });

  test("the rest are those of all other groups, overall is everybody", () => {
    const rest = membersOf(stated({ of: "rest", factor: 1 }), examples);
    const overall = membersOf(stated({ of: "overall", factor: 1 }), examples);
    for (let i = 0; i < 120; i++) {
      const negative = Number(look.truth[i] === 0);
      expect(rest.own[i] + rest.base![i]).toBe(group[i] === null ? 0 : negative);
      expect(overall.base![i]).toBe(negative);
    }
  });
});

test("a row without a group, or of one that no training row is of, is neither of a group nor of the rest", () => {
  const cells = ["a", "b", null, "new", "b", "a"];
  const rows = { count: 6, groups: { g: cells } } as unknown as Examples;
  const marksOf = (value: string, of: "rest" | "overall" = "rest") => {
    const base = { of, factor: 1, ...(of === "rest" && { among: ["a", "b"] }) };
    return membersOf({ metric: {}, group: { column: "g", value }, base } as unknown as Stated, rows);
  };
  expect([...marksOf("a").own]).toEqual([1, 0, 0, 0, 0, 1]);
  expect([...marksOf("a").base!]).toEqual([0, 1, 0, 0, 1, 0]);
  expect([...marksOf("b").base!]).toEqual([1, 0, 0, 0, 0, 1]);
  expect([...marksOf("a", "overall").base!]).toEqual([1, 1, 1, 1, 1, 1]);
});

describe("calibration", () => {
  const ones = (n: number) => constant(array(new Float32Array(n).fill(1)));

  test.each([2, 3])("the strict metric of %d classes is the expected calibration error", (classes) => {
    const look = answers(3, 300, classes);
    const rows = numbers(look.logits.softmax());
    const p = look.truth.map((_, i) => {
      const row = rows.slice(classes * i, classes * (i + 1));
      return classes === 2 ? row[1] : Math.max(...row);
    });
    const happened = look.truth.map((k, i) => {
      if (classes === 2) return k === 1;
      const row = rows.slice(classes * i, classes * (i + 1));
      return row.indexOf(Math.max(...row)) === k;
    });
    const found = evaluate(calibrationError.strict(look, ones(300))).item();
    expect(found).toBeCloseTo(expectedCalibration(p, happened), 5);
  });

  test("the surrogate equals it where probabilities are in the middle of their bins", () => {
    const p = Array.from({ length: 150 }, (_, i) => ((i % 15) + 0.5) / 15);
    const look = answers(4, 150);
    const logits = new NdArray(Float32Array.from(p.flatMap((q) => [0, Math.log(q / (1 - q))])), [150, 2]);
    const there = { ...look, logits: constant(logits) };
    const [value, strict] = (["above", "strict"] as const).map((side) =>
      evaluate(calibrationError[side](there, ones(150))).item(),
    );
    expect(value).toBeCloseTo(strict, 2);
  });
});

describe("slopes", () => {
  /** A number that is 0.7 × the first feature, and so moves by 0.7 a deviation. */
  const look: Look = {
    target: { kind: "number", mean: 0, deviation: 1 },
    logits: constant(array([0.7, -1.4, 0])),
    y: constant(array([0, 0, 0])),
    moved: (_, by) => ({
      target: { kind: "number", mean: 0, deviation: 1 },
      logits: constant(array([0.7 + 0.7 * by, -1.4 + 0.7 * by, 0.7 * by])),
    }),
    squares: constant(array(0)),
  };
  const options = { feature: 0, step: 0.25 };

  test("what rises violates falling by its slope, and rising not at all", () => {
    for (const value of numbers(monotonicity(options, "decreasing").above(look)))
      expect(value).toBeCloseTo(0.7, 4);
    expect(numbers(monotonicity(options, "decreasing").strict(look))).toEqual([1, 1, 1]);
    expect(numbers(monotonicity(options, "increasing").above(look))).toEqual([0, 0, 0]);
    expect(numbers(monotonicity(options, "increasing").strict(look))).toEqual([0, 0, 0]);
  });

  test("with a constant slope, surrogate and strict metric are that slope", () => {
    for (const side of ["above", "strict"] as const)
      expect(evaluate(slope(options)[side](look, constant(array([1, 1, 1])))).item()).toBeCloseTo(0.7, 3);
  });
});

describe("disturbances", () => {
  const x = random.normal(random.key(5), [40, 3]);
  const examples = {
    count: 40,
    x,
    missing: (feature: number, i: number) => feature === 1 && i === 7,
  } as unknown as Examples;
  const prepared = {
    numeric: new Map([
      ["a", 0],
      ["b", 1],
    ]),
    images: false,
  } as unknown as Prepared;
  const under = (more: object) => [
    { spec: { under: { noise: 0.5, draws: 2, ...more } } } as unknown as Stated,
  ];
  const moves = ({ data }: NdArray): number[][] =>
    Array.from({ length: 80 }, (_, row) =>
      [0, 1, 2].map((j) => data[3 * row + j] - x.data[3 * Math.floor(row / 2) + j]),
    );

  test("noise stays within its bound, on numeric columns that are not missing", async () => {
    const { d0 } = await disturbances(under({}), prepared, 1).copies(examples, "train");
    expect(d0.shape).toEqual([40, 2, 3]);
    for (const [row, [a, b, c]] of moves(d0).entries()) {
      expect(Math.abs(a)).toBeLessThanOrEqual(0.5 + 1e-6);
      expect(a).not.toBe(0);
      expect(b === 0).toBe(Math.floor(row / 2) === 7);
      expect(c).toBe(0);
    }
  });

  test("only named columns move, and a seed gives the same copies again", async () => {
    const copies = async (seed: number) =>
      (await disturbances(under({ columns: ["b"] }), prepared, seed).copies(examples, "train")).d0;
    const found = await copies(1);
    expect(moves(found).every(([a]) => a === 0)).toBe(true);
    expect((await copies(1)).data).toEqual(found.data);
    expect((await copies(2)).data).not.toEqual(found.data);
  });

  test("an image moved by a whole pixel is the image one pixel further", async () => {
    const pixels = new Float32Array(2 * 28 * 28);
    for (const at of [28 * 10 + 10, 784 + 28 * 5 + 20]) pixels[at] = 1;
    const images = { count: 2, x: new NdArray(pixels, [2, 1, 28, 28]) } as unknown as Examples;
    const stated = [{ spec: { under: { translation: [1 / 28, 1 / 28], draws: 1 } } } as unknown as Stated];
    const { d0 } = await disturbances(stated, { images: true } as Prepared, 1).copies(images, "test");
    expect(d0.shape).toEqual([2, 1, 1, 28, 28]);
    expect(d0.data[28 * 11 + 11]).toBeCloseTo(1, 4);
    expect(d0.data[784 + 28 * 6 + 21]).toBeCloseTo(1, 4);
    expect(Array.from(d0.data).reduce((a, b) => a + b)).toBeCloseTo(2, 3);
  });

  test("an image turned by a right angle has above what was to the right", async () => {
    const pixels = new Float32Array(28 * 28);
    pixels[28 * 13 + 20] = 1;
    const images = { count: 1, x: new NdArray(pixels, [1, 1, 28, 28]) } as unknown as Examples;
    const stated = [{ spec: { under: { rotation: [90, 90], draws: 1 } } } as unknown as Stated];
    const { d0 } = await disturbances(stated, { images: true } as Prepared, 1).copies(images, "test");
    expect(d0.data[28 * 7 + 13]).toBeCloseTo(1, 4);
  });
});

describe("words", () => {
  test.each([
    ["overall", 1, 0],
    ["overall + 0.02", 1, 0.02],
    ["overall − 0.02", 1, -0.02],
    ["overall*1.1", 1.1, 0],
    ["Overall * 0.9 - 1e-3", 0.9, -0.001],
  ])("the level %s is %d times the overall metric plus %d", (text, factor, offset) => {
    expect(readLevel(text)).toEqual({ factor, offset });
    expect(readLevel(showRelative({ factor, offset }).replace("×", "*"))).toEqual({ factor, offset });
  });

  test("a level in percent is refused with the share that was meant", () => {
    expect(() => readLevel("20%")).toThrow("for 20%, write 0.2.");
    expect(() => readLevel("2.5 %")).toThrow("for 2.5%, write 0.025.");
  });

  test("a cost times a factor is that many times as dear", () => {
    const texts = ["quadratic(2)", "linear(0.5)", "power(3, 1.5)", "maximum(2)", "huber(2, 0.5)"];
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 1, maxLength: 4 }),
        (text, factor, u) => {
          const [plain, scaled] = [text, costOf(text).times(factor)].map((t) =>
            onNumbers(costOf(t).cost).value(u),
          );
          expect(scaled).toBeCloseTo(factor * plain, 6);
        },
      ),
      { numRuns: 60 },
    );
    expect(["hard", "free"].map((text) => costOf(text).times(3))).toEqual(["hard", "free"]);
    expect(costOf("power(3, 2)")).toBe(costOf("power(3, 2)"));
  });
});

test("the interval of a loss does not go below 0", () => {
  const marks = Uint8Array.from([1, 1, 1, 0]);
  const { value, interval } = meanOver({ data: Float32Array.from([0, 0, 9, 100]) }, marks);
  expect(value).toBe(3);
  expect(interval![0]).toBe(0);
  expect(interval![1]).toBeGreaterThan(8);
  // A metric that may be negative keeps its sign.
  expect(meanOver({ data: Float32Array.from([-1, 0, 10]) }, marks).interval![0]).toBeLessThan(-3);
});

test("a class that there is not, and costs of other classes, are refused where they would hold for nothing", () => {
  const [two, three] = [answers(1, 20), answers(2, 20, 3)];
  for (const metric of [falseNegativeRate, falsePositiveRate, positiveRate]) {
    expect(() => metric(2).strict(two)).toThrow("there is no class 2: of 2 classes the last is 1.");
    expect(() => metric(3).strict(three)).toThrow("there is no class 3");
    expect(() => metric(-1).above(two)).toThrow("there is no class -1");
    expect(() => metric(2).strict(three)).not.toThrow();
  }
  for (const metric of [precision, falseDiscoveryRate, f1, auc])
    for (const [k, look] of [
      [2, two],
      [3, three],
      [-1, three],
    ] as const) {
      const weights = constant(array(new Array(20).fill(1)));
      expect(() => metric(k).strict(look, weights)).toThrow(`there is no class ${k}`);
      expect(() => metric(k).above(look, weights)).toThrow(`there is no class ${k}`);
      expect(() => metric(k).below(look, weights)).toThrow(`there is no class ${k}`);
    }
  const costs = [
    [0, 1],
    [5, 0],
  ];
  expect(() => expectedCost(costs).strict(three)).toThrow("costs are of 2 classes, and there are 3.");
});

test("the guide of specs has a row for every metric, as the metric's file states it", () => {
  const guide = readFileSync(new URL("../../../docs/spec.md", import.meta.url), "utf8");
  const [, table] = guide.split(
    "| metric | strict: what the level is about | surrogate: what the model follows |\n",
  );
  const rows = table.split("\n\n")[0].split("\n").slice(1);
  expect(rows).toEqual(
    kinds.map(
      ({ name, row: [strict, surrogate] }) => `| \`${name}\` | ${strict} | ${surrogate}${surrogate && " "}|`,
    ),
  );
});
