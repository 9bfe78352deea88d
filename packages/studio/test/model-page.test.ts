// The model behind a run on its page, over a run that the real command made: its rates at a threshold that is moved, and the rows behind
// a cell.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { number, percentOf } from "../page/src/lib/format.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("the model of a run", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
    const out = ["--device", "cpu", "--out", join(studio.runs, "decided"), "--no-insist"];
    await studio.pliant("train", studio.loans, ...out, "--set", "decision.threshold=learnt");
  });
  afterAll(() => studio?.close());

  test("has the rates of the report at the run's threshold, and others where it is moved", async () => {
    const { requirements, decision } = JSON.parse(
      readFileSync(join(studio.runs, "decided", "report.json"), "utf8"),
    );
    const { page, complaints, close } = await studio.at("#/run/decided?tab=model");
    const row = page.locator("[data-group='group=B']");
    const rate = async () =>
      (await row.locator("[data-rate='false negative rate']").innerText()).split("\n")[0];
    const { reached } = requirements["missed defaults [group=B]"];
    expect((await rate()).trim()).toBe(percentOf(reached));
    const slider = page.getByRole("slider", { name: "Threshold" });
    expect(await slider.getAttribute("aria-valuetext")).toBe(percentOf(decision.probability));
    const dot = () => page.locator("[data-figure=ROC] [data-at='group B']").getAttribute("cx");
    const before = await dot();
    await slider.focus();
    await page.keyboard.press("Home");
    // Below every score nothing is missed, and everything is a false positive.
    await expect.poll(async () => (await rate()).trim()).toBe("0.00%");
    await expect.poll(dot).not.toBe(before);
    await page.getByRole("button", { name: "As in the run" }).click();
    await expect.poll(async () => (await rate()).trim()).toBe(percentOf(reached));
    await expect.poll(dot).toBe(before);
    expect(complaints).toEqual([]);
    await close();
  });

  test("compares what it relies on between groups, as held-out.json has it", async () => {
    const { byGroup, importance } = JSON.parse(
      readFileSync(join(studio.runs, "decided", "held-out.json"), "utf8"),
    );
    const { page, complaints, close } = await studio.at("#/run/decided?tab=model");
    const [{ feature }] = importance;
    const marks = page.locator(`[data-figure=importance] [data-importance='${feature}']`);
    const titles = () => marks.locator("title").allTextContents();
    const means = [importance, byGroup.group.A.importance, byGroup.group.B.importance].map(
      (list: { feature: string; mean: number }[]) => list.find((one) => one.feature === feature)?.mean ?? 0,
    );
    const said = await titles();
    expect(said.map((text) => text.split(":")[0])).toEqual(
      ["all rows", "group A", "group B"].map((name) => `${feature}, ${name}`),
    );
    for (const [i, mean] of means.entries()) expect(said[i]).toContain(`: ${number(mean, 2)} (`);
    const lines = page.locator("[data-figure=effect] [data-effect]");
    expect(await lines.count()).toBe(3);
    await page.getByRole("combobox", { name: "Compare groups" }).first().selectOption("all rows");
    await expect.poll(() => lines.count()).toBe(1);
    await expect.poll(async () => (await titles()).length).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test("tells which lines of the data are behind a cell", async () => {
    const { page, complaints, close } = await studio.at("#/run/decided?tab=model");
    await page.locator("[data-group='group=B'] [data-cell=falseNegatives]").click();
    const behind = page.getByLabel("Rows behind a cell");
    await behind.locator("[data-line]").first().waitFor();
    const found = await behind
      .locator("[data-line]")
      .evaluateAll((all) => all.map((li) => Number(li.getAttribute("data-line"))));
    const [head, ...data] = readFileSync(join(dirname(studio.loans), "loans.csv"), "utf8").split("\n");
    const [group, target] = ["group", "defaulted"].map((name) => head.split(",").indexOf(name));
    expect(found.length).toBeGreaterThan(5);
    for (const line of found) {
      const cells = data[line - 2].split(",");
      expect([line, cells[group], cells[target]]).toEqual([line, "B", "yes"]);
    }
    await behind.getByRole("button", { name: "Close" }).click();
    await behind.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });
});
