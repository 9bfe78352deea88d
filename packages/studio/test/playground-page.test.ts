// The playground in a browser: what it shows is what the library computes and what its captions say, its board and its sliders are together
// whatever the screen, and it is shared by a link.

import { solve } from "@pliant/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Description, names, optionsFor, problemOf } from "../page/src/playground/problem.js";
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
  ])("at %i × %i the board is in sight of every slider, and no name is cut", async (width, height) => {
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
    // And the set of people is named in full.
    const cut = await page.getByLabel("Set of people").evaluate((select) => {
      const { width } = select.getBoundingClientRect();
      (select as HTMLElement).style.cssText = "flex: none; width: max-content";
      return Math.max(0, select.getBoundingClientRect().width - width);
    });
    expect(cut).toBe(0);
    await close();
  });

  test("a link has the same people and the same asks", async () => {
    const { page, close } = await studio.at("#/playground", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const kept = () => page.evaluate(() => navigator.clipboard.readText());
    const copied = async (): Promise<string> => {
      await page.evaluate(() => navigator.clipboard.writeText("nothing"));
      await page.getByRole("button", { name: "Copy link" }).click();
      await expect.poll(kept).not.toBe("nothing");
      return kept();
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

  /** What the page shows once it is at rest, and what the library says of the same problem. */
  const compared = async (page: Page) => {
    await page.locator("[data-settled=true]").waitFor();
    const description: Description = JSON.parse(
      (await page.locator("[data-problem]").getAttribute("data-problem")) ?? "",
    );
    const { report } = await solve(problemOf(description), optionsFor(description.points));
    expect(report.certificate.holds).toBe(true);
    const on = async (name: string, key: string) =>
      Number(await page.locator(`[data-ask='${name}']`).getAttribute(`data-${key}`));
    for (const name of names) {
      expect(Math.abs((await on(name, "relaxation")) - report.requirements[name].relaxation)).toBeLessThan(
        2e-3,
      );
      expect(Math.abs((await on(name, "price")) - report.requirements[name].price)).toBeLessThan(1e-2);
    }
    return report.requirements;
  };

  test("sliders change u and λ to what the library computes", async () => {
    const { page, complaints, close } = await studio.at("#/playground");
    await page.getByRole("button", { name: "2: " }).click();
    const before = await compared(page);
    await page.getByLabel("sick missed: cost of giving way").fill("0.9");
    const dearer = await compared(page);
    expect(dearer["sick missed"].relaxation).toBeLessThan(before["sick missed"].relaxation);
    expect(dearer["sick missed"].price).toBeGreaterThan(before["sick missed"].price);
    await page.getByLabel("false alarms: level asked for").fill("0.05");
    const stricter = await compared(page);
    expect(stricter["false alarms"].price).toBeGreaterThan(dearer["false alarms"].price);
    await page.getByLabel("false alarms: level asked for").fill("0.12");
    await page.locator("[data-ask='false alarms']").getByLabel("must not bend").check();
    const insisted = await compared(page);
    expect(insisted["false alarms"].relaxation).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test("people drawn by pointer and by keyboard are learnt from", async () => {
    const { page, close } = await studio.at("#/playground");
    await page.locator("[data-settled=true]").waitFor();
    const count = async () =>
      JSON.parse((await page.locator("[data-problem]").getAttribute("data-problem")) ?? "").points
        .length as number;
    const before = await count();
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(count).toBe(0);
    await page.getByText("Draw at least one sick and one well person.").waitFor();
    // Neither the old model nor its numbers are of these people.
    await expect.poll(() => page.locator("[data-ask][data-price]").count()).toBe(0);
    await expect.poll(() => page.locator("[data-ask] dd").first().textContent()).toBe("–");
    const board = page.getByRole("application");
    await board.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await expect.poll(count).toBe(1);
    await page.getByLabel("well", { exact: true }).check({ force: true });
    const box = await board.boundingBox();
    if (!box) throw new Error("the board is not shown");
    await page.mouse.move(box.x + 40, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 140, box.y + 90, { steps: 6 });
    await page.mouse.up();
    await expect.poll(count).toBeGreaterThan(2);
    await compared(page);
    await page.getByLabel("Set of people").selectOption("apart");
    const apart = await compared(page);
    expect(apart["sick missed"].price).toBe(0);
    expect(before).toBeGreaterThan(50);
    await close();
  });

  test("each caption says what is counted beside it, and nothing flashes on the way", async () => {
    const { page, close } = await studio.at("#/playground");
    const status = page.locator(".state [role=status]");
    await status.evaluate((element) => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      new MutationObserver(() => said.push(element.textContent ?? "")).observe(element, {
        characterData: true,
        childList: true,
        subtree: true,
      });
    });
    const counted = (name: string) => page.locator(`[data-ask='${name}']`).getAttribute("data-counted");
    const shares: string[] = [];
    for (;;) {
      await page.locator("[data-settled=true] .claim:not(:empty)").waitFor();
      for (const name of names) shares.push(`${(100 * Number(await counted(name))).toFixed(1)}%`);
      const claim = (await page.locator(".claim").textContent()) ?? "";
      expect(claim.match(/[\d.]+%/g)?.filter((share) => !shares.includes(share)) ?? []).toEqual([]);
      const next = page.getByRole("button", { name: "Next" });
      if (await next.isDisabled()) break;
      await next.click();
    }
    expect(shares.length).toBe(2 * 6);
    const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said);
    expect(said).toContain("Training …");
    expect(said.filter((text) => text.includes("Not at the equilibrium"))).toEqual([]);
    await close();
  });

  test("insisting on both is said to have no answer", async () => {
    const { page, close } = await studio.at("#/playground");
    await page.getByRole("button", { name: "2: " }).click();
    for (const name of names) await page.locator(`[data-ask='${name}']`).getByLabel("must not bend").check();
    await page.getByText("the prices grow without end").first().waitFor();
    await close();
  });
});
