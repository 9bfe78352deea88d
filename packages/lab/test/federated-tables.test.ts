// The federated tables, cell by cell, from invented runs whose numbers are worked out by hand.
import { describe, expect, it } from "vitest";
import { type Request, recipe } from "../src/federated/recipe.js";
import { type ClientOutcome, type Row, rowOf } from "../src/federated/row.js";
import {
  alphaTable,
  bySetting,
  costNormTable,
  largestTable,
  pairs,
  rankTable,
  ratesTable,
  requirementTable,
  spreadTable,
} from "../src/federated/tables.js";

interface Run {
  readonly seed?: number;
  readonly globalAccuracy?: number;
  readonly seconds?: number;
  readonly accuracies?: readonly number[];
  readonly clients?: Partial<Record<keyof ClientOutcome, readonly number[]>>;
}

/** Five clients, of the 100 that the recipe speaks of. */
function row(request: Partial<Request>, run: Run = {}): Row {
  const {
    seed = 0,
    globalAccuracy = 80,
    seconds = 60,
    accuracies = [70, 80, 85, 90, 95],
    clients = {},
  } = run;
  const of = (name: keyof ClientOutcome, c: number) => clients[name]?.[c] ?? 0;
  const perClient = accuracies.map((testAccuracy, c) => ({
    relaxation: of("relaxation", c),
    price: of("price", c),
    minorityShare: of("minorityShare", c),
    samples: 10,
    trainLoss: of("trainLoss", c),
    trainAccuracy: 50,
    testLoss: of("testLoss", c),
    testAccuracy,
  }));
  const asked = { dataset: "cifar-10", method: "resilient", preset: "official", rounds: 500 } as const;
  return rowOf(recipe({ ...asked, ...request }), { seed, globalAccuracy, seconds, perClient });
}

const constrained = { method: "constrained" } as const;
const corrected = { preset: "corrected" } as const;
const fashion = { dataset: "fashion-mnist" } as const;
const kind = ["official", "500", "convnet", "100"];

/** Above their mean of 0.4 by −0.4 and four times 0.1 in training, of 0.3 by −0.3, −0.3 and three times 0.2 in testing. */
const clients = {
  trainLoss: [0, 0.5, 0.5, 0.5, 0.5],
  testLoss: [0, 0, 0.5, 0.5, 0.5],
  relaxation: [0, 0.2, 0.3, 0.15, 0.05],
  // 2u, but at the second client.
  price: [0, 1, 0.6, 0.3, 0.1],
  minorityShare: [0, 0.1, 0.2, 0.3, 0.4],
};
const strict = { ...clients, relaxation: [], price: [0, 2, 4, 7.25, 3] };

describe("runs of one setting", () => {
  it("are together, whatever their seeds, in the order in which settings first appear", () => {
    const rows = [row({}, { seed: 1 }), row(constrained), row({}, { seed: 2 }), row({ alpha: 4 })];
    expect(bySetting(rows)).toEqual([[rows[0], rows[2]], [rows[1]], [rows[3]]]);
    expect(bySetting(rows, ({ seed }) => String(seed))).toEqual([[rows[0]], [rows[1], rows[3]], [rows[2]]]);
  });

  it("are a mean with a sample's deviation, and one run is a number alone", () => {
    const first = { seed: 1, globalAccuracy: 82, seconds: 100 };
    const second = { seed: 2, globalAccuracy: 84, seconds: 120, accuracies: [60, 80, 88, 92, 96] };
    const rows = [
      row({}, first),
      row({}, second),
      row({ ...constrained, ratio: 0.05 }, first),
      row(corrected, first),
    ];
    // (84 + 83.2) / 2 ± 0.8/√2; (10 + 12) / 2 ± 2/√2; (25 + 36) / 2 ± 11/√2.
    const twice = ["110 ± 14", "83.6 ± 0.6", "11.0 ± 1.4", "30.5 ± 7.8", "83.0 ± 1.4"];
    const once = ["100", "84.0", "10.0", "25.0", "82.0"];
    expect(spreadTable(rows)).toEqual({
      title: "Client test accuracies (percent)",
      head: [
        ...["dataset", "kept", "method", "preset", "rounds", "model", "clients", "seconds"],
        ...["mean", "IQR", "range", "all test", "paper: mean", "IQR", "range"],
      ],
      body: [
        ["cifar-10", "0.1", "resilient", ...kind, ...twice, "81.5", "8.7", "46.4"],
        ["cifar-10", "0.05", "constrained", ...kind, ...once, "82.4", "8.4", "32.0"],
        ["cifar-10", "0.1", "resilient", "corrected", ...kind.slice(1), ...once, "", "", ""],
      ],
    });
  });

  it("show a number that is none as what it is", () => {
    const [cells] = spreadTable([row({}, { globalAccuracy: Number.NaN })]).body;
    expect(cells[11]).toBe("NaN");
  });
});

