// The clients of federations that the real command made: round by round, live, and beside another.
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, linesOf, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("a federation", () => {
  let studio: Opened;
  let made: { resilient: string; constrained: string };
  beforeAll(async () => {
    studio = await openStudio();
    made = await studio.federated("federated");
  });
  afterAll(() => studio?.close());

  test("has rounds that play, and new ones come while it runs", async () => {
    const lines = linesOf(join(studio.runs, made.resilient));
    const rounds = lines.map((line) => JSON.parse(line).communicationRounds as number);
    expect(rounds).toEqual([5, 10]);
    const folder = studio.begun(made.resilient, "rounds", 2);
    const { page, complaints, close } = await studio.at("#/federation/rounds");
    const round = page.locator("[data-round]");
    await expect.poll(() => round.getAttribute("data-round")).toBe("10");
    await page.getByLabel("Round", { exact: true }).fill("0");
    await expect.poll(() => round.getAttribute("data-round")).toBe("5");
    await page.getByLabel("Play the rounds").click();
    await expect.poll(() => round.getAttribute("data-round")).toBe("10");
    appendFileSync(
      join(folder, "metrics.jsonl"),
      `${JSON.stringify({ ...JSON.parse(lines[1]), step: 3, communicationRounds: 15 })}\n`,
    );
    await expect.poll(() => round.getAttribute("data-round")).toBe("15");
    await page.getByLabel("Client attribute").selectOption("testAccuracy");
    await expect.poll(() => page.locator("svg .dot").count()).toBe(4);
    expect(complaints).toEqual([]);
    await close();
    rmSync(folder, { recursive: true });
  });

  test("in which clients do not hold is shown by their multipliers, which are no prices, beside another", async () => {
    const { page, complaints, close } = await studio.at(`#/run/${encodeURIComponent(made.constrained)}`);
    // Clients that must hold and do not are as red here as any violated requirement, on both pages.
    const verdict = page.getByRole("region", { name: "Verdict" });
    expect(await verdict.getAttribute("data-tone")).toBe("bad");
    await page.getByRole("link", { name: "See its clients" }).click();
    await page.getByRole("heading", { name: "Clients by multiplier" }).waitFor();
    const numbers = page.locator("dl.key.large");
    expect(await numbers.locator("dt").allTextContents()).toContain("largest multiplier");
    expect(await numbers.getByText(/price|giving way/).count()).toBe(0);
    expect(await verdict.getAttribute("data-tone")).toBe("bad");
    await verdict.getByText(/--method resilient/).waitFor();
    await page.getByLabel("Compare accuracies with").selectOption({ index: 1 });
    await page.getByRole("img", { name: /Test accuracies in order, .*; of .*resilient.*, / }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("is read as a table, whatever is drawn of it", async () => {
    const { page, close } = await studio.at(`#/federation/${encodeURIComponent(made.resilient)}`);
    const last = JSON.parse(linesOf(join(studio.runs, made.resilient))[1]);
    await page.getByRole("button", { name: "Objective as a table" }).click();
    const objective = page.getByRole("table", { name: "Numbers of Objective" }).locator("tbody tr").last();
    expect(await objective.locator("td").first().textContent()).toBe("10");
    expect(Number(await objective.locator("td").last().textContent())).toBeCloseTo(last.objective, 3);
    for (const button of await page.getByRole("button", { name: / as a table$/ }).all())
      if ((await button.getAttribute("aria-pressed")) === "false") await button.click();
    await expect.poll(() => page.locator("main figure svg").count()).toBe(0);
    await expect.poll(() => page.getByRole("table", { name: /^Numbers of / }).count()).toBe(4);
    await close();
  });
});
