// Every page in a real browser, over runs that the real commands made: it opens cleanly, is usable by keyboard and by a screen reader, fits a
// narrow screen, and shows text as text.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operable, painted, settled, tabThrough, visit } from "./browser.js";
import { age, writeRun } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

/** What a browser might run, and cannot break. */
const nasty = `<img src=x onerror="window.broken=1">${"_and_long".repeat(6)}`;
/** The narrowest of phones. */
const narrow = { width: 360, height: 780 };
/** How much of a page a reader would have to scroll sideways for; the place of a scroll bar is kept free beside the body. */
const hidden = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.body.clientWidth);

describe.skipIf(!browserPath)("every page", () => {
  let studio: Opened;
  let federation: string;
  beforeAll(async () => {
    studio = await openStudio();
    await studio.trained("loans");
    age(studio.begun("loans", "stopped", 10));
    federation = (await studio.federated("federated")).resilient;
    await studio.swept();
    writeRun(studio.runs, nasty, {
      names: [nasty, "other"],
      command: nasty,
      more: { data: { name: nasty } },
    });
  });
  afterAll(() => studio?.close());

  /** Where a page is, and what is there when it has what it shows. */
  const pages: Record<string, readonly [route: () => string, shown: string]> = {
    "the runs": [() => "#/runs", "[data-run=loans]"],
    "a run": [() => "#/run/loans", "[data-chart=Price] [data-line]"],
    "a run in a folder": [
      () => `#/run/${encodeURIComponent(federation)}`,
      "[data-chart=Objective] [data-line]",
    ],
    "a run that stopped": [() => "#/run/stopped", "[data-chart=Price] [data-line]"],
    "a comparison": [() => "#/compare?run=loans&run=stopped", "td .bar"],
    "an empty comparison": [() => "#/compare", ".empty"],
    "a sweep": [() => "#/compare?sweep=swept-cost", "[data-sweep-row]"],
    "a study": [() => "#/study/swept-cost", "[data-study-run]"],
    "a federation": [() => `#/federation/${encodeURIComponent(federation)}`, "svg .dot"],
    "the playground": [() => "#/playground", "[data-settled=true]"],
  };

  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

  /** Violations a person would stumble over; with `rules`, of those alone. */
  const seriousIn = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
    const { violations } = await page.evaluate(
      (only) =>
        (
          globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }
        ).axe.run({ resultTypes: ["violations"], ...(only && { runOnly: only }) }),
      rules,
    );
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  };
  interface Violation {
    id: string;
    impact: string;
    nodes: { html: string }[];
  }

  test.each(Object.entries(pages))(
    "%s opens with no complaint, reads and tabs well in both colours, and fits a narrow screen",
    async (_, [route, shown]) => {
      const { page, complaints, close } = await studio.at(route());
      await page.locator(shown).first().waitFor();
      await settled(page);
      const reached = await tabThrough(page);
      expect((await operable(page)).filter(({ place }) => !reached.has(place))).toEqual([]);
      await page.evaluate(axe);
      expect(await seriousIn(page)).toEqual([]);
      // Nothing but colours changes with the scheme.
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      expect(await seriousIn(page, ["color-contrast"])).toEqual([]);
      await page.setViewportSize(narrow);
      await expect.poll(() => hidden(page)).toBeLessThanOrEqual(0);
      await painted(page);
      expect(await seriousIn(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test("text from disk is text: names with HTML in them do nothing, and long ones fit a narrow screen", async () => {
    const { page, complaints, close } = await studio.at("#/runs", { viewport: narrow });
    for (const route of [
      "#/runs",
      `#/run/${encodeURIComponent(nasty)}`,
      `#/compare?${new URLSearchParams([
        ["run", nasty],
        ["run", "loans"],
      ])}`,
    ]) {
      await visit(page, `${studio.server.url}${route}`);
      await page.getByText(nasty, { exact: true }).first().waitFor();
      await expect.poll(async () => [route, await hidden(page)]).toEqual([route, 0]);
    }
    expect(
      await page.evaluate(() => [document.querySelectorAll("img").length, "broken" in globalThis]),
    ).toEqual([0, false]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("runs are grouped by what they have in common", async () => {
    const { page, close } = await studio.at("#/runs");
    const groups = () => page.locator("tr.group").allTextContents();
    // At first by their outermost folder.
    await expect.poll(groups).toContain("federated 2");
    await page.getByLabel("Group by").selectOption("command");
    await expect.poll(groups).toContain("train 5");
    await close();
  });

  test("colours follow the system until the reader chooses", async () => {
    const { page, close } = await studio.at("#/runs", { colorScheme: "dark" });
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    await page.getByRole("button", { name: "Use light colours" }).click();
    await expect.poll(paper).not.toBe(dark);
    await page.reload();
    await page.getByRole("button", { name: "Use dark colours" }).click();
    await expect.poll(paper).toBe(dark);
    await close();
  });
});