it("the table of requirements", () => {
  const rows = [
    row({}, { clients }),
    row({ ...corrected, cost: "linear" }, { clients }),
    row(constrained, { clients: strict }),
    row({ method: "unconstrained" }, { clients: { ...clients, relaxation: [], price: [] } }),
  ];
  const { title, head, body } = requirementTable(rows);
  expect(title).toBe("Clients above their requirement, nominal (R̄ + ε) and relaxed (R̄ + ε + u)");
  expect(head).toEqual([
    ...["dataset", "kept", "method", "preset", "rounds", "model", "clients", "ε", "α"],
    ...["η_λ used", "η_u used", "nominal: train", "test", "relaxed: train", "test", "mean loss", "RMS u"],
    ...["largest λ", "largest gap", "equilibrium residual", "corr(u, minority)"],
  ]);
  // A tenth of the rounds takes ten times the rates, 2 and 0.5. u = λ/α is off at one client alone, where (u + λ)/(1 + α) is 0.4:
  // 0.2/√0.275. Of the shares 1, 2, 3, 4 the relaxations' ranks are 3, 4, 2, 1: 1 − 6·18/60.
  const [resilient, linear, insisting, free] = body;
  expect(resilient).toEqual([
    ...["cifar-10", "0.1", "resilient", ...kind, "0.02", "2", "20.00", "5.00"],
    ...["4", "3", "1", "2", "0.4000", "0.1761", "1.00", "0.100", "0.38", "−0.80"],
  ]);
  // The corrected preset has no step in u.
  expect(linear.slice(0, 15)).toEqual([
    ...["cifar-10", "0.1", "resilient", "corrected", ...kind.slice(1), "0.02", "2", "20.00", "exact"],
    ...["4", "3", "1", "2"],
  ]);
  expect(insisting).toEqual([
    ...["cifar-10", "0.1", "constrained", ...kind, "0.02", "", "20.00", ""],
    ...["4", "3", "4", "3", "0.4000", "0.0000", "7.25", "0.100", "", ""],
  ]);
  expect(free).toEqual([
    ...["cifar-10", "0.1", "unconstrained", ...kind, "0.02", "", "", ""],
    ...["4", "3", "4", "3", "0.4000", "0.0000", "0.00", "0.100", "", ""],
  ]);
});

describe("resilient against constrained", () => {
  it("is of runs that share their data and seed, whatever α, cost and rates they have", () => {
    const resilient = [
      row({}, { seed: 1 }),
      row({ alpha: 4, dualRate: 1, relaxationRate: 1 }, { seed: 1 }),
      row({ cost: "linear" }, { seed: 1 }),
    ];
    const insisting = row({ ...constrained, cap: 5 }, { seed: 1 });
    const others = [
      row({}, { seed: 2 }),
      row({ ratio: 0.05 }, { seed: 1 }),
      row({ method: "unconstrained" }, { seed: 1 }),
      row({ ...constrained, rounds: 1000 }, { seed: 1 }),
    ];
    expect(pairs([...others, ...resilient, insisting])).toEqual(
      resilient.map((each) => ({ resilient: each, constrained: insisting })),
    );
  });

  it("is counted place by place, beside the paper's", () => {
    const accuracies = [75, 76, 86, 90, 93];
    const rows = [
      row({}, { seed: 7 }),
      row(constrained, { seed: 7, accuracies }),
      row(corrected),
      row({ ...corrected, ...constrained }, { accuracies: [69, 79, 84, 89, 94] }),
    ];
    // 95, 90, 85, 80, 70 against 93, 90, 86, 76, 75: 2, 0, −1, 4, −5.
    expect(rankTable(rows)).toEqual({
      title:
        "Resilient against constrained, by rank of the clients (share of ranks in percent, points of accuracy)",
      head: [
        ...["dataset", "kept", "preset", "rounds", "model", "clients", "seed", "better", "at least"],
        ...["mean gain", "max gain", "mean loss", "max loss", "paper: at least", "max gain", "max loss"],
      ],
      body: [
        [
          ...["cifar-10", "0.1", ...kind, "7"],
          ...["40", "60", "3.0", "4.0", "3.0", "5.0", "77", "1.5", "10.0"],
        ],
        [
          ...["cifar-10", "0.1", "corrected", ...kind.slice(1), "0"],
          ...["100", "100", "1.0", "1.0", "0.0", "0.0", "", "", ""],
        ],
      ],
    });
  });
});

