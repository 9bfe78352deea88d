// Requirements by group across sites, and rates counted by secure sums.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCsv } from "@pliant/data/table";
import {
  checkSpec,
  type Evaluation,
  encodePlain,
  exportedModel,
  type FederationSpecGiven,
  kindsOf,
  learntThresholds,
  siteTable,
} from "@pliant/federation";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";
import { ratesAt } from "../src/tables/thresholds.js";
import { inProcess } from "./in-process.js";
import { seededNumbers } from "./seeded.js";

const draw = seededNumbers("groups across sites");

/** The marker tells well for f and badly for m, who are few and mostly at the last site. */
const tables = [0, 1, 2].map((site) =>
  Array.from({ length: 80 }, () => {
    const sex = draw() < [0.9, 0.8, 0.5][site] ? "f" : "m";
    const marker = 4 * draw() - 2;
    const sick = (sex === "f" ? marker : -0.5 * marker + 0.3) + draw() - 0.5 > 0;
    return { marker, sex, sick };
  }),
);
const csvOf = (rows: (typeof tables)[number]): string =>
  ["marker,sex,sick", ...rows.map(({ marker, sex, sick }) => `${marker},${sex},${sick ? "yes" : "no"}`)].join(
    "\n",
  );

const specWith = (groups: object, rest: Partial<FederationSpecGiven> = {}) =>
  checkSpec({
    name: "groups",
    data: {
      features: ["marker"],
      label: "sick",
      classes: ["no", "yes"],
      test: 0.25,
      groups: { column: "sex", values: ["f", "m"], ...groups },
    },
    model: { hidden: [] },
    sites: { number: 3 },
    training: { rounds: 60, communicationRounds: 1, rate: 0.5, decay: 0.01 },
    ...rest,
  });
const run = (spec: ReturnType<typeof specWith>) =>
  inProcess(
    spec,
    tables.map((rows) => siteTable(parseCsv(csvOf(rows), { columns: kindsOf(spec.data) }), spec)),
  );

test("a group's price is what its loss over the rows of all sites asks for, and its loss falls", async () => {
  const free = await run(specWith({}));
  const priced = await run(specWith({ loss: "mean + 0.02", cost: { alpha: 2 }, dualRate: 1 }));
  const lossesIn = ({ rows }: typeof free) => rows.at(-1)!.evaluation!;
  const { groups: before } = lossesIn(free);
  const { groups: after, overall } = lossesIn(priced);
  const [, price] = priced.agreed!.groups!.prices;
  expect(price).toBeGreaterThan(0.05);
  expect(priced.agreed!.groups!.prices[0]).toBe(0);
  expect(price).toBeCloseTo(2 * (after!.m.train.loss - overall.train.loss - 0.02), 2);
  expect(after!.m.train.loss).toBeLessThan(before!.m.train.loss - 0.02);
  // Counted over all sites, to the row.
  const own = (sex: string) => tables.flat().filter((row) => row.sex === sex).length;
  expect(after!.m.train.rows + after!.m.test!.rows).toBe(own("m"));
  expect(after!.f.train.rows + after!.f.test!.rows).toBe(own("f"));
}, 120_000);

