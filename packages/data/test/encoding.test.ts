import { InputError } from "@pliant/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encode, encodedKinds, featureNames, fitEncoding, parseCsv, takeRows } from "../src/index.js";

const training = parseCsv("age,city,flat\n20,Lyon,3\n,Nice,3\n40,Lyon,3\n");
const encoding = fitEncoding(training);

test("numbers are standardised, gaps told, categories one-hot", () => {
  const { values, shape, features } = encode(training, encoding);
  expect(features).toEqual(["age", "age missing", "city = Lyon", "city = Nice", "flat"]);
  expect(shape).toEqual([3, 5]);
  expect(Array.from(values)).toEqual([-1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]);
});

test("features unseen in training are 0: a new category, a missing cell in a complete column", () => {
  const rows = parseCsv("flat,city,age\n,Paris,30\n5,,\n", { columns: encodedKinds(encoding) });
  expect(Array.from(encode(rows, encoding).values)).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 2]);
});

test("is plain data: through JSON and back it encodes the same", () => {
  const saved = JSON.parse(JSON.stringify(encoding));
  expect(saved).toEqual(encoding);
  expect(encode(training, saved)).toEqual(encode(training, encoding));
});

test("takes the columns asked, in that order", () => {
  expect(featureNames(fitEncoding(training, { columns: ["flat", "age"] }))).toEqual([
    "flat",
    "age",
    "age missing",
  ]);
});

test("knows only the categories of the rows it was fitted on", () => {
  const few = fitEncoding(takeRows(training, [0, 2]));
  expect(featureNames(few)).toEqual(["age", "city = Lyon", "flat"]);
});

test("training numbers get mean 0 and variance 1, whatever their scale", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 50 }),
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      (whole, scale) => {
        fc.pre(new Set(whole).size > 1);
        const table = parseCsv(["x", ...whole.map((value) => value * scale)].join("\n"));
        const { values } = encode(table, fitEncoding(table));
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const variance = values.reduce((sum, value) => sum + value * value, 0) / values.length;
        expect(mean).toBeCloseTo(0, 4);
        expect(variance).toBeCloseTo(1, 4);
      },
    ),
  );
});

test("places among categories stand beside other features, row by row", () => {
  const rows = 1500;
  const table = parseCsv(
    `n,c\n${Array.from({ length: rows }, (_, i) => `${i},${"xyz"[i % 3]}`).join("\n")}\n`,
  );
  const { values } = encode(table, {
    columns: [
      { kind: "number", name: "n", mean: 0, std: 1, indicator: false },
      { kind: "category", name: "c", categories: ["z", "x"], embedded: 2 },
    ],
  });
  const places = [1, -1, 0];
  expect(values.findIndex((value, i) => value !== (i % 2 === 0 ? i / 2 : places[(i >> 1) % 3]))).toBe(-1);
  expect(values.length).toBe(2 * rows);
});

describe("mistakes", () => {
  test.each([
    ["age,city\n1,Lyon\n", /no column "flat"/],
    ["age,city,flat\nold,Lyon,1\n", /column "age" holds categories \(old\) where numbers are needed/],
    ["age,city,flat\n1,2,3\n", /column "city" holds numbers where categories are needed/],
  ])("%j is refused", (text, sentence) => {
    const apply = () => encode(parseCsv(text), encoding);
    expect(apply).toThrow(InputError);
    expect(apply).toThrow(sentence);
  });
});

test("a column of one number stands for itself: others are so far from it, not infinitely far", () => {
  const same = parseCsv(`rate\n${"0.1\n".repeat(10)}`);
  const fitted = fitEncoding(same);
  expect(fitted.columns[0]).toMatchObject({ mean: 0.1, std: 1 });
  const [known, other] = encode(parseCsv("rate\n0.1\n0.10001\n"), fitted).values;
  expect(known).toBe(0);
  expect(other).toBeCloseTo(1e-5, 8);
});
