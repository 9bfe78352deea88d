// The invariance tables, cell by cell, from invented results, and how any table is written as text.
import { describe, expect, test } from "vitest";
import { type Request, recipe, transformations } from "../src/invariance/recipe.js";
import { type Row, rowOf } from "../src/invariance/rows.js";
import { labelOf, tables, tablesText } from "../src/invariance/tables.js";
import { tableText } from "../src/table.js";

const as = {
  dataset: "mnist",
  variant: "rotated-90",
  method: "resilient",
  model: "mlp",
  preset: "official",
} as const;

/** Seeds from 1; rotation, translation and scale gave 0.1, 0.2 and 0.3 at half of that as prices. */
function row(request: Partial<Request>, accuracies: readonly number[] = [97, 97.2, 97.4]): Row {
  const run = recipe({ ...as, ...request });
  const required = run.method === "constrained" || run.method === "resilient";
  const requirements = Object.fromEntries(
    transformations.map((name, i) => [
      name,
      { level: run.level, reached: 0.2, relaxation: (i + 1) / 10, price: (i + 1) / 20 },
    ]),
  );
  return rowOf(
    run,
    accuracies.map((accuracy, i) => ({
      ...{ seed: i + 1, accuracy, objective: 0.1, seconds: 100, together: 10 },
      requirements: required ? requirements : {},
    })),
  );
}

describe("settings of a run beyond its preset", () => {
  const label = (request: Partial<Request>) => labelOf({ recipe: recipe({ ...as, ...request }) });

  test("tells its line from others", () => {
    expect(label({})).toBe("resilient");
    expect(label({ cost: "power4", alpha: 2, level: 0.3, samples: 4 })).toBe(
      "resilient, power4, α 2, ε 0.3, 4 samples",
    );
    expect(label({ method: "constrained", level: 0.3 })).toBe("constrained, ε 0.3");
    expect(label({ method: "augerino", samples: 31 })).toBe("augerino, 31 samples");
  });

  test("is not said where the preset has it, or the method has no use for it", () => {
    expect(label({ variant: "original", alpha: 1 })).toBe("resilient");
    expect(label({ dataset: "fashion-mnist", level: 0.2 })).toBe("resilient");
    expect(label({ method: "constrained", alpha: 2, cost: "linear" })).toBe("constrained");
    expect(label({ method: "unconstrained", level: 0.3, alpha: 2, cost: "linear" })).toBe("unconstrained");
  });
});

describe("the table of accuracies", () => {
  test("is methods by variants, each beside the paper's", () => {
    const rows = [
      row({}),
      row({ method: "unconstrained" }, [96]),
      row({ variant: "scaled" }, [98, 98.5]),
      row({ method: "unconstrained", variant: "scaled" }, [97.127]),
    ];
    expect(tables(rows)[0]).toEqual({
      title: "Test accuracy in percent: mnist, mlp, official, 1000 epochs, seeds 1, 2, 3 or 1 or 1, 2",
      head: ["method", "rotated-90", "paper", "scaled", "paper"],
      body: [
        ["resilient", "97.20 ± 0.20", "97.19 ± 0.09", "98.25 ± 0.35", "98.20 ± 0.04"],
        ["unconstrained", "96.00", "96.25 ± 0.13", "97.13", "97.47 ± 0.03"],
      ],
    });
    expect(tables([row({}), row({ method: "uniform", variant: "scaled" })])[0].body).toEqual([
      ["resilient", "97.20 ± 0.20", "97.19 ± 0.09", "", ""],
      ["uniform", "", "", "97.20 ± 0.20", ""],
    ]);
  });

  test("is one for each dataset, model, preset, length and number of images", () => {
    const alone = { method: "unconstrained" } as const;
    const others: Partial<Request>[] = [
      { dataset: "fashion-mnist" },
      { model: "lenet" },
      { preset: "stated" },
      { epochs: 30 },
      { subset: 500 },
    ];
    const rows = [{}, ...others].map((other, i) => row({ ...alone, ...other }, [90 + i]));
    const found = tables([...rows, row({ ...alone, variant: "scaled" }, [50])]);
    expect(
      found.map(({ title }) => title.replace(/^Test accuracy in percent: (.*), seeds 1$/, "$1")),
    ).toEqual([
      "mnist, mlp, official, 1000 epochs",
      "fashion-mnist, mlp, official, 1000 epochs",
      "mnist, lenet, official, 1000 epochs",
      "mnist, mlp, stated, 1000 epochs",
      "mnist, mlp, official, 30 epochs",
      "mnist, mlp, official, 1000 epochs, first 500 images",
    ]);
    // Each of its own runs.
    const cells = found.map(({ body: [line] }) => line.filter((cell) => cell.endsWith(".00")));
    expect(cells).toEqual([["90.00", "50.00"], ["91.00"], ["92.00"], ["93.00"], ["94.00"], ["95.00"]]);
  });
});

