// Each table in fixtures/dirty can be trained on but needs a warning first.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepare, readSpec } from "@pliant/train";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("fixtures/dirty", import.meta.url));

const expected: Record<string, readonly string[]> = {
  "1-case-and-blanks": [
    'pays: "weekly" (19 rows) and "WEEKLY" (1 row) and "Weekly" (1 row), "never" (19 rows) and "ne ver" (1 row) differ only in case or whitespace, and count as different values. If they mean the same, write them the same way.',
  ],
  "2-case-of-the-target": [
    'bought: "yes" (19 rows) and "YES" (1 row) differ only in case or whitespace, and count as different values. If they mean the same, write them the same way.',
  ],
  "3-target-in-other-words": [
    'outcome: on its own it determines "bought" in every row. If it is only known after "bought", set data.columns.outcome to ignore.',
  ],
  "4-threshold-tells": [
    'balance: on its own it determines "bought" in every row. If it is only known after "bought", set data.columns.balance to ignore.',
  ],
  "5-gaps-tell": [
    "paid_on: dates are converted to days since 1970-01-01.",
    "paid_on: 66.7% of the cells are missing.",
    'paid_on: on its own it determines "bought" in every row. If it is only known after "bought", set data.columns.paid_on to ignore.',
  ],
  "6-number-in-another-unit": [
    'cents: on its own it explains all of the variance of "price". If it is only known after "price", set data.columns.cents to ignore.',
  ],
  "7-rows-twice": [
    "6 rows equal another row in every column (line 32 equals line 25, line 15 equals line 22 and 4 more).",
    "3 test rows also appear in the training rows, so the model has seen their answers; remove duplicate rows from the file, or keep related rows together on one side with data.test: { share: …, by: COLUMN }.",
  ],
  "8-rows-twice-in-two-files": [
    "9 rows equal another row in every column (line 12 equals line 5, line 22 equals line 15 and 7 more).",
    "4 test rows also appear in the training rows, so the model has seen their answers; remove them from one of the two files.",
  ],
};

test("every fixture has an expected message", () => {
  const kept = readdirSync(folder).flatMap((file) => (file.endsWith(".yaml") ? [file.slice(0, -5)] : []));
  expect(kept.sort()).toEqual(Object.keys(expected).sort());
});

test.each(Object.entries(expected))("%s is warned of", async (name, sentences) => {
  const { prepared } = await prepare(readSpec(join(folder, `${name}.yaml`)));
  expect(prepared.summary!.warnings).toEqual(sentences);
});
