// The page of a run, over runs that the real commands made.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { number } from "../page/src/lib/format.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("the page of a run", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  test("the headline is strict: what gave way, by how much, and that the loss behind it is another number", async () => {
    const out = join(studio.runs, "loans");
    await studio.pliant("train", studio.loans, "--device", "cpu", "--out", out);
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
    expect(headline).toContain(`Insisting costs ${number(costs, 2)} of loss`);
    expect(headline).toContain("(measured)");
    const card = (name: string) => page.locator(`[data-requirement="${name}"]`);
    expect(await card(B).locator(".chip").textContent()).toBe(`gave way by ${by}`);
    expect(await card(A).locator(".chip").textContent()).toBe("met with room");
    const said = ((await card(B).textContent()) ?? "").replace(/\s+/g, " ");
    expect(said).toContain("(false negative rate)");
    expect(said).toContain(`the loss that stands in for it ${number(requirements[B].train.surrogate, 3)}`);
    expect(said).toContain(`on test data ${number(requirements[B].test.strict.value, 3)}`);
    await close();
  });
});