describe("thresholds by group", () => {
  test("are counted from sums, and keep the rate within its bound", async () => {
    const spec = specWith({ rate: { of: "positive", within: 0.05 } });
    const done = await run(checkSpec({ ...spec, training: { ...spec.training, rounds: 8 } }));
    const { evaluation } = done.rows.at(-1)!;
    const found = learntThresholds(evaluation!, spec.data.groups!.rate!)!;
    expect(found.gap.train).toBeLessThanOrEqual(0.05);
    expect(found.gap.test).toBeGreaterThanOrEqual(0);
    const half = (group: "f" | "m") => ratesAt(evaluation!.groups![group].train.bins!, 25);
    for (const group of ["f", "m"] as const)
      expect(half(group).accuracy).toBeCloseTo(evaluation!.groups![group].train.accuracy!, 1);
  }, 60_000);

  test.each([
    ["that the model does not see", {}],
    ["that the model sees", { features: ["marker", "sex"], categories: { sex: ["m", "f"] } }],
  ])(
    "are in the exported model, by a column %s",
    async (_, data) => {
      const spec = specWith({ rate: { of: "positive", within: 0.05 } });
      const done = await run(
        checkSpec({
          ...spec,
          data: { ...spec.data, ...data },
          training: { ...spec.training, rounds: 8 },
        }),
      );
      const { groups } = done.rows.at(-1)!.evaluation!;
      const found = learntThresholds(done.rows.at(-1)!.evaluation!, spec.data.groups!.rate!)!;
      const folder = mkdtempSync(join(tmpdir(), "pliant-thresholds-"));
      const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
      write(
        "run.json",
        JSON.stringify({ command: "federate", spec: { ...spec, data: { ...spec.data, ...data } } }),
      );
      write("report.json", JSON.stringify({ thresholds: found }));
      write("model.json", encodePlain(done.state.params));
      const { bytes, described } = exportedModel(folder)!;
      // A site has not got them, and its model would decide otherwise.
      write("joined.json", readFileSync(join(folder, "run.json"), "utf8"));
      write("run.json", JSON.stringify({ command: "federate join" }));
      expect(() => exportedModel(folder)).toThrow("The thresholds by sex are with the coordinator alone");
      rmSync(folder, { recursive: true });
      expect(described.thresholds).toEqual(found.thresholds);
      const session = await InferenceSession.create(bytes);
      const answers = async (rows: readonly { readonly marker: number; readonly sex: string }[]) => {
        const marker = new Tensor(
          "float64",
          Float64Array.from(rows, (row) => row.marker),
          [rows.length],
        );
        const sex = new Tensor(
          "string",
          rows.map((row) => row.sex),
          [rows.length],
        );
        const out = await session.run({ marker, sex });
        return {
          places: Array.from(out.class.data as Int32Array),
          likely: out.probabilities.data as Float32Array,
        };
      };
      // What the sums have counted on all rows.
      for (const group of ["f", "m"] as const) {
        const { places } = await answers(tables.flat().filter(({ sex }) => sex === group));
        const { train, test } = found.rates[group];
        const { rows } = groups![group].train;
        expect(places.filter((place) => place === 1)).toHaveLength(
          Math.round(train.positive * rows + test!.positive * groups![group].test!.rows),
        );
      }
      const unknown = await answers(tables.flat().map((row) => ({ ...row, sex: "" })));
      expect(unknown.places).toEqual(unknown.places.map((_, i) => Number(unknown.likely[2 * i + 1] >= 0.5)));
    },
    60_000,
  );

  const bins = (negatives: number[], positives: number[]) => {
    const wide = (counts: number[]) =>
      Array.from({ length: 50 }, (_, i) => (i % 10 === 5 ? counts[Math.floor(i / 10)] : 0));
    return [wide(negatives), wide(positives)];
  };
  const part = (negatives: number[], positives: number[]) => ({
    rows: [...negatives, ...positives].reduce((a, b) => a + b, 0),
    loss: 0,
    bins: bins(negatives, positives),
  });
  const evaluation: Evaluation = {
    sites: 3,
    overall: { train: { rows: 0, loss: 0, meanLoss: 0 } },
    groups: {
      f: { train: part([8, 1, 1, 0, 0], [0, 0, 2, 4, 4]) },
      m: { train: part([10, 5, 4, 1, 0], [0, 0, 0, 0, 0]) },
    },
  };
  test("are the most accurate of those", () => {
    // m is best never positive; f then may be for one row in twenty, which is none.
    const strict = learntThresholds(evaluation, { of: "positive", within: 0 })!;
    expect(strict.gap.train).toBe(0);
    const loose = learntThresholds(evaluation, { of: "positive", within: 1 })!;
    expect(loose.rates.f.train).toEqual({
      positive: 0.55,
      truePositive: 1,
      falsePositive: 0.1,
      accuracy: 0.95,
    });
    expect(loose.rates.m.train).toMatchObject({ positive: 0, accuracy: 1 });
  });
  test("no gap is told on held-out rows of which a group has none", () => {
    const { f, m } = evaluation.groups!;
    const held = { ...evaluation, groups: { f: { ...f, test: f.train }, m: { ...m, test: part([], []) } } };
    expect(learntThresholds(held, { of: "positive", within: 1 })!.gap).toEqual({ train: expect.any(Number) });
    const whole = { ...held, groups: { ...held.groups, m: { ...m, test: m.train } } };
    expect(learntThresholds(whole, { of: "positive", within: 1 })!.gap.test).toBeTypeOf("number");
  });
  test("a rate that a group cannot have gives none", () => {
    expect(learntThresholds(evaluation, { of: "truePositive", within: 0.1 })).toBeUndefined();
  });
});
