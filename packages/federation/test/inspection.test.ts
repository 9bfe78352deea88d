// Inspections tell no row, count or rare category, and the spec that they propose fits every table.
import { parseCsv } from "@pliant/data/table";
import {
  checkInspection,
  checkSpec,
  inspectionOf,
  kindsOf,
  proposedData,
  siteTable,
} from "@pliant/federation";
import { expect, test } from "vitest";
import { seededNumbers } from "./seeded.js";

const draw = seededNumbers("inspections");
const wards = [
  ["a", "b"],
  ["b", "c"],
  ["a", "c"],
];
const tables = wards.map((own, site) => {
  const rows = Array.from({ length: 80 }, (_, i) => {
    const ward = i === 7 && site === 0 ? "quarantine of Mrs Miller" : own[i % 2];
    const bmi = site === 1 && i % 9 === 0 ? "" : (20 + 10 * draw()).toFixed(2);
    return [(40 + 40 * draw()).toFixed(1), ward, bmi, `patient ${site} ${i}`, i % 3 === 0 ? "1" : "0", site];
  });
  const names = ["age", "ward", "bmi", "name", "outcome", site === 2 ? "scanner" : "hospital"];
  return [names, ...rows].map((row) => row.join(",")).join("\n");
});
const inspections = tables.map((text) => inspectionOf(parseCsv(text)));

test("values that could identify single rows are not printed", () => {
  const told = JSON.stringify(inspections);
  expect(told).not.toContain("Miller");
  expect(told).not.toContain("patient");
  expect(told).not.toMatch(/\d\d\.\d/);
  expect(inspections[0].columns.name).toEqual({ kind: "text" });
  expect(inspections[0].columns.ward).toEqual({
    kind: "category",
    missing: false,
    categories: ["a", "b"],
    rare: true,
  });
});

test("the proposed spec fits every table", () => {
  const { data, notes } = proposedData(
    inspections.map((one) => checkInspection(JSON.parse(JSON.stringify(one)), "it")),
    "outcome",
  );
  expect(data).toEqual({
    features: ["age", "ward", "bmi"],
    categories: { ward: ["a", "b", "c"] },
    missing: ["ward", "bmi"],
    scale: "agreed",
    label: "outcome",
    classes: ["0", "1"],
  });
  expect(notes).toEqual([
    '"name" is left out: it has texts that may identify single rows (inspection 1, inspection 2, inspection 3).',
    '"hospital" is left out: inspection 3 does not have it.',
    '"scanner" is left out: inspection 1, inspection 2 does not have it.',
  ]);
  const spec = checkSpec({ name: "it", data, sites: { number: 3 }, training: { rounds: 1, rate: 0.1 } });
  for (const text of tables)
    expect(siteTable(parseCsv(text, { columns: kindsOf(spec.data) }), spec).rows).toBe(80);
});

test("a label that some site lacks, or a file that is none, is a sentence", () => {
  expect(() => proposedData(inspections, "death")).toThrow('not every inspection has the label "death"');
  expect(() => checkInspection({ columns: {} }, "x.json")).toThrow("x.json is no inspection");
});

test("an inspection writes nothing on a terminal, and names no more categories than one can", () => {
  const [honest] = inspections;
  const written = "x\u001b[2J\u001b]0;owned\u0007";
  const columns = { ...honest.columns, [written]: { kind: "text" } };
  expect(() => checkInspection({ ...honest, columns }, "x.json")).toThrow('x.json: "x\\u001b[2J');
  const categories = Array.from({ length: 51 }, (_, i) => `c${i}`);
  const many = { ...honest.columns, ward: { kind: "category", missing: false, categories, rare: false } };
  expect(() => checkInspection({ ...honest, columns: many }, "x.json")).toThrow("x.json is no inspection");
});
