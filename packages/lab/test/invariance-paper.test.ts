// The paper's invariance numbers, against a second transcription, and the runs they may stand beside.
import { invariance } from "@pliant/lab";
import { describe, expect, test } from "vitest";

const {
  costNames,
  figures,
  methods,
  networkOf,
  publishedAccuracy,
  publishedCostNorm,
  publishedMeanPrice,
  publishedRelaxations,
  recipe,
  rowOf,
  tablesText,
  transformations,
  variants,
} = invariance;
type Variant = invariance.Variant;

const as = { model: "mlp", preset: "official" } as const;
const asPaper = (dataset: "mnist" | "fashion-mnist", method: invariance.Method) =>
  ({ dataset, method, model: networkOf({ dataset, method }), preset: "official" }) as const;

/** Rows as the paper's source has them. */
const cells = (row: string): [number, number][] =>
  [...row.matchAll(/([\d.]+) \\pm ([\d.]+)/g)].map(([, mean, std]) => [Number(mean), Number(std)]);
const columns: readonly Variant[] = ["rotated-180", "rotated-90", "translated", "scaled", "original"];

describe("the accuracy tables", () => {
  const source = {
    mnist: {
      augerino: String.raw`$\mathbf{97.78 \pm 0.03}$&$96.38 \pm 0.00$&$94.65 \pm 0.01$&$97.53 \pm 0.00$&$98.44 \pm 0.00$`,
      unconstrained: String.raw`$94.49 \pm 0.12$&$96.25 \pm 0.13$&$94.64 \pm 0.20$&$97.47 \pm 0.03$&$98.45 \pm 0.06$`,
      constrained: String.raw`$94.55 \pm 0.18$&$96.90 \pm 0.07$&$93.74 \pm 0.07$&$97.92 \pm 0.15$&$98.74 \pm 0.08$`,
      resilient: String.raw`$95.38 \pm 0.18$& $\mathbf{97.19 \pm 0.09}$&$ \mathbf{95.21 \pm 0.15}$&$\mathbf{98.20 \pm 0.04}$&$\mathbf{98.86 \pm 0.02}$`,
    },
    "fashion-mnist": {
      augerino: String.raw`$\mathbf{85.28 \pm 0.54}$&$81.48 \pm 0.49$&$81.13 \pm 0.77$&$83.17 \pm 0.46$&$90.09 \pm 0.20$`,
      unconstrained: String.raw`$77.94 \pm 0.06$&$81.57 \pm 0.36$&$79.23 \pm 0.17$&$82.99 \pm 0.18$&$90.20 \pm 0.23$`,
      constrained: String.raw`$84.96 \pm 0.12$&$85.66 \pm 0.32$&$83.61 \pm 0.10$&$86.49 \pm 0.09$&$91.02 \pm 0.02$`,
      resilient: String.raw`$\mathbf{85.57 \pm 0.26}$&$\mathbf{86.48 \pm 0.15}$&$\mathbf{85.06 \pm 0.23}$&$\mathbf{87.26 \pm 0.14}$&$\mathbf{91.55 \pm 0.31}$`,
    },
  };
  const rows = Object.entries(source).flatMap(([dataset, table]) =>
    Object.entries(table).map(([method, row]) => ({ dataset, method, row })),
  );
  test.each(rows)("$dataset, $method", ({ dataset, method, row }) => {
    const found = columns.map((variant) =>
      publishedAccuracy(recipe({ ...asPaper(dataset as "mnist", method as "resilient"), variant })),
    );
    expect(found.map((cell) => [cell?.mean, cell?.std])).toEqual(cells(row));
  });
});

test("the cost-norm table, over the sets its quadratic row is of", () => {
  const source = {
    linear: String.raw`1.0 & $86.08 \pm 0.38$ & $86.85 \pm 0.20$ & $85.02 \pm 0.46$`,
    quadratic: String.raw`2.0 & $85.37 \pm 0.17$ & $86.65 \pm 0.25$ & $84.92 \pm 0.39$`,
    power4: String.raw`4.0 & $85.23 \pm 0.20$ & $86.64 \pm 0.11$ & $84.65 \pm 0.68$`,
    maximum: String.raw`$\infty$ & $82.94 \pm 0.17$ & $85.47 \pm 0.19$ & $83.35 \pm 0.49$`,
  };
  for (const cost of costNames) {
    const found = columns.map((variant) =>
      publishedCostNorm(recipe({ ...asPaper("fashion-mnist", "resilient"), variant, cost })),
    );
    expect(found.slice(0, 3).map((cell) => [cell?.mean, cell?.std])).toEqual(cells(source[cost]));
    expect(found.slice(3)).toEqual([undefined, undefined]);
  }
});

