// Many runs side by side: a dozen columns at once, ranges of axes that keep some of them, and only what differs.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requirement, writeRun } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("many runs compared", () => {
  let studio: Opened;
  const names = Array.from({ length: 15 }, (_, i) => `run-${String(i).padStart(2, "0")}`);
  const address = (more: string[][] = []) =>
    `#/compare?${new URLSearchParams([...names.map((name) => ["run", name]), ...more])}`;
  beforeAll(async () => {
    studio = await openStudio();
    for (const [i, name] of names.entries()) {
      const folder = writeRun(studio.runs, name, { rows: 3, more: { spec: { rate: i } } });
      const gave = requirement({
        reached: 0.2 + i / 100,
        relaxation: 0.1 + i / 100,
        price: 0.4,
        status: "gave way",
      });
      const insisting = { had: true, missed: 0, reached: 0.1, costs: 0.03, others: {} };
      const requirements = {
        same: requirement({ status: "met" }),
        moving: { ...gave, ...(i === 0 && { insisting }) },
      };
      const report = { objective: 1 - i / 100, certificate: { holds: true }, requirements, steps: 3 };
      writeFileSync(join(folder, "report.json"), JSON.stringify(report));
    }
  });
  afterAll(() => studio?.close());
  const columns = (page: Awaited<ReturnType<Opened["at"]>>["page"]) =>
    page.locator("[aria-label=Comparison] thead th[scope=col] > a:first-child").allTextContents();

  test("are shown a dozen at a time, with what insisting costs", async () => {
    const { page, complaints, close } = await studio.at(address());
    await expect.poll(() => columns(page)).toEqual(names.slice(0, 12));
    await page.getByRole("button", { name: "Later" }).click();
    await expect.poll(() => columns(page)).toEqual(names.slice(12));
    await page.getByRole("button", { name: "Earlier" }).click();
    const cost = (name: string) => page.locator(`[data-insisting="${name}, moving"]`).innerText();
    expect([await cost("run-00"), await cost("run-01")]).toEqual(["0.03 of loss", "not measured"]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("are kept by a range that is drawn on an axis, or given in numbers", async () => {
    const { page, complaints, close } = await studio.at(address());
    const axis = page.locator("[data-brush=rate]");
    await axis.waitFor();
    await axis.scrollIntoViewIfNeeded();
    const box = (await axis.locator(".along").boundingBox())!;
    const x = box.x + box.width / 2;
    await page.mouse.move(x, box.y + box.height * 0.02);
    await page.mouse.down();
    await page.mouse.move(x, box.y + box.height * 0.24, { steps: 3 });
    await page.mouse.up();
    // The upper fifth of rates from 0 to 14.
    await expect.poll(() => columns(page)).toEqual(names.slice(11, 14));
    const shown = page.locator("[data-shown]");
    await expect.poll(() => shown.innerText()).toBe("runs 1 to 3 of 3 within the ranges, of 15");
    await page.getByRole("button", { name: /^rate: [\d.]+ to [\d.]+ ✕$/ }).click();
    await expect.poll(async () => (await columns(page)).length).toBe(12);
    await page.getByLabel("Axis to keep runs by").selectOption("rate");
    await page.getByLabel("From", { exact: true }).fill("3");
    await page.getByLabel("To", { exact: true }).fill("4");
    await page.getByRole("button", { name: "Keep runs within" }).click();
    await expect.poll(() => columns(page)).toEqual(["run-03", "run-04"]);
    const kept = () => new URLSearchParams(new URL(page.url()).hash.split("?")[1]).getAll("keep");
    await expect.poll(kept).toEqual(["3~4~rate"]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("leave out what came to the same", async () => {
    const { page, close } = await studio.at(address());
    const rows = () => page.locator("[aria-label=Comparison] tbody th[scope=row]").allTextContents();
    await expect.poll(rows).toContain("same");
    await page.getByLabel("Only what differs").check();
    await expect.poll(rows).not.toContain("same");
    expect(await rows()).toContain("moving");
    await page.getByText("1 that came to the same left out").waitFor();
    await close();
  });

  test.each([360, 1280])("have no barrier at a width of %i", async (width) => {
    const { page, close } = await studio.at(address([["keep", "3~9~rate"]]), {
      viewport: { width, height: 800 },
    });
    await page.locator("[data-brush=rate]").waitFor();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(),
    );
    expect(violations.map(({ id, nodes }) => [id, nodes[0].html])).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await close();
  });
});
