// The paper's federated figures from rows, as SVG.

import type { Figure } from "../figure.js";
import { type Bars, type Plot, type Point, plot, type Series } from "../plot.js";
import { mean } from "../statistics.js";
import { type PublishedAlpha, publishedAlpha, publishedLargest } from "./paper.js";
import { ordered } from "./ranks.js";
import { type Row, violations } from "./row.js";
import { bySetting } from "./tables.js";

const figure = (name: string, drawn: Plot): Figure => ({ name, svg: plot(drawn) });

/** Methods keep their colours in all figures. */
const colours: Record<string, number> = {
  resilient: 0,
  constrained: 1,
  unconstrained: 2,
  agnostic: 3,
  "q-fair": 4,
  "ratio-loss": 5,
};

const methodsIn = (rows: readonly Row[]): string[] => [...new Set(rows.map((row) => row.method))];
const datasetsIn = (rows: readonly Row[]): string => [...new Set(rows.map((row) => row.dataset))].join(", ");

/** A client's final relaxation against its share of minority samples. */
export function minorityFigure(rows: readonly Row[]): Figure {
  const resilient = rows.filter((row) => row.method === "resilient");
  return figure("relaxation-minority", {
    title: `Relaxation and minority share (${datasetsIn(rows)})`,
    x: { label: "share of minority samples", domain: [0, 1] },
    y: { label: "relaxation u", domain: [0, undefined] },
    series: bySetting(resilient).map((group) => ({
      kind: "points",
      name: resilient.length > group.length ? `α = ${group[0].alpha}` : "client",
      points: group.flatMap((row) => row.perClient.map((c): Point => [c.minorityShare, c.relaxation])),
    })),
  });
}

const names: Record<keyof PublishedAlpha, string> = {
  relaxationRms: "RMS of u",
  worstExcess: "largest − mean",
  meanTrainLoss: "mean loss",
};

/** Means over seeds at each α, in order. */
function alongAlpha(rows: readonly Row[], of: (row: Row) => number): Point[] {
  const resilient = rows.filter((row) => row.alpha !== undefined);
  return bySetting(resilient)
    .map((group): Point => [group[0].alpha ?? 0, mean(group.map(of))])
    .sort(([a], [b]) => a - b);
}

/** RMS of u, worst client and mean loss along α; dashed levels are the constrained run. */
export function alphaFigures(rows: readonly Row[]): Figure[] {
  const constrained = rows.filter((row) => row.method === "constrained");
  const x = { label: "cost coefficient α", scale: "log" } as const;
  const right = { label: "mean training loss" };
  const loss = {
    kind: "line",
    axis: "right",
    marked: true,
    colour: 1,
    name: "mean loss",
    points: alongAlpha(rows, (row) => row.meanTrainLoss),
  } as const;
  const left = (name: string, of: (row: Row) => number) =>
    ({ kind: "line", marked: true, colour: 0, name, points: alongAlpha(rows, of) }) as const;
  /** The paper's values of the same runs, where there are any. */
  const paper = (name: keyof PublishedAlpha, axis: "left" | "right", colour: number): Series[] => {
    const points = rows.flatMap((row): Point[] => {
      const value = publishedAlpha(row)?.[name];
      return value === undefined || row.alpha === undefined ? [] : [[row.alpha, value]];
    });
    return points.length > 0 ? [{ kind: "points", name: `paper: ${names[name]}`, axis, colour, points }] : [];
  };
  const limit = (of: (row: Row) => number): number[] =>
    constrained.length > 0 ? [mean(constrained.map(of))] : [];
  return [
    figure("alpha-relaxation", {
      title: `Relaxation and loss along α (${datasetsIn(rows)})`,
      x,
      y: { label: "RMS of u", domain: [0, undefined] },
      right,
      series: [
        left("RMS of u", (row) => row.relaxationRms),
        loss,
        ...paper("relaxationRms", "left", 3),
        ...paper("meanTrainLoss", "right", 4),
      ],
    }),
    figure("alpha-worst", {
      title: `Worst client and loss along α (${datasetsIn(rows)})`,
      x,
      y: { label: "largest − mean training loss", domain: [0, undefined] },
      right,
      levels: limit((row) => row.worstExcess),
      series: [
        left("largest − mean", (row) => row.worstExcess),
        loss,
        ...paper("worstExcess", "left", 3),
        ...paper("meanTrainLoss", "right", 4),
      ],
    }),
  ];
}

/** Loss above what is allowed, for every client, on training and on test data. */
export function violationFigure(rows: readonly Row[]): Figure {
  return figure("violations", {
    title: `Loss above the (relaxed) requirement (${datasetsIn(rows)})`,
    x: { categories: ["train", "test"] },
    y: { label: "R − R̄ − ε − u" },
    levels: [0],
    series: methodsIn(rows).map((method) => ({
      kind: "strip",
      name: method,
      colour: colours[method],
      groups: (["train", "test"] as const).map((on) =>
        rows.filter((row) => row.method === method).flatMap((row) => violations(row, on)),
      ),
    })),
  });
}