test("the figure's relaxations agree with its mean prices: the mean of u is the price over α", () => {
  for (const dataset of ["mnist", "fashion-mnist"] as const)
    for (const variant of variants) {
      const run = recipe({ ...asPaper(dataset, "resilient"), variant, alpha: 0.5 });
      const bars = Object.values(publishedRelaxations(run)!);
      expect(bars).toHaveLength(3);
      const mean = bars.reduce((a, b) => a + b, 0) / 3;
      // Bars are read to a few thousandths.
      expect(Math.abs(0.5 * mean - publishedMeanPrice(run)!)).toBeLessThan(0.006);
    }
});

describe("a number stands beside a run only where it is of that run", () => {
  const request = { ...as, dataset: "mnist", variant: "rotated-90", method: "resilient" } as const;
  const all = (run: invariance.Recipe) => [
    publishedAccuracy(run)?.mean,
    publishedCostNorm(run)?.mean,
    publishedRelaxations(run)?.scale,
    publishedMeanPrice(run),
  ];

  test("the table's α on the original MNIST set is not the figure's", () => {
    const original = { ...request, variant: "original" } as const;
    expect(all(recipe(original))).toEqual([98.86, undefined, undefined, undefined]);
    expect(all(recipe({ ...original, alpha: 0.5 }))).toEqual([undefined, undefined, 0.133, 0.053]);
    expect(all(recipe(request))).toEqual([97.19, undefined, 0.36, 0.132]);
  });

  test("Fashion-MNIST's tables are of LeNet at ε = 0.1 and α = 2, its figure of α = 0.5", () => {
    const fashion = { ...request, ...asPaper("fashion-mnist", "resilient") } as const;
    expect(recipe(fashion)).toMatchObject({ level: 0.1, alpha: 2 });
    const none = [undefined, undefined, undefined, undefined];
    expect(all(recipe(fashion))).toEqual([86.48, 86.65, undefined, undefined]);
    // The notebook's third bar: it lists rotation, scale, translation.
    expect(all(recipe({ ...fashion, alpha: 0.5 }))).toEqual([undefined, undefined, 0.645, 0.273]);
    expect(all(recipe({ ...fashion, level: 0.2 }))).toEqual(none);
    for (const other of [{}, { level: 0.1 }, { alpha: 2 }, { level: 0.1, alpha: 2 }])
      expect(all(recipe({ ...fashion, model: "mlp", ...other }))).toEqual(none);
  });

  test.each([
    { epochs: 30 },
    { subset: 10_000 },
    { preset: "corrected" as const },
    { alpha: 2 },
    { level: 0.25 },
    { dataset: "strokes" as const },
  ])("not of %o", (other) => {
    expect(all(recipe({ ...request, ...other }))).toEqual([undefined, undefined, undefined, undefined]);
  });

  test.each(["linear", "power4", "maximum"] as const)("85.57 is not of the cost %s", (cost) => {
    const run = recipe({ ...asPaper("fashion-mnist", "resilient"), variant: "rotated-180", cost });
    expect(publishedAccuracy(run)).toBeUndefined();
    expect(publishedCostNorm(run)).toBeDefined();
    expect(publishedRelaxations({ ...run, alpha: 0.5 })).toBeUndefined();
  });

  test("LeNet's MNIST runs have no counterpart in the table", () => {
    expect(publishedAccuracy(recipe({ ...request, model: "lenet" }))).toBeUndefined();
    expect(publishedRelaxations(recipe({ ...request, model: "lenet" }))?.scale).toBe(0.36);
  });

  test("the constrained method has prices in the figure and no relaxations", () => {
    const run = recipe({ ...request, method: "constrained" });
    expect(all(run)).toEqual([96.9, undefined, undefined, 7.7]);
    // The scripts' α = 1 on the original set is nothing to it.
    expect(all(recipe({ ...request, method: "constrained", variant: "original" }))).toEqual([
      ...[98.74, undefined, undefined, 2],
    ]);
  });

  test("of Fashion-MNIST's constrained runs the figure shows one, and the table of costs none", () => {
    const fashion = { ...request, ...asPaper("fashion-mnist", "constrained") } as const;
    expect(all(recipe({ ...fashion, variant: "original" }))).toEqual([91.02, undefined, undefined, 12.2]);
    expect(all(recipe(fashion))).toEqual([85.66, undefined, undefined, undefined]);
  });
});