it("the table of cost norms has a line for each β, and none without a cost", () => {
  const costs = ["linear", "quadratic", "power4", "maximum"] as const;
  const rows = costs.map((cost) => row({ ...fashion, cost }, { clients }));
  const ours = ["84.0", "10.0", "25.0", "0.1761"];
  expect(costNormTable([row({ ...fashion, ...constrained }), ...rows, row({})])).toEqual({
    title: "Cost norms ‖u‖_β: client test accuracies (percent)",
    head: [
      ...["dataset", "β", "preset", "rounds", "model", "clients"],
      ...["mean", "IQR", "range", "RMS u", "paper: mean", "IQR", "range"],
    ],
    body: [
      ["fashion-mnist", "1", ...kind, ...ours, "93.3", "2.5", "49.5"],
      ["fashion-mnist", "2", ...kind, ...ours, "93.4", "2.4", "50.6"],
      ["fashion-mnist", "4", ...kind, ...ours, "93.4", "2.6", "45.6"],
      ["fashion-mnist", "∞", ...kind, ...ours, "92.7", "3.8", "28.1"],
      ["cifar-10", "2", ...kind, "84.0", "10.0", "25.0", "0.0000", "", "", ""],
    ],
  });
});

it("the table of rates is of the explicit step alone", () => {
  const rows = [
    row({ relaxationRate: 0.1, dualRate: 0.5 }),
    row({ relaxationRate: 1, dualRate: 2 }),
    row({ relaxationRate: 0.3, dualRate: 2, rounds: 50 }),
    row(corrected),
    row(constrained),
  ];
  expect(ratesTable(rows)).toEqual({
    title: "Dual and relaxation rates: mean client test accuracy (percent)",
    head: [
      ...["dataset", "η_u", "η_λ", "η_u used", "η_λ used"],
      ...["preset", "rounds", "model", "clients", "mean", "paper"],
    ],
    body: [
      ["cifar-10", "0.1", "0.5", "1.00", "5.00", ...kind, "84.0", "81.6"],
      ["cifar-10", "1", "2", "10.00", "20.00", ...kind, "84.0", "81.7"],
      ["cifar-10", "0.3", "2", "30.00", "200.00", "official", "50", "convnet", "100", "84.0", ""],
    ],
  });
});

it("the table along α ends at the constrained run", () => {
  const exact = row({ alpha: 10, relaxationRate: "exact" }, { clients });
  const rows = [row({}, { clients }), row({ cost: "linear" }), exact, row(constrained, { clients: strict })];
  const { title, head, body } = alphaTable(rows);
  expect(title).toBe("The cost of relaxing against performance");
  expect(head).toEqual([
    ...["dataset", "α", "step in u", "preset", "rounds", "model", "clients"],
    ...["mean loss", "max − mean", "RMS u", "RMS u·α"],
    ...["equilibrium residual", "paper: mean loss", "max − mean", "RMS u"],
  ]);
  const ours = ["0.4000", "0.100", "0.1761"];
  expect(body[0]).toEqual([
    ...["cifar-10", "2", "explicit", ...kind, ...ours, "0.352", "0.38"],
    ...["0.3170", "0.987", "0.1745"],
  ]);
  expect(body[1].slice(0, 3)).toEqual(["cifar-10", "2", "explicit"]);
  expect(body[2].slice(0, 11)).toEqual(["cifar-10", "10", "exact", ...kind, ...ours, "1.761"]);
  expect(body[2].slice(12)).toEqual(["", "", ""]);
  expect(body[3]).toEqual([
    ...["cifar-10", "∞", "", ...kind, "0.4000", "0.100", "0.0000", "", ""],
    ...["0.3650", "0.115", "0.0000"],
  ]);
});

it("the table of the largest", () => {
  const rows = [
    row({}, { clients }),
    row(constrained, { clients: strict }),
    row({ alpha: 1 }, { clients }),
    row({ ratio: 0.3, level: 0.2 }, { clients }),
  ];
  // The fifth client's test loss is 0.2 above the mean, and 0.02 and its 0.05 are allowed.
  const ours = ["1.00", "0.100", "0.13"];
  expect(largestTable(rows)).toEqual({
    title: "Largest price λ, generalisation gap and test violation of a client",
    head: [
      ...["dataset", "kept", "ε", "α", "method", "preset", "rounds", "model", "clients"],
      ...["λ", "gap", "violation", "paper: λ", "gap", "violation"],
    ],
    body: [
      ["cifar-10", "0.1", "0.02", "2", "resilient", ...kind, ...ours, "1.83", "0.506", "0.52"],
      [
        ...["cifar-10", "0.1", "0.02", "", "constrained", ...kind, "7.25", "0.100", "0.18"],
        ...["7.30", "0.801", "0.88"],
      ],
      ["cifar-10", "0.1", "0.02", "1", "resilient", ...kind, ...ours, "", "", "0.57"],
      ["cifar-10", "0.3", "0.2", "1", "resilient", ...kind, "1.00", "0.100", "−0.05", "", "", ""],
    ],
  });
});
