// The playground in a browser: its board and its sliders together whatever the screen, and shared by a link.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("the playground", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  const problemOn = async (page: Page) =>
    JSON.parse((await page.locator("[data-problem]").getAttribute("data-problem")) ?? "");

  test.each([
    [1440, 900],
    [1024, 768],
    [390, 844],
  ])("at %i × %i the board is in sight of every slider", async (width, height) => {
    const { page, close } = await studio.at("#/playground", { viewport: { width, height } });
    const board = page.getByRole("application");
    for (const name of ["sick missed", "false alarms"])
      for (const part of ["level asked for", "cost of giving way"]) {
        const slider = page.getByLabel(`${name}: ${part}`);
        await slider.evaluate((one) => one.scrollIntoView({ block: "center" }));
        const [ofSlider, ofBoard] = [await slider.boundingBox(), await board.boundingBox()];
        if (!ofSlider || !ofBoard) throw new Error("not shown");
        const seen = Math.min(height, ofBoard.y + ofBoard.height) - Math.max(54, ofBoard.y);
        expect([name, part, seen / ofBoard.height > 0.9]).toEqual([name, part, true]);
        expect(ofSlider.y).toBeGreaterThan(0);
        expect(ofSlider.y + ofSlider.height).toBeLessThan(height);
        const apart =
          ofSlider.y >= ofBoard.y + ofBoard.height ||
          ofSlider.x >= ofBoard.x + ofBoard.width ||
          ofSlider.x + ofSlider.width <= ofBoard.x;
        expect([name, part, apart]).toEqual([name, part, true]);
      }
    await close();
  });

  test("a link has the same people and the same asks", async () => {
    const { page, close } = await studio.at("#/playground", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const copied = async (): Promise<string> => {
      await page.getByRole("button", { name: "Copy link" }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await page.getByLabel("Set of people").selectOption("rare");
    await page.getByLabel("sick missed: level asked for").fill("0.2");
    await page.locator("[data-ask='false alarms']").getByLabel("must not bend").check();
    const opened = async (link: string) => {
      const other = await studio.at("#/runs");
      await other.page.goto(link);
      await other.page.locator("[data-problem]").waitFor();
      const found = await problemOn(other.page);
      await other.close();
      return found;
    };
    const chosen = await problemOn(page);
    expect(chosen.asks["sick missed"].level).toBe(0.2);
    const short = await copied();
    expect(short).toContain("set=rare");
    expect(await opened(short)).toEqual(chosen);
    // Drawn by hand, everybody is in it.
    await page.getByRole("application").focus();
    await page.keyboard.press("Enter");
    const drawn = await problemOn(page);
    expect(drawn.points.length).toBe(chosen.points.length + 1);
    const again = await opened(await copied());
    expect(again.asks).toEqual(drawn.asks);
    expect(again.points.length).toBe(drawn.points.length);
    for (const [i, { x, y, sick }] of drawn.points.entries()) {
      expect(again.points[i].sick).toBe(sick);
      expect(Math.abs(again.points[i].x - x)).toBeLessThanOrEqual(5e-4);
      expect(Math.abs(again.points[i].y - y)).toBeLessThanOrEqual(5e-4);
    }
    await close();
  });
});
