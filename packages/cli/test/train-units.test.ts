// An error in dollars, in thousands of them or in cents is the same requirement: the same model and verdict, and numbers in its units.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { predictions, reportText, type TrainReport, trainedModel } from "@pliant/train";
import { expect, test } from "vitest";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

/** Prices of houses of three districts, in one of which they are hard to tell. */
function housesCsv(unit: number): string {
  const normals = random.normal(random.key(5), [500, 3]).data;
  const rows = Array.from({ length: 500 }, (_, i) => {
    const [area, rooms, noise] = normals.subarray(3 * i, 3 * i + 3);
    const district = ["centre", "harbour", "hills"][i % 3];
    const dollars =
      300_000 + 90_000 * area + 20_000 * rooms + (district === "hills" ? 90_000 : 25_000) * noise;
    return [area.toFixed(4), rooms.toFixed(4), district, String(Math.round(dollars) * unit)].join(",");
  });
  return `area,rooms,district,price\n${rows.join("\n")}\n`;
}

async function trained(unit: number) {
  const folder = mkdtempSync(join(tmpdir(), "pliant-units-"));
  const rows = join(folder, "houses.csv");
  writeFileSync(rows, housesCsv(unit));
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: houses.csv, target: price, columns: { district: group } }
model: { kind: linear }
requirements:
  off: { metric: mean-absolute-error, by: district, level: ${45_000 * unit} }
  far off: { metric: root-mean-square-error, level: ${70_000 * unit} }
`,
  );
  const out = join(folder, "run");
  const text = await printed(() =>
    trainCommand([join(folder, "spec.yaml"), "--out", out, "--no-insist", "--json", "--device", "cpu"]),
  );
  const answers = await predictions(trainedModel(out), rows);
  return {
    report: JSON.parse(text) as TrainReport,
    answers: answers.map((one) => ("prediction" in one ? one.prediction / unit : Number.NaN)),
  };
}

test("costs mean the same in dollars, thousands and thousandths", async () => {
  const dollars = await trained(1);
  expect(dollars.report.certificate.holds).toBe(true);
  const hills = dollars.report.requirements["off [district=hills]"];
  expect(hills.status).toBe("gave way");
  expect(hills.relaxation).toBeGreaterThan(1000);
  for (const unit of [1000, 0.001]) {
    const { report, answers } = await trained(unit);
    expect(report.certificate.holds).toBe(true);
    for (const [i, answer] of answers.entries())
      expect(Math.abs(answer - dollars.answers[i])).toBeLessThan(10);
    for (const [name, r] of Object.entries(report.requirements)) {
      const own = dollars.report.requirements[name];
      expect(r.status).toBe(own.status);
      expect(r.relaxation / unit - own.relaxation).toBeCloseTo(0, -2);
      expect(Math.abs(r.price * unit - own.price)).toBeLessThan(1e-3 * own.price + 1e-10);
    }
  }
  // A slope for one dollar says nothing.
  const text = reportText(dollars.report);
  expect(text).toMatch(
    /off \[district=hills\]: gave way by [\d,]{5,} \(asked at most 45,000, reached \d\d,\d{3}\)\. Loosening it by 1,000 would lower the total \(loss plus cost of giving way\) by 0\.0\d+\./,
  );
  expect(text).toMatch(/0\.0\d+ per 1,000\n/);
}, 60_000);