/** A strip of numbers of every client for each value of a setting, and the paper's largest of each. */
function stripAlong(
  rows: readonly Row[],
  along: "level" | "ratio",
  numbers: (row: Row) => readonly number[],
  published: "price" | "violation",
): Pick<Plot, "x" | "series"> {
  const values = [...new Set(rows.map((row) => row[along]))].sort((a, b) => a - b);
  const name = along === "level" ? "level ε" : "share of minority samples kept ρ";
  const methods = methodsIn(rows);
  const slot = 0.8 / methods.length;
  const paper = rows.flatMap((row): Point[] => {
    const value = publishedLargest(row)[published];
    const middle = values.indexOf(row[along]) - 0.4 + slot * (methods.indexOf(row.method) + 0.5);
    return value === undefined ? [] : [[middle, value]];
  });
  return {
    x: { categories: values.map(String), label: name },
    series: [
      ...methods.map(
        (method): Series => ({
          kind: "strip",
          name: method,
          colour: colours[method],
          groups: values.map((value) =>
            rows.filter((row) => row.method === method && row[along] === value).flatMap(numbers),
          ),
        }),
      ),
      ...(paper.length > 0
        ? [{ kind: "points", name: "paper: largest", hollow: true, colour: 3, points: paper } as const]
        : []),
    ],
  };
}

/** Prices of all clients along ε or ρ. */
export function dualsFigure(rows: readonly Row[], along: "level" | "ratio"): Figure {
  return figure(`duals-${along}`, {
    title: `Prices of the clients (${datasetsIn(rows)})`,
    y: { label: "price λ", domain: [0, undefined] },
    ...stripAlong(rows, along, (row) => row.perClient.map((client) => client.price), "price"),
  });
}

/** Test violations of all clients along ε or ρ. */
export function violationsAlong(rows: readonly Row[], along: "level" | "ratio"): Figure {
  return figure(`violations-${along}`, {
    title: `Test loss above the (relaxed) requirement (${datasetsIn(rows)})`,
    y: { label: "R − R̄ − ε − u on test data" },
    levels: [0],
    ...stripAlong(rows, along, (row) => violations(row, "test"), "violation"),
  });
}

/** Each run's largest generalisation gap, along ε. */
export function gapFigure(rows: readonly Row[]): Figure {
  const values = [...new Set(rows.map((row) => row.level))].sort((a, b) => a - b);
  return figure("generalisation-gap", {
    title: `Largest generalisation gap of a client (${datasetsIn(rows)})`,
    x: { categories: values.map(String), label: "level ε" },
    y: { label: "(R − R̄) on test − on training data" },
    series: methodsIn(rows)
      .map(
        (method): Bars => ({
          kind: "bars",
          name: method,
          colour: colours[method],
          values: values.map((value) => {
            const found = rows.filter((row) => row.method === method && row.level === value);
            return found.length > 0 ? mean(found.map((row) => row.largestGap)) : undefined;
          }),
        }),
      )
      .concat(paperGaps(rows, values)),
  });
}

/** The paper's gaps of the same runs, beside ours. */
const paperGaps = (rows: readonly Row[], values: readonly number[]): Bars[] =>
  methodsIn(rows).flatMap((method) => {
    const gapAt = (value: number): number | undefined =>
      rows
        .filter((row) => row.method === method && row.level === value)
        .map((row) => publishedLargest(row).gap)
        .find((gap) => gap !== undefined);
    const gaps = values.map(gapAt);
    if (gaps.every((gap) => gap === undefined)) return [];
    return [{ kind: "bars", name: `paper: ${method}`, colour: colours[method] + 3, values: gaps }];
  });

/** Client test accuracies, best first; over seeds the mean of each place. */
export function orderedFigures(rows: readonly Row[]): Figure[] {
  return bySetting(rows, (row) => `${row.dataset}-${row.ratio}`).map((data) =>
    figure(`ordered-${data[0].dataset}-${data[0].ratio}`, {
      title: `Client test accuracies in order (${data[0].dataset}, ρ = ${data[0].ratio})`,
      x: { label: "client, by accuracy", domain: [1, data[0].clients] },
      y: { label: "test accuracy (%)", domain: [undefined, 100] },
      series: bySetting(data).map((group) => {
        const curves = group.map(ordered);
        return {
          kind: "line",
          name: group[0].method,
          colour: colours[group[0].method],
          points: curves[0].map((_, place): Point => [place + 1, mean(curves.map((curve) => curve[place]))]),
        };
      }),
    }),
  );
}