test("the table of requirements is of the runs that have some", () => {
  const rows = [
    row({}),
    row({ method: "unconstrained" }, [96]),
    row({ method: "constrained" }),
    row({ alpha: 2 }),
  ];
  const [, requirements, ...rest] = tables(rows);
  expect(rest).toEqual([]);
  expect(requirements).toEqual({
    title:
      "Relaxations and prices, and the relaxations of the paper's figure: mnist, mlp, official, 1000 epochs, seeds 1, 2, 3",
    head: [
      ...["variant", "method", "α", "ε", "u, rotation", "paper", "λ"],
      ...["u, translation", "paper", "λ", "u, scale", "paper", "λ"],
    ],
    body: [
      [
        ...["rotated-90", "resilient", "0.5", "0.1"],
        ...["0.100", "0.111", "0.050", "0.200", "0.305", "0.100", "0.300", "0.360", "0.150"],
      ],
      [
        ...["rotated-90", "constrained", "", "0.1"],
        ...["0.100", "", "0.050", "0.200", "", "0.100", "0.300", "", "0.150"],
      ],
      [
        ...["rotated-90", "resilient, α 2", "2", "0.1"],
        ...["0.100", "", "0.050", "0.200", "", "0.100", "0.300", "", "0.150"],
      ],
    ],
  });
});

describe("the table of cost norms", () => {
  const fashion = { dataset: "fashion-mnist", variant: "rotated-180" } as const;
  const norms = (rows: readonly Row[]) => tables(rows).filter(({ title }) => title.startsWith("Cost norms"));

  test("is by β, over the variants of the paper's", () => {
    const lenet = { ...fashion, model: "lenet" } as const;
    const rows = [
      row({ ...lenet, cost: "maximum" }, [80]),
      row({ ...lenet, cost: "linear", variant: "translated" }, [84, 85]),
      row(lenet, [85]),
      row({ ...lenet, method: "constrained", cost: "power4" }, [70]),
      row({ ...lenet, variant: "scaled", cost: "power4" }, [71]),
    ];
    expect(norms(rows)).toEqual([
      {
        title:
          "Cost norms, test accuracy in percent: fashion-mnist, lenet, official, 1000 epochs, α 2, ε 0.1, 2 samples, seeds 1 or 1, 2",
        head: ["β", "cost", "rotated-180", "paper", "rotated-90", "paper", "translated", "paper"],
        body: [
          ["1", "linear", "", "", "", "", "84.50 ± 0.71", "85.02 ± 0.46"],
          ["2", "quadratic", "85.00", "85.37 ± 0.17", "", "", "", ""],
          ["4", "power4", "", "", "", "", "", ""],
          ["∞", "maximum", "80.00", "82.94 ± 0.17", "", "", "", ""],
        ],
      },
    ]);
  });

  test("is one for each α, ε and number of copies of which there are several costs", () => {
    const costs = (request: Partial<Request>, seeds: readonly number[]) =>
      (["linear", "quadratic"] as const).map((cost) => row({ ...fashion, ...request, cost }, seeds));
    const found = norms([
      ...costs({}, [85]),
      ...costs({ alpha: 2 }, [84, 84]),
      ...costs({ level: 0.1 }, [83]),
      ...costs({ samples: 4 }, [82]),
      row({ ...fashion, alpha: 3 }),
      row({ ...fashion, alpha: 3, variant: "translated" }),
    ]);
    expect(found.map(({ title }) => title.replace(/^.*1000 epochs, /, ""))).toEqual([
      "α 0.5, ε 0.2, 2 samples, seeds 1",
      "α 2, ε 0.2, 2 samples, seeds 1, 2",
      "α 0.5, ε 0.1, 2 samples, seeds 1",
      "α 0.5, ε 0.2, 4 samples, seeds 1",
    ]);
    expect(found.map(({ body }) => body[0][2])).toEqual(["85.00", "84.00 ± 0.00", "83.00", "82.00"]);
  });
});

describe("a table as text", () => {
  test("has columns as wide as they need, numbers to the right and words to the left", () => {
    const text = tableText({
      title: "Of all sorts",
      head: ["name", "n", "spread", "mixed", "left out"],
      body: [
        ["a", "−1.5", "10.25 ± 0.50", "3", ""],
        ["longer", "12", "−9.00 ± 0.25", "none", "7"],
        ["b", "", "1", "−", ""],
      ],
    });
    expect(text.split("\n")).toEqual([
      "Of all sorts",
      "name       n        spread  mixed  left out",
      "──────  ────  ────────────  ─────  ────────",
      "a       −1.5  10.25 ± 0.50  3",
      "longer    12  −9.00 ± 0.25  none          7",
      "b                        1  −",
    ]);
  });

  test("has words where anything but a number stands about one", () => {
    const column = (cell: string) =>
      tableText({ title: "", head: ["column"], body: [[cell]] }).split("\n")[3];
    for (const words of ["3 m", "m 3", "3 ± ", "3 ± m", "± 3", "∞", "1e5"])
      expect(column(words)).toBe(words.trimEnd());
    for (const number of ["3", "−3", "3.25", "30 ± 5"]) expect(column(number)).toBe(number.padStart(6));
  });

  test("follows another after an empty line", () => {
    const rows = [row({ method: "unconstrained" }), row({ method: "unconstrained", epochs: 30 })];
    const parts = tablesText(rows).split("\n\n");
    expect(parts).toEqual(tables(rows).map(tableText));
    expect(parts).toHaveLength(2);
  });
});
