// A study on its page, over a sweep that the real command made: what is traded, in order, the best on top; and everything a reader
// chooses is in the address.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { number } from "../page/src/lib/format.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("a study", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
    await studio.swept();
  });
  afterAll(() => studio?.close());
  const reportOf = (value: number) =>
    JSON.parse(readFileSync(join(studio.runs, `swept-cost-${value}`, "report.json"), "utf8"));

  test("is found from the list, and shows its points in order with their labels", async () => {
    const { page, complaints, close } = await studio.at("#/runs");
    await page.getByRole("link", { name: "swept-cost 3" }).click();
    await page.locator("[data-figure=trade-off] [data-point]").first().waitFor();
    expect(await page.locator("main h1").textContent()).toBe("swept-cost");
    const labels = () => page.locator("[data-figure=trade-off] text.name").allTextContents();
    expect(await labels()).toEqual(["0.5", "2", "8"]);
    const points = page.locator("[data-figure=trade-off] [data-point]");
    expect(await points.evaluateAll((all) => all.map((a) => a.getAttribute("data-point")))).toEqual([
      "cost × 0.5",
      "cost × 2",
      "cost × 8",
    ]);
    const losses = [0.5, 2, 8].map((value) => number(reportOf(value).test.loss.value));
    const cells = await page
      .locator("[data-study-run]")
      .evaluateAll((rows) => rows.map((row) => row.textContent));
    for (const loss of losses) expect(cells.some((text) => text?.includes(loss))).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  test("is filtered, sorted and held against a baseline in the address, and kept as a view", async () => {
    const { page, close } = await studio.at("#/study/swept-cost");
    const rows = () =>
      page
        .locator("[data-study-run]")
        .evaluateAll((all) => all.map((row) => row.getAttribute("data-study-run")));
    await expect.poll(async () => (await rows()).length).toBe(3);
    await page.getByLabel("Filter by", { exact: true }).selectOption("cost ×");
    await page.getByLabel("Relation").selectOption("≥");
    await page.getByLabel("Value to filter by").fill("2");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await expect.poll(async () => (await rows()).length).toBe(2);
    await page.getByRole("button", { name: "cost ×", exact: true }).click();
    await expect.poll(rows).toEqual(["swept-cost-2", "swept-cost-8"]);
    await page.getByRole("button", { name: "pin loans, cost × 2 as the baseline" }).click();
    const difference = reportOf(8).test.loss.value - reportOf(2).test.loss.value;
    const beside = page.locator("[data-study-run=swept-cost-8] [data-beside='test loss']");
    expect((await beside.textContent())?.replace("−", "-").trim()).toContain(
      String(Number(Math.abs(difference).toPrecision(2))),
    );
    await page.getByText("Views", { exact: true }).click();
    await page.getByLabel("Name of this view").fill("dear ones");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.goto(`${studio.server.url}#/study/swept-cost`);
    await expect.poll(async () => (await rows()).length).toBe(3);
    await page.getByRole("link", { name: "dear ones" }).click();
    await expect.poll(rows).toEqual(["swept-cost-2", "swept-cost-8"]);
    await close();
  });

  test("its menus close at Escape, with the focus on what opened them, and at a click elsewhere", async () => {
    const { page, close } = await studio.at("#/study/swept-cost");
    for (const name of ["Columns", "Views"]) {
      const menu = page.locator("details", { has: page.getByText(name, { exact: true }) });
      const open = () => menu.evaluate((details) => (details as HTMLDetailsElement).open);
      await page.getByText(name, { exact: true }).click();
      expect(await open()).toBe(true);
      await page.keyboard.press("Escape");
      expect(await open()).toBe(false);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
      await page.getByText(name, { exact: true }).click();
      await page.locator("main h1").click();
      expect(await open()).toBe(false);
    }
    await close();
  });

  test("is saved as a table of every setting and number", async () => {
    const { page, close } = await studio.at("#/study/swept-cost");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV", exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("swept-cost.csv");
    const text = readFileSync(await download.path(), "utf8");
    const [head, ...lines] = text.trim().split("\r\n");
    expect(head.startsWith("run,cost ×,standing,")).toBe(true);
    expect(lines).toHaveLength(3);
    expect(text).toContain(String(reportOf(8).test.loss.value));
    await close();
  });

  test("says so where there is none", async () => {
    const { page, close } = await studio.at("#/study/nothing");
    await page.getByRole("alert").getByText("There is no such study.").waitFor();
    await close();
  });
});
