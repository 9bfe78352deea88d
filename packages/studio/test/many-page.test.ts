// Runs with many requirements: one with 120 groups that the real command made, and one with ten thousand.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loansCsv } from "../../train/src/example/loans.js";
import { writeRun } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("many requirements", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
    const [head, ...rows] = loansCsv({ rows: 6000 }).trim().split("\n");
    const at = head.split(",").indexOf("group");
    const grouped = rows.map((row, i) =>
      row
        .split(",")
        .with(at, `g${i % 120}`)
        .join(","),
    );
    writeFileSync(join(dirname(studio.loans), "loans.csv"), [head, ...grouped, ""].join("\n"));
    await studio.pliant(
      ...["train", studio.loans, "--device", "cpu", "--out", join(studio.runs, "groups"), "--no-insist"],
      ...["--set", "budget.steps=75", "--set", "budget.tolerance=1e-12"],
    );
  });
  afterAll(() => studio?.close());

  test("120 groups: how they are spread first, then the worst, ranked, and no colour twice", async () => {
    const { page, complaints, close } = await studio.at("#/run/groups");
    await page.locator("[data-ranked]").first().waitFor();
    expect(await page.locator("#requirements").textContent()).toContain("122 of them");
    // It was 24,000.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(6000);
    const tops = await page
      .locator("[aria-label*='requirements are beyond their levels'], [data-ranked]")
      .evaluateAll((list) => list.slice(0, 2).map((one) => one.getBoundingClientRect().top));
    expect(tops[0]).toBeLessThan(tops[1]);
    const beyond = await page
      .locator("[data-ranked] td:nth-child(3)")
      .evaluateAll((cells) => cells.map((cell) => Number(cell.textContent?.replace("−", "-"))));
    expect(beyond).toEqual([...beyond].sort((a, b) => b - a));
    const colours = await page
      .locator("fieldset i")
      .evaluateAll((dots) => dots.map((dot) => getComputedStyle(dot).borderColor));
    expect(colours.length).toBe(8);
    expect(new Set(colours).size).toBe(8);
    await page.getByText("All 122 of them lie in the grey").first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("the table of all is whole on a phone, every number with its name", async () => {
    const { page, close } = await studio.at("#/run/groups", { viewport: { width: 390, height: 844 } });
    const table = page.getByRole("table").filter({ has: page.locator("[data-ranked]") });
    await table.waitFor();
    const [wide, room] = await table.evaluate((found) => [
      found.scrollWidth,
      (found.parentElement as HTMLElement).clientWidth,
    ]);
    expect(wide).toBeLessThanOrEqual(room);
    const cell = table.locator("[data-ranked]").first().locator("td").nth(1);
    const named = await cell.evaluate((found) => getComputedStyle(found, "::before").content);
    expect(named).toBe('"beyond its level"');
    await close();
  });

  test("one of them is found by a search and looked at, in the address too", async () => {
    const { page, close } = await studio.at("#/run/groups");
    await page.getByLabel("Search requirements").fill("group=g77]");
    await expect.poll(() => page.locator("[data-ranked]").count()).toBe(1);
    await page.locator("[data-ranked] button").click();
    const card = page.locator("[data-requirement$='[group=g77]']");
    await card.waitFor();
    // Its own curve comes.
    await expect
      .poll(() => page.locator("[data-chart=Slack] [data-line]").last().getAttribute("data-line"))
      .toMatch(/g77/);
    await page.reload();
    await card.waitFor();
    await expect.poll(() => page.locator("[data-ranked]").count()).toBe(1);
    await close();
  });

  test("ten thousand stay usable", async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `example ${i}`);
    writeRun(studio.runs, "examples", { rows: 3, names });
    const { page, complaints, close } = await studio.at("#/run/examples");
    await page.locator("[data-ranked]").first().waitFor();
    expect(await page.locator("[data-ranked]").count()).toBe(25);
    expect(await page.locator("main *").count()).toBeLessThan(3000);
    await page.getByLabel("Search requirements").fill("9876");
    await expect.poll(() => page.locator("[data-ranked]").count()).toBe(1);
    await page.getByLabel("Search requirements").fill("");
    await page.getByRole("button", { name: "Show 25 more" }).click();
    await expect.poll(() => page.locator("[data-ranked]").count()).toBe(50);
    expect(complaints).toEqual([]);
    await close();
  });
});
