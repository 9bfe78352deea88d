// Predictions as they are written for other programs.
import { expect, test } from "vitest";
import { predictionsCsv } from "../src/use/predict.js";

test("a number is written so that it is read as the same single precision number, in the fewest digits", () => {
  const values = [0.1, 1 / 3, 123456.789, 16777216, 152.13348, 1e-20, -0.43240538].map(Math.fround);
  const [, ...lines] = predictionsCsv(values.map((prediction) => ({ prediction }))).split("\n");
  expect(lines.map((line) => Math.fround(Number(line)))).toEqual(values);
  expect(lines.slice(0, 2)).toEqual(["0.1", "0.33333334"]);
  for (const line of lines)
    expect(line.replace(/e.*$|[^0-9]/g, "").replace(/^0+/, "").length).toBeLessThan(10);
});