describe("tables and figures", () => {
  const results = (accuracies: readonly number[], required: boolean) =>
    accuracies.map((accuracy, i) => ({
      seed: i + 1,
      accuracy,
      objective: 0.1,
      requirements: required
        ? Object.fromEntries(
            transformations.map((t, j) => [
              t,
              { level: 0.1, reached: 0.2, relaxation: 0.1 * (j + 1), price: 0.05 * (j + 1) },
            ]),
          )
        : {},
      seconds: 100,
      together: 10,
    }));
  const row = (request: Partial<invariance.Request>, accuracies = [97, 97.2, 97.4]) => {
    const wanted = recipe({
      ...as,
      dataset: "mnist",
      variant: "rotated-90",
      method: "resilient",
      ...request,
    });
    return rowOf(wanted, results(accuracies, ["constrained", "resilient"].includes(wanted.method)));
  };

  test("spread is of a sample", () => {
    expect(row({}).accuracy).toMatchObject({ mean: expect.closeTo(97.2, 9), std: expect.closeTo(0.2, 9) });
  });

  test("runs of other settings have lines of their own, with what tells them apart and without the paper's number", () => {
    const text = tablesText([
      row({}),
      row({ alpha: 2 }),
      row({ cost: "linear" }),
      row({ method: "constrained", level: 0.3 }),
    ]);
    const lines = text
      .slice(0, text.indexOf("Cost norms"))
      .split("\n")
      .filter((line) => / ± 0.20/.test(line));
    expect(lines.map((line) => line.replace(/ {2,}/g, "|"))).toEqual([
      "resilient|97.20 ± 0.20|97.19 ± 0.09",
      "resilient, α 2|97.20 ± 0.20",
      "resilient, linear|97.20 ± 0.20",
      "constrained, ε 0.3|97.20 ± 0.20",
    ]);
    expect(text).toContain("mnist, mlp, official, 1000 epochs, seeds 1, 2, 3");
  });

  test("cost norms are a table, each cost beside its own number", () => {
    const fashion = { ...asPaper("fashion-mnist", "resilient"), variant: "rotated-180" } as const;
    const text = tablesText(costNames.map((cost) => row({ ...fashion, cost })));
    const norms = text.slice(text.indexOf("Cost norms"));
    expect(norms).toMatch(/1 +linear +97.20 ± 0.20 +86.08 ± 0.38/);
    expect(norms).toMatch(/∞ +maximum +97.20 ± 0.20 +82.94 ± 0.17/);
    expect(tablesText([row(fashion)])).not.toContain("Cost norms");
  });

  test("a figure is of one ε and α, and has the paper's points where it is the paper's", () => {
    const drawn = figures([row({}), row({ level: 0.2 }), row({ method: "constrained" })]);
    expect(drawn.map(({ name }) => name)).toEqual([
      "relaxations-mnist-mlp-official-epochs-1000-level-0.1-quadratic-0.5",
      "prices-mnist-mlp-official-epochs-1000-level-0.1-quadratic-0.5",
      "relaxations-mnist-mlp-official-epochs-1000-level-0.2-quadratic-0.5",
      "prices-mnist-mlp-official-epochs-1000-level-0.2-quadratic-0.5",
    ]);
    expect(drawn.map(({ svg }) => svg.includes(">paper<"))).toEqual([true, true, false, false]);
  });

  test("every method has a line", () => {
    const text = tablesText(methods.map((method) => row({ method })));
    for (const method of methods) expect(text).toContain(`\n${method} `);
  });
});
