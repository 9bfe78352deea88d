// The page of a run, over runs that the real commands made.
import { once } from "node:events";
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { saved } from "@pliant/train/words";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { number } from "../page/src/lib/format.js";
import { endless } from "./fixtures.js";
import { browserPath, linesOf, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("the page of a run", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
    await studio.trained("loans");
  });
  afterAll(() => studio?.close());

  test("the headline is strict: what gave way, by how much, and that the loss behind it is another number", async () => {
    const out = join(studio.runs, "loans");
    const { requirements } = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    const [A, B] = ["A", "B"].map((group) => `missed defaults [group=${group}]`);
    const strict = (name: string): number => requirements[name].train.strict.value;
    // Strictly one gave way and the other did not, though the loss of both is above its level.
    expect(strict(A)).toBeLessThan(0.15);
    expect(strict(B)).toBeGreaterThan(0.15);
    const { page, close } = await studio.at("#/run/loans");
    const by = number(strict(B) - 0.15, 3);
    const headline = (await page.locator(".headline").textContent()) ?? "";
    expect(headline).toContain(
      `${B} gave way by ${by}: asked at most 0.15, it reached ${number(strict(B), 3)}`,
    );
    expect(headline).not.toContain(A);
    const { costs } = requirements[B].insisting;
    const insisting = await page.locator("[data-question='What it costs']").innerText();
    expect(insisting).toContain(saved(costs));
    expect(insisting).toContain(`to insist on ${B}`);
    const card = (name: string) => page.locator(`[data-requirement="${name}"]`);
    expect(await card(B).locator(".chip").textContent()).toBe(`gave way by ${by}`);
    expect(await card(A).locator(".chip").textContent()).toBe("met with room");
    const said = ((await card(B).textContent()) ?? "").replace(/\s+/g, " ");
    expect(said).toContain("what is counted false negative rate");
    expect(said).toContain(`the loss that stands in for it ${number(requirements[B].train.surrogate, 3)}`);
    expect(said).toContain(`on test data ${number(requirements[B].test.strict.value, 3)}`);
    await close();
  });

  test("the picture of an equilibrium has both sides, as measured, or there is none", async () => {
    const { requirements } = JSON.parse(readFileSync(join(studio.runs, "loans", "report.json"), "utf8"));
    const { page, close } = await studio.at("#/run/loans");
    const drawn = await page.locator("[data-requirement]").evaluateAll((cards) =>
      cards.map((card) => ({
        name: card.getAttribute("data-requirement") ?? "",
        said: card.querySelector("svg[aria-label^=Equilibrium]")?.getAttribute("aria-label") ?? null,
      })),
    );
    expect(drawn.length).toBe(Object.keys(requirements).length);
    for (const { name, said } of drawn) {
      const { insisting, relaxation } = requirements[name];
      if (insisting?.had && insisting.costs > 0 && relaxation > 0)
        expect(said).toContain(
          `gained ${number(insisting.costs / relaxation, 3)} a unit on average, as measured`,
        );
      else expect([name, said]).toEqual([name, null]);
    }
    const [first] = drawn.filter(({ said }) => said !== null);
    const { price, relaxation } = requirements[first.name];
    expect(first.said).toContain(
      // A count has no price that is a slope.
      `∇h = 2 · 2 · u; the weight ${number(price)} meets it at a relaxation of ${number(relaxation)}`,
    );
    // The dearest first.
    const prices = drawn.map(({ name }) => requirements[name].price);
    expect(prices).toEqual([...prices].sort((a, b) => b - a));
    await close();
  });

  test("cards leave no hole between them, and fill the width", async () => {
    const { page, close } = await studio.at("#/run/loans", { viewport: { width: 1440, height: 900 } });
    const boxes = await page.locator("[data-requirement]").evaluateAll((cards) =>
      cards.map((card) => {
        const { left, right, top, bottom } = card.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    );
    const columns = new Map<number, typeof boxes>();
    for (const box of boxes) columns.set(box.left, [...(columns.get(box.left) ?? []), box]);
    const starts = [...columns.values()].map(([first]) => first.top);
    for (const start of starts) expect(start).toBeCloseTo(starts[0], 0);
    for (const column of columns.values())
      for (const [i, { top }] of column.slice(1).entries()) expect(top - column[i].bottom).toBeCloseTo(16, 0);
    const around = await page.locator(".cards").evaluate((cards) => cards.getBoundingClientRect().right);
    expect(Math.max(...boxes.map(({ right }) => right))).toBeCloseTo(around, 0);
    await close();
  });

  test.each([
    [1440, 900],
    [390, 844],
  ])(
    "the first screen of %i × %i answers the four questions and has the next step, with no scrolling",
    async (width, height) => {
      const { requirements } = JSON.parse(readFileSync(join(studio.runs, "loans", "report.json"), "utf8"));
      const B = "missed defaults [group=B]";
      const { train, insisting } = requirements[B];
      const { page, close } = await studio.at("#/run/loans", { viewport: { width, height } });
      const answers = {
        "[data-question='What was asked']": `${B} at most 0.15`,
        "[data-question='Did it hold']": "of 4 requirements hold",
        "[data-question='What gave way']": `${B} by ${number(train.strict.value - 0.15, 3)}`,
        "[data-question='What it costs']": saved(insisting.costs),
        "[data-next]": "npx pliant train",
      };
      for (const [found, answer] of Object.entries(answers)) {
        const place = page.locator(found);
        expect(await place.textContent()).toContain(answer);
        const box = await place.boundingBox();
        expect(box).not.toBe(null);
        const { x, y, width: wide, height: high } = box as NonNullable<typeof box>;
        expect([found, x >= 0, y >= 0, x + wide <= width, y + high <= height]).toEqual([
          found,
          true,
          true,
          true,
          true,
        ]);
      }
      // Nothing lies over them.
      const covered = await page.locator("[data-question] dd").evaluateAll((list) =>
        list
          .filter((one) => one.textContent?.trim())
          .filter((one) => {
            const { left, top, width: w, height: h } = one.getBoundingClientRect();
            const above = document.elementFromPoint(left + w / 2, top + h / 2);
            return !(above && (one.contains(above) || above.contains(one)));
          })
          .map((one) => one.textContent),
      );
      expect(covered).toEqual([]);
      await close();
    },
  );

  test("a run's curves grow while it trains, and its end is seen", async () => {
    const lines = linesOf(join(studio.runs, "loans"));
    const live = studio.begun("loans", "live", 5);
    const { page, complaints, close } = await studio.at("#/run/live");
    const points = async (title: string) =>
      Number(await page.locator(`[data-chart=${title}]`).getAttribute("data-points"));
    await expect.poll(() => points("Objective")).toBe(5);
    for (const line of lines.slice(5, 8)) appendFileSync(join(live, "metrics.jsonl"), `${line}\n`);
    await expect.poll(() => points("Objective")).toBe(8);
    await expect.poll(() => points("Price")).toBe(4 * 8);
    cpSync(join(studio.runs, "loans", "report.json"), join(live, "report.json"));
    await page.locator("main .status.finished").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(["before", "while"])("a run that goes %s it is followed is said to be gone", async (when) => {
    const live = studio.begun("loans", "going", 5);
    const { page, close } = await studio.at("#/runs");
    const gone = () => rmSync(live, { recursive: true, force: true });
    if (when === "before")
      await page.route("**/api/live?*", (route) => {
        gone();
        return route.continue();
      });
    await page.goto(`${studio.server.url}#/run/going`);
    await page.locator("[data-chart=Price] [data-line]").first().waitFor();
    if (when === "while") gone();
    await page.getByText("There is no such run.").waitFor();
    await close();
  });

  test("a file of a run is saved as it is", async () => {
    const { page, close } = await studio.at("#/run/loans");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Report", exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("loans-report.json");
    expect(readFileSync(await download.path(), "utf8")).toBe(
      readFileSync(join(studio.runs, "loans", "report.json"), "utf8"),
    );
    const [rows] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Which rows are in which part" }).click(),
    ]);
    expect(rows.suggestedFilename()).toBe("loans-rows.csv");
    expect(readFileSync(await rows.path(), "utf8")).toBe(
      readFileSync(join(studio.runs, "loans", "rows.csv"), "utf8"),
    );
    await close();
  });

  test("a run that trains shows its progress, and stops on request so that it can be resumed", async () => {
    const out = join(studio.runs, "busy");
    const child = studio.begin(
      ...["train", studio.loans, "--device", "cpu", "--out", out],
      ...[...endless, "--set", "budget.steps=1000000"],
    );
    const ended = once(child, "exit");
    try {
      while (!existsSync(join(out, "metrics.jsonl")) && child.exitCode === null) await setTimeout(20);
      const { page, complaints, close } = await studio.at("#/run/busy");
      const words = page.locator(".progress .words");
      await expect.poll(() => words.textContent()).toMatch(/^step [\d,]+ of 1,000,000, at most .+ left$/);
      const share = async () => Number(await page.getByRole("progressbar").getAttribute("value"));
      const before = await share();
      await expect.poll(share).toBeGreaterThan(before);
      await page.getByRole("button", { name: "Stop" }).click();
      expect((await ended)[1]).toBe(null);
      // From the moment it ended.
      const told = await fetch(`${studio.server.url}api/run?name=busy`);
      expect((await told.json()).summary.status).toBe("stopped");
      await page.locator("main .status.stopped").waitFor();
      expect(await page.locator(".progress").count()).toBe(0);
      expect(existsSync(join(out, "checkpoint.safetensors"))).toBe(true);
      expect(complaints).toEqual([]);
      await close();
    } finally {
      child.kill("SIGKILL");
    }
  });
});
