// Rows kept apart for validation and testing: whose they are, and that the report tells of each.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare, readSpec, type TrainReport } from "@pliant/train";
import { beforeAll, describe, expect, test } from "vitest";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

/** Each row has a number of its own, by which it is known again. */
const csv = (from: number, count: number): string =>
  `x,part,y\n${Array.from({ length: count }, (_, i) => `${from + i},${["fit", "valid", "fit", "exam"][i % 4]},${(from + i) % 3 === 0 ? "yes" : "no"}`).join("\n")}\n`;

function specIn(data: string, more = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  writeFileSync(join(folder, "rows.csv"), csv(0, 200));
  writeFileSync(join(folder, "later.csv"), csv(200, 40));
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: rows.csv, target: y, ${data} }\nmodel: { kind: linear }\nrequirements: { missed: { metric: false-negative-rate, level: 0.9 } }\ndecision: { threshold: 0.5 }\nbudget: { steps: 5 }\n${more}`,
  );
  return join(folder, "spec.yaml");
}

/** The numbers of the rows in each part. */
async function rowsOf(data: string, more = "") {
  const { prepared, facts } = await prepare(readSpec(specIn(data, more)));
  const { encoding, train, validation, test: kept } = prepared;
  const { mean, std } = encoding!.columns[0] as { mean: number; std: number };
  const width = train.x.shape[1];
  const numbers = (part: typeof train | undefined) =>
    part && Array.from({ length: part.count }, (_, i) => Math.round(part.x.data[width * i] * std + mean) + 0);
  return {
    train: numbers(train)!,
    validation: numbers(validation),
    test: numbers(kept)!,
    encoding: encoding!,
    facts,
  };
}

const sorted = (list: readonly number[]): number[] => [...list].sort((a, b) => a - b);
const all = Array.from({ length: 200 }, (_, i) => i);

describe("held-out rows", () => {
  test("include no validation rows by default", async () => {
    const { train, validation, test: kept, facts } = await rowsOf("test: 0.3");
    expect(validation).toBeUndefined();
    expect("validation" in facts).toBe(false);
    expect(sorted([...train, ...kept])).toEqual(all);
  });

  test("a share counts all rows, and no row is in two parts", async () => {
    const { train, validation, test: kept, facts } = await rowsOf("test: 0.3, validation: 0.2");
    expect([train.length, validation!.length, kept.length]).toEqual([100, 40, 60]);
    expect(facts).toMatchObject({ train: 100, validation: 40, test: 60 });
    expect(sorted([...train, ...validation!, ...kept])).toEqual(all);
    // The rows for testing are those they are without validation.
    expect((await rowsOf("test: 0.3")).test).toEqual(kept);
  });

  test("come from a separate file", async () => {
    const { train, validation, test: kept } = await rowsOf("test: 0.3, validation: later.csv");
    expect([train.length, kept.length]).toEqual([140, 60]);
    expect(validation).toEqual(Array.from({ length: 40 }, (_, i) => 200 + i));
  });

  test("are marked by a column's value, which the model does not see", async () => {
    const found = await rowsOf(
      "validation: { column: part, value: valid }, test: { column: part, value: exam }",
    );
    expect(found.validation).toEqual(all.filter((i) => i % 4 === 1));
    expect(found.test).toEqual(all.filter((i) => i % 4 === 3));
    expect(found.train).toEqual(all.filter((i) => i % 2 === 0));
    expect(found.encoding.columns.map(({ name }) => name)).toEqual(["x"]);
    const mixed = await rowsOf("validation: 0.25, test: { column: part, value: exam }");
    expect(mixed.test).toEqual(found.test);
    expect(mixed.validation).toHaveLength(50);
    expect(sorted([...mixed.train, ...mixed.validation!, ...mixed.test])).toEqual(all);
  });

  test("the split may have its own seed", async () => {
    const own = await rowsOf("test: 0.3, validation: 0.2, seed: 7", "seed: 1\n");
    const other = await rowsOf("test: 0.3, validation: 0.2, seed: 7", "seed: 2\n");
    const plain = await rowsOf("test: 0.3, validation: 0.2", "seed: 7\n");
    const { facts: _, encoding: __, ...rows } = own;
    expect(other).toMatchObject(rows);
    expect(plain).toMatchObject(rows);
    expect((await rowsOf("test: 0.3, validation: 0.2", "seed: 1\n")).train).not.toEqual(rows.train);
  });

  test("limits apply to each part", async () => {
    const { facts } = await rowsOf(
      "test: 0.3, validation: 0.2, limit: { train: 30, validation: 20, test: 10 }",
    );
    expect(facts).toMatchObject({ train: 30, validation: 20, test: 10 });
  });

  test.each([
    ["test: 0.6, validation: 0.5", /too few to keep .* for testing and .* for validation/],
    ["validation: { column: prt, value: valid }", /has no column "prt"; did you mean "part"\?/],
    [
      "validation: { column: part, value: vald }",
      /data\.validation: "vald" is not a value of "part"; did you mean "valid"\?/,
    ],
    [
      "test: { column: part, value: exam }, validation: { column: part, value: exam }",
      /data\.validation: .* are kept for testing already/,
    ],
    ["validation: { column: y, value: yes }", /data\.validation: "y" is the target/],
    ["validation: nowhere.csv", /data\.validation: there is no file/],
    ["validation: 2", /data\.validation is 2, and should be less than 1/],
    ["validation: [1]", /a share of the rows between 0 and 1, a file, a column with its value/],
  ])("%s is refused with a sentence", async (data, sentence) => {
    await expect(rowsOf(data)).rejects.toThrow(sentence);
  });
});

test("a group with few or no validation rows is counted on the training rows, and the report says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  const lines = Array.from(
    { length: 60 },
    (_, i) =>
      `${i % 7},${i < 5 ? "C" : "AB"[i % 2]},${i % 3 === 0 ? "yes" : "no"},${i < 40 ? "fit" : "valid"}`,
  );
  writeFileSync(join(folder, "rows.csv"), `x,group,y,part\n${lines.join("\n")}\n`);
  const path = join(folder, "spec.yaml");
  const spec = (metric: string): string =>
    `data: { file: rows.csv, target: y, columns: { group: group }, validation: { column: part, value: valid }, test: 0.2 }\nmodel: { kind: linear }\nrequirements: { asked: { metric: ${metric}, by: group, level: 0.9 } }\ndecision: { threshold: 0.5 }\n`;
  const fewOf = async (asked: string) => {
    writeFileSync(path, spec(asked));
    const { stated, problem } = (await prepare(readSpec(path))).task;
    for (const { name, few, metric } of stated)
      expect(problem.requirements[name].judged === undefined).toBe(
        few !== undefined || metric.kind === "mean",
      );
    return stated.map(({ few }) => few);
  };
  expect(await fewOf("error")).toEqual([undefined, undefined, 0]);
  expect(await fewOf("false-negative-rate, class: yes")).toEqual([3, 3, 0]);
  // A gap is with the rest, which has enough; the worst group is one of all.
  expect(await fewOf("error, gap: true")).toEqual([undefined, undefined, 0]);
  expect(await fewOf("error, worst: true")).toEqual([0]);
  // Trained metrics are measured on the training rows.
  expect(await fewOf("loss")).toEqual([undefined, undefined, undefined]);
  writeFileSync(path, spec("error"));
  const out = join(folder, "run");
  const said = await printed(() => trainCommand([path, "--device", "reference", "--out", out]));
  const report: TrainReport = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
  expect(report.requirements["asked [group=C]"]).toMatchObject({ few: 0, train: expect.anything() });
  expect(said).toContain(" or, for counts, the ");
  expect(said).toContain(
    "The validation rows have too few examples of these requirements, so they are counted on the training rows: asked [group=C] (0).",
  );
  // For the worst group, the message names the group with too few rows.
  writeFileSync(path, spec("error, worst: true"));
  expect(await printed(() => trainCommand([path, "--out", join(folder, "worst")]))).toContain(
    "so they are counted on the training rows: asked (0 of the group C).",
  );
});

test("for images, a share of the training images is kept for validation", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  const spec = (validation: string): string => {
    writeFileSync(
      join(folder, "spec.yaml"),
      `data: { dataset: strokes, limit: { train: 60, test: 20, validation: 15 }, validation: ${validation} }\nmodel: { kind: linear }\nrequirements: { small: { metric: size, level: 9 } }\n`,
    );
    return join(folder, "spec.yaml");
  };
  const { prepared, facts } = await prepare(readSpec(spec("0.1")));
  expect(facts).toMatchObject({ train: 60, validation: 15, test: 20 });
  const first = (part: { x: { data: ArrayLike<number> } }) => Array.from(part.x.data).slice(0, 784);
  expect(first(prepared.validation!)).not.toEqual(first(prepared.train));
  await expect(prepare(readSpec(spec("rows.csv")))).rejects.toThrow(/data\.validation: .* a share/);
});

describe("the report", () => {
  const spec = specIn("test: 0.3, validation: 0.2");
  const run = join(spec, "..", "run");
  let report: TrainReport;
  beforeAll(async () => {
    report = JSON.parse(
      await printed(() => trainCommand([spec, "--device", "reference", "--out", run, "--json"])),
    );
  });

  test("shows the strict numbers of the validation rows beside the others", async () => {
    expect(report.validation!.examples).toBe(40);
    const { strict } = report.requirements.missed.validation!;
    expect(strict.value * strict.examples).toBeCloseTo(Math.round(strict.value * strict.examples), 6);
    const text = await printed(() => trainCommand([spec, "--device", "reference", "--resume", "--out", run]));
    expect(text).toMatch(/^with 95% intervals +metric +train +validation +test$/m);
    expect(text).toMatch(/^missed +false negative rate( +\d\.\d{3} \(.*?\)){3}$/m);
  });
});

test("a sweep of seeds has its means in JSON, and does not overwrite itself", async () => {
  const spec = specIn("columns: { part: ignore }");
  const out = join(spec, "..", "swept");
  const args = [spec, "--device", "reference", "--seeds", "1-2", "--sweep", "cost=1,2", "--out", out];
  const found = JSON.parse(await printed(() => trainCommand([...args, "--json"])));
  expect(
    found.points.map(({ run, objective }: never) => [run, (objective as { runs: number }).runs]),
  ).toEqual([
    [`${out}-cost-1`, 2],
    [`${out}-cost-2`, 2],
  ]);
  const again = await printed(() => trainCommand(args));
  expect(again).toMatch(/^\S*swept has a finished run, so this run goes to \S*swept-2\./);
  expect(again).toMatch(/^2 .* of 2 +\S*swept-2-cost-2$/m);
  await expect(trainCommand([...args, "--queue", "nats://nowhere"])).rejects.toThrow(
    "--queue shares out one run at each value; give one seed and one fold, or leave it out.",
  );
});
