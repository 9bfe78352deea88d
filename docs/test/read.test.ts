// The site as readers have it, opened from a disk: axe finds nothing, the search finds, the playground trains.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, launch, openPage, whyNoBrowser } from "../../packages/studio/test/browser.js";
import { builtSite, pages } from "./built.js";

if (!browserPath) console.warn(whyNoBrowser);

describe.skipIf(!browserPath)("in a browser, from a disk, the site", () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  let site: string;
  let browser: Browser;
  beforeAll(async () => {
    [site, browser] = await Promise.all([builtSite(), launch()]);
  });
  afterAll(() => browser?.close());

  const at = (address: string): string => String(pathToFileURL(join(site, address)));
  /** Of all rules, or of those named. Neither reaches outside the page: from a disk it may not. The playground is the Studio's, and looked at there. */
  const faults = (page: Page, rules?: readonly string[]): Promise<string[]> =>
    page.evaluate(async (runOnly) => {
      const { axe } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await axe.run({
        resultTypes: ["violations"],
        preload: false,
        iframes: false,
        ...(runOnly && { runOnly }),
      });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
    }, rules);

  /**
   * Readies a page for axe. Of an article's siblings that are the same but for the words, as most rows of a long table and
   * most names in a program are, one is enough: axe takes two milliseconds for each element. What is to be found by its
   * name stays, and so does all around the article.
   */
  const withAxe = async (page: Page): Promise<void> => {
    await page.evaluate(axe);
    await page.evaluate(() => {
      const markupOf = (element: Element): string => {
        const copy = element.cloneNode(true);
        const texts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
        while (texts.nextNode())
          texts.currentNode.textContent = texts.currentNode.textContent?.trim() ? "…" : "";
        return (copy as Element).outerHTML;
      };
      for (const parent of document.querySelectorAll("main, main *")) {
        const seen = new Set<string>();
        for (const child of [...parent.children]) {
          const markup = markupOf(child);
          if (seen.has(markup) && !/ id=/.test(markup)) child.remove();
          seen.add(markup);
        }
      }
    });
  };

  test("is without faults that axe finds, in light and in dark colours", async () => {
    const { page, complaints, close } = await openPage(browser, { colorScheme: "light" });
    const asked: string[] = [];
    page.on("request", (request) => {
      if (!/^(file|blob|data):/.test(request.url())) asked.push(request.url());
    });
    for (const address of [...pages.map((each) => each.address), "api/pliant.html"]) {
      await page.goto(at(address));
      await withAxe(page);
      const light = await faults(page);
      await page.emulateMedia({ colorScheme: "dark" });
      // All else is the same in both.
      const dark = await faults(page, ["color-contrast", "link-in-text-block"]);
      expect({ address, light, dark }).toEqual({ address, light: [], dark: [] });
      await page.emulateMedia({ colorScheme: "light" });
    }
    expect(asked).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("finds what is searched for, by the keyboard alone", async () => {
    const { page, complaints, close } = await openPage(browser);
    await page.goto(at("start.html"));
    await page.keyboard.press("/");
    await page.keyboard.type("boosted trees lagrang");
    await page.getByRole("option", { selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/spec\.html#models$/);
    await page.getByRole("combobox").fill("nothinglikeit");
    await page.getByText("Nothing found").waitFor();
    await withAxe(page);
    expect(await faults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("has a playground that trains in the page until its answer is certified", async () => {
    const { page, complaints, close } = await openPage(browser);
    await page.goto(at("idea.html"));
    const frame = page.frameLocator("iframe");
    await frame.locator("[data-settled=true]").waitFor();
    const status = frame.getByRole("status").first();
    await expect.poll(() => status.textContent()).toMatch(/^At the equilibrium, certified/);
    expect(complaints).toEqual([]);
    await close();
  });

  test("is read on a small screen, its pages behind a button", async () => {
    const { page, close } = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(at("start.html"));
    const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Specs" });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Pages" }).click();
    await link.click();
    await page.waitForURL(/spec\.html$/);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    await close();
  });
});
