// Runs side by side, over runs that the real commands made.
import { appendFileSync, cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gaveOf, priceOf } from "@pliant/train/words";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { number } from "../page/src/lib/format.js";
import { painted, visit } from "./browser.js";
import { writeRun } from "./fixtures.js";
import { browserPath, linesOf, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("the comparison", () => {
  let studio: Opened;
  const train = (name: string, ...more: string[]) =>
    studio.pliant("train", studio.loans, "--device", "cpu", "--out", join(studio.runs, name), ...more);
  const reportOf = (name: string) => JSON.parse(readFileSync(join(studio.runs, name, "report.json"), "utf8"));
  const route = (...names: string[]): string =>
    `#/compare?${new URLSearchParams(names.map((name) => ["run", name]))}`;
  const compared = (page: Page) => page.getByRole("region", { name: "Comparison" });
  const B = "missed defaults [group=B]";
  const few = ["--set", "budget.steps=25", "--no-insist"];
  /** Runs that differ by their cost: quadratic(1), quadratic(4) and quadratic(16). */
  const costs = ["0.5", "2", "8"].map((factor) => `swept-cost-${factor}`);
  const [mild, middling, steep] = costs;
  /** Must not bend, and had no time to hold. */
  let violated: string;

  beforeAll(async () => {
    studio = await openStudio();
    await studio.trained("loans");
    // What must hold and does not is exit code 1.
    await train("strict", "--hard", B, ...few).catch(() => {});
    await studio.swept();
    violated = (await studio.invariance("invariance")).constrained;
  });
  afterAll(() => studio?.close());

  test("on a phone every run stands whole under each requirement that it has, by its name", async () => {
    const { page, close } = await studio.at(route("loans", violated), {
      viewport: { width: 360, height: 760 },
    });
    const row = compared(page).locator("tbody tr", { has: page.getByRole("rowheader", { name: B }) });
    const cells = () =>
      row.locator("td:visible").evaluateAll((all) =>
        all.map((cell) => {
          const { left, right } = cell.getBoundingClientRect();
          return [getComputedStyle(cell, "::before").content, left >= 0 && right <= innerWidth];
        }),
      );
    // The other run was not asked for it.
    await expect.poll(cells).toEqual([['"loans"', true]]);
    await expect.poll(() => compared(page).evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    await close();
  });

  test("keeps every number inside its cell, however many runs and whatever the width", async () => {
    const names = ["loans", "strict", violated, ...costs];
    const { page, close } = await studio.at("#/runs");
    for (const count of [2, 3, 4, 5, 6]) {
      await visit(page, `${studio.server.url}${route(...names.slice(0, count))}`);
      await expect.poll(() => compared(page).locator("thead th[scope=col]").count()).toBe(count);
      for (const width of [390, 1024, 1280, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const outside = () =>
          compared(page)
            .locator("tbody td, thead th")
            .evaluateAll((cells) =>
              cells.flatMap((cell) => {
                const { right } = cell.getBoundingClientRect();
                return [...cell.querySelectorAll("*")]
                  .filter((part) => part.textContent?.trim() && part.getBoundingClientRect().right > right)
                  .map((part) => part.textContent);
              }),
            );
        await expect.poll(async () => [width, count, await outside()]).toEqual([width, count, []]);
      }
    }
    await close();
  });

  test("a requirement that must not bend and does not hold has a bar and is called violated", async () => {
    const { requirements } = reportOf(violated);
    const [[name, { reached, level }]] = Object.entries<{ reached: number; level: number }>(requirements);
    expect(reached).toBeGreaterThan(level);
    const { page, close } = await studio.at(route(violated, "loans"));
    const cell = page.getByRole("row", { name: new RegExp(`^${name}`) }).locator("td.missed");
    expect(await cell.textContent()).toContain(`violated by ${number(reached - level, 3)}`);
    expect(
      await cell.locator(".bar div").evaluate((bar) => bar.getBoundingClientRect().width),
    ).toBeGreaterThan(50);
    await close();
  });

  test("bars of one requirement share a scale, at which its level is a full bar or less", async () => {
    const { page, close } = await studio.at(route("loans", mild, violated));
    const rows = await compared(page)
      .locator("tbody tr")
      .evaluateAll((list) =>
        list
          .map((row) => ({
            name: row.querySelector("th")?.textContent?.trim() ?? "",
            widths: [...row.querySelectorAll<HTMLElement>(".bar div")].map((bar) =>
              Number.parseFloat(bar.style.width),
            ),
          }))
          .filter(({ widths }) => widths.some((width) => width > 0)),
      );
    expect(rows.length).toBeGreaterThan(1);
    for (const { name, widths } of rows) {
      const gave = ["loans", mild, violated].flatMap((run) => {
        const found = reportOf(run).requirements[name];
        if (!found) return [];
        const strictly = found.pricedBy === "strict" ? found.train.strict.value : found.reached;
        return [{ level: found.level, by: Math.max(0, strictly - found.level) }];
      });
      const full = Math.max(...gave.flatMap(({ level, by }) => [level, by]));
      for (const [i, { by }] of gave.entries()) expect(widths[i]).toBeCloseTo((100 * by) / full, 1);
    }
    await close();
  });

  test("numbers are strict, and those on test data stand beside them", async () => {
    const { requirements, test: whole } = reportOf("loans");
    const { train: seen, test: unseen, surrogate } = requirements[B];
    const { page, close } = await studio.at(route("loans", "strict"));
    const cell = page.getByRole("row", { name: B }).locator("td").first();
    const said = (await cell.textContent())?.replace(/\s+/g, " ") ?? "";
    expect(said).toContain(`reached ${number(seen.strict.value, 3)} of 0.15`);
    expect(said).toContain(`on test data ${number(unseen.strict.value, 3)}`);
    expect(said).not.toContain(number(surrogate ?? seen.surrogate, 3));
    const error = page.getByRole("row", { name: "test error" }).locator("td").first();
    expect(await error.textContent()).toContain(number(whole.error.value, 3));
    await close();
  });

  test("a run that still trains is followed until its end", async () => {
    const lines = linesOf(join(studio.runs, "loans"));
    const growing = studio.begun("loans", "growing", 3);
    const { page, complaints, close } = await studio.at(`${route("loans", "growing")}&seeds=apart`);
    const column = compared(page).locator("thead th[scope=col]", { hasText: "running" });
    await column.waitFor();
    const steps = async () =>
      (await compared(page)
        .getByRole("row", { name: /^steps/ })
        .textContent()) ?? "";
    const drawn = async () =>
      Number(await page.locator("[data-chart=Objective]").getAttribute("data-points"));
    const before = [await steps(), await drawn()] as const;
    for (const line of lines.slice(3, 8)) appendFileSync(join(growing, "metrics.jsonl"), `${line}\n`);
    await expect.poll(steps).not.toBe(before[0]);
    await expect.poll(drawn).toBe(before[1] + 5);
    cpSync(join(studio.runs, "loans", "report.json"), join(growing, "report.json"));
    await column.waitFor({ state: "detached" });
    await expect.poll(steps).toContain(`${reportOf("loans").steps.toLocaleString("en")}, 1, cpu`);
    expect(complaints).toEqual([]);
    await close();
  });

  test("runs are drawn over one another, one stands out, seeds are a band", async () => {
    await train("seed-2", "--set", "seed=2", "--set", "cost=quadratic(16)", ...few);
    const { page, complaints, close } = await studio.at(route(steep, "seed-2", mild));
    const chart = page.locator("[data-chart=Objective]");
    await expect.poll(() => chart.locator("[data-line]").count()).toBe(2);
    const bands = () => chart.locator("[fill-opacity='0.16']").count();
    await expect.poll(bands).toBe(1);
    await page.getByLabel("seeds together").uncheck();
    await expect.poll(() => chart.locator("[data-line]").count()).toBe(3);
    await expect.poll(bands).toBe(0);
    await expect.poll(() => page.url()).toContain("seeds=apart");
    const legend = page.getByRole("list", { name: "Runs drawn" }).getByRole("button");
    await legend.first().focus();
    const opacities = () =>
      chart.locator("[data-line]").evaluateAll((all) => all.map((line) => line.getAttribute("opacity")));
    await expect.poll(opacities).toEqual(["1", "0.18", "0.18"]);
    await page.getByRole("combobox", { name: /^Requirement/ }).selectOption("false alarms");
    await page.locator("[data-chart='Price of false alarms']").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("over time, every run is drawn by its own clock", async () => {
    // The same run at half the pace.
    const lines = linesOf(join(studio.runs, "loans")).map((line) => JSON.parse(line));
    const since = (line: { time: string }): number => Date.parse(line.time) - Date.parse(lines[0].time);
    const slow = studio.begun("loans", "slow", 0);
    for (const line of lines)
      appendFileSync(
        join(slow, "metrics.jsonl"),
        `${JSON.stringify({ ...line, time: new Date(Date.parse(lines[0].time) + 2 * since(line)).toISOString() })}\n`,
      );
    const { page, complaints, close } = await studio.at(`${route("loans", "slow")}&seeds=apart`);
    await page.getByRole("combobox", { name: /^Over/ }).selectOption("time");
    await expect.poll(() => page.url()).toContain("x=time");
    const slider = page.getByRole("slider", { name: /^Objective of/ });
    await expect.poll(() => slider.getAttribute("aria-valuetext")).toMatch(/^seconds /);
    const lasted = since(lines[lines.length - 1]) / 1000;
    expect(Number(await slider.getAttribute("aria-valuemax"))).toBeCloseTo(2 * lasted, 2);
    const ends = await page
      .locator("[data-chart=Objective] [data-line]")
      .evaluateAll((all) => all.map((line) => (line as SVGPathElement).getBBox().width));
    expect(ends[1] / ends[0]).toBeCloseTo(2, 1);
    expect(complaints).toEqual([]);
    await close();
    rmSync(slow, { recursive: true });
  });

  test("an outline of long runs is drawn before they are read in full, and a missing run does not stop the others", async () => {
    for (const name of ["long-1", "long-2"]) writeRun(studio.runs, name, { rows: 4000 });
    const { page, close } = await studio.at("#/runs");
    await page.route(
      (url) => url.pathname === "/api/series" && !url.searchParams.has("glimpse"),
      () => {},
    );
    await page.goto(`${studio.server.url}${route("long-1", "nowhere", "long-2")}&seeds=apart`);
    await page.getByText("There is no such run.").waitFor();
    await expect.poll(() => page.locator("[data-chart=Objective] [data-line]").count()).toBe(2);
    await close();
  });

  test("the runs are asked for while the page is on its way, in one question", async () => {
    const { page, close } = await studio.at("#/runs");
    const asked: string[] = [];
    const first = new Promise<void>((done) => {
      page.on("request", (request) => {
        if (request.url().includes("/api/")) asked.push(new URL(request.url()).pathname);
        if (request.url().includes("/api/first")) done();
      });
    });
    // The page itself comes only after the question.
    await page.route("**/assets/Compare-*.js", async (route) => {
      await first;
      await route.continue();
    });
    await page.goto("about:blank");
    asked.length = 0;
    await page.goto(`${studio.server.url}${route("loans", ...costs)}`);
    await expect.poll(() => compared(page).locator("thead th[scope=col]").count()).toBe(4);
    expect(asked.filter((path) => path === "/api/first")).toHaveLength(1);
    expect(asked).not.toContain("/api/run");
    await close();
  });

  test("runs with the same name are distinguished before the list of all runs is there", async () => {
    const { page, close } = await studio.at("#/runs");
    const names = () => compared(page).locator("thead th[scope=col] a:not(.remove)").allInnerTexts();
    await visit(page, `${studio.server.url}${route("loans", "strict")}`);
    const told = await names();
    expect(told[0]).toBe("loans");
    expect(told[1]).toMatch(/^loans, .*hard/);
    await page.route("**/api/runs?*", () => {});
    await page.reload();
    await expect.poll(names).toEqual(told);
    await close();
  });

  test("a slider moves along a sweep, and says what each of its runs came to", async () => {
    const { page, close } = await studio.at("#/compare?sweep=swept-cost");
    const row = page.locator(`[data-sweep-row="${B}"]`);
    const slider = page.getByLabel("Position on the sweep");
    // What was swept is a factor of the costs, not a cost.
    expect(await slider.getAttribute("aria-valuetext")).toBe("cost × 0.5");
    for (const [at, name] of costs.entries()) {
      await slider.fill(String(at));
      const report = reportOf(name);
      const { train: seen } = report.requirements[B];
      const own = report.requirements[B];
      const told = [number(seen.strict.value, 3), gaveOf(report, own), priceOf(report, own)];
      await expect.poll(() => row.locator("td").allTextContents()).toEqual(told);
    }
    // Prices that nobody knows are no chart.
    expect(await row.page().getByText("What a unit of its level costs, where that is known").count()).toBe(0);
    await close();
  });

  test("parallel coordinates are whole on a phone, every axis with its name and its ends", async () => {
    for (const width of [390, 1280]) {
      const { page, close } = await studio.at(route(...costs), { viewport: { width, height: 844 } });
      const figure = page.getByRole("group", { name: /^Parallel coordinates of 3 runs/ });
      const outside = await figure.evaluate((svg) => {
        const { left, right } = (svg.closest("figure") as HTMLElement).getBoundingClientRect();
        return [...svg.querySelectorAll("text, path")]
          .map((part) => part.getBoundingClientRect())
          .filter((box) => box.left < left || box.right > right).length;
      });
      expect([width, outside]).toEqual([width, 0]);
      const axes = await figure.locator(".axis").count();
      expect(axes).toBeGreaterThan(3);
      expect(await figure.locator("text").count()).toBe(3 * axes);
      await close();
    }
  });

  test("nothing is drawn backwards where there is no room", async () => {
    const { page, complaints, close } = await studio.at(route(...costs));
    await page.locator("[data-brush]").first().waitFor();
    await page.setViewportSize({ width: 20, height: 800 });
    await painted(page);
    expect(complaints).toEqual([]);
    await close();
  });

  test("only the differences between the specs are shown", async () => {
    const { page, close } = await studio.at(route(mild, middling));
    const table = page.getByRole("table", { name: "Differences of the specs" });
    const cost = table.getByRole("row", { name: /^cost/ });
    expect(await cost.locator("td").allInnerTexts()).toEqual(["quadratic(1)", "quadratic(4)"]);
    expect(await table.getByRole("row").count()).toBe(2);
    await close();
  });

  test("a trade-off has one point per run, which names its run", async () => {
    const { page, close } = await studio.at(route(...costs));
    const points = page.locator("[data-point]");
    await expect.poll(() => points.count()).toBe(3);
    await page.getByLabel("Across", { exact: true }).selectOption(`${B}: reached`);
    await page.getByLabel("Up", { exact: true }).selectOption("test error");
    await points.nth(1).focus();
    const { requirements, test: whole } = reportOf(middling);
    const said = () => page.locator(".said.numeric").textContent();
    for (const words of [
      "cost × 2",
      `reached ${number(requirements[B].train.strict.value, 3)}`,
      `test error ${number(whole.error.value, 3)}`,
    ])
      await expect.poll(said).toContain(words);
    await expect.poll(() => page.url()).toContain("up=test+error");
    // Read as a table, and found again by the address.
    await page.getByRole("button", { name: `test error against ${B}: reached as a table` }).click();
    await expect.poll(() => page.url()).toContain("table=");
    const row = page.getByRole("row", { name: /cost × 2/ }).filter({ hasText: number(whole.error.value) });
    await row.waitFor();
    expect(await row.locator("td").last().textContent()).toBe(number(whole.error.value));
    const lines = page.getByRole("group", { name: /^Parallel coordinates of 3 runs/ }).getByRole("link");
    expect(await lines.count()).toBe(3);
    await lines.nth(2).focus();
    await page
      .getByRole("status")
      .filter({ hasText: /^[^:]*cost × 8[^:]*$/ })
      .waitFor();
    await close();
  });
});
