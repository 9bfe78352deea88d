// Charts of a real run: saved as they are seen, read by keyboard and as a table, and found again by the address.
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settled } from "./browser.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("charts of a run", () => {
  let studio: Opened;
  let logged: { step: number; time: string; objective: number }[];
  beforeAll(async () => {
    studio = await openStudio();
    await studio.pliant(
      ...["train", studio.loans, "--device", "cpu", "--out", join(studio.runs, "loans"), "--no-insist"],
      ...["--set", "budget.steps=400", "--set", "budget.tolerance=1e-12"],
    );
    cpSync(join(studio.runs, "loans"), join(studio.runs, "other", "loans"), { recursive: true });
    logged = readFileSync(join(studio.runs, "loans", "metrics.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  });
  afterAll(() => studio?.close());

  const chart = (page: Page, title: string) => page.locator(`[data-chart="${title}"]`);
  const saved = async (page: Page, label: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: label, exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  /** Where the points of a path lie from its top to its bottom, from 0 to 1. */
  const heights = (d: string): number[] => {
    const y = d
      .split(/[ML]/)
      .filter(Boolean)
      .map((pair) => Number(pair.split(" ")[1]));
    const [top, bottom] = [Math.min(...y), Math.max(...y)];
    return y.map((at) => (at - top) / (bottom - top));
  };

  test("a saved chart is what the page shows: its scale, its axes, its title, its run and its whole legend", async () => {
    const { page, close } = await studio.at("#/run/loans");
    for (const [title, axis] of [
      ["Residual", "residual, logarithmic"],
      ["Slack", "slack"],
    ]) {
      const { name, bytes } = await saved(page, `Save ${title} as SVG`);
      expect(name).toBe(`loans--${title}.svg`);
      const text = bytes.toString();
      expect(text).not.toMatch(/var\(/);
      const read = await page.evaluate((svg) => {
        const holder = document.createElement("div");
        holder.innerHTML = svg;
        document.body.append(holder);
        const drawn = holder.querySelector("svg") as SVGSVGElement;
        const frame = drawn.getBoundingClientRect();
        const texts = [...drawn.querySelectorAll("text")];
        const found = {
          texts: texts.map(({ textContent }) => textContent),
          outside: texts
            .filter((one) => {
              const box = one.getBoundingClientRect();
              return (
                box.left < frame.left ||
                box.right > frame.right ||
                box.top < frame.top ||
                box.bottom > frame.bottom
              );
            })
            .map(({ textContent }) => textContent),
          path: drawn.querySelector("[data-line]")?.getAttribute("d") ?? "",
        };
        holder.remove();
        return found;
      }, text);
      for (const wanted of [title, "loans", "step", axis]) expect(read.texts).toContain(wanted);
      expect(read.outside).toEqual([]);
      const onScreen = (await chart(page, title).locator("[data-line]").first().getAttribute("d")) ?? "";
      const [file, screen] = [heights(read.path), heights(onScreen)];
      expect(file.length).toBe(screen.length);
      for (const [i, at] of file.entries()) expect(Math.abs(at - screen[i])).toBeLessThan(1e-3);
      if (title === "Slack")
        for (const group of ["A", "B"]) expect(read.texts).toContain(`missed defaults [group=${group}]`);
    }
    const { name, bytes } = await saved(page, "Save Price as PNG");
    expect(name).toBe("loans--Price.png");
    // Width and height in the header: three times the drawing.
    expect(bytes.readUInt32BE(16)).toBe(3 * 720);
    await close();
  });

  test("figures of two runs have names of their own, equilibria too", async () => {
    for (const name of ["settled", "other/settled"]) await studio.trained(name);
    const names: string[] = [];
    for (const run of ["settled", "other%2Fsettled"]) {
      const { page, close } = await studio.at(`#/run/${run}`);
      names.push((await saved(page, "Save Price as SVG")).name);
      const equilibrium = await saved(page, "Save equilibrium of missed defaults [group=B] as SVG");
      names.push(equilibrium.name);
      expect(equilibrium.bytes.toString()).toContain("equilibrium of missed defaults [group=B]</text>");
      expect(equilibrium.bytes.toString()).toContain("relaxation u");
      await close();
    }
    expect(new Set(names).size).toBe(4);
  });

  test("are read by keyboard: every point, zoom in and out; the view is in the address", async () => {
    const { page, complaints, close } = await studio.at("#/run/loans");
    const slider = page.getByRole("slider", { name: /^Objective of/ });
    const said = () => slider.getAttribute("aria-valuetext");
    await slider.focus();
    const step = (row: (typeof logged)[number]) => new RegExp(`^step ${row.step}: objective `);
    await page.keyboard.press("Home");
    await expect.poll(said).toMatch(step(logged[0]));
    await page.keyboard.press("ArrowRight");
    await expect.poll(said).toMatch(step(logged[1]));
    expect(Number((await said())?.split(" ").at(-1))).toBeCloseTo(logged[1].objective, 3);
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(said).toMatch(step(logged[logged.length - 2]));
    await page.keyboard.press("+");
    await expect.poll(() => page.url()).toMatch(/zoom=/);
    const first = async () => Number(await slider.getAttribute("aria-valuemin"));
    await expect.poll(first).toBeGreaterThan(logged[0].step);
    // All charts look at the same part.
    const other = page.getByRole("slider", { name: /^Price of/ });
    expect(Number(await other.getAttribute("aria-valuemin"))).toBeCloseTo(await first(), 6);
    await page.reload();
    await slider.waitFor();
    await expect.poll(first).toBeGreaterThan(logged[0].step);
    await slider.focus();
    await page.keyboard.press("Escape");
    await expect.poll(first).toBe(logged[0].step);
    expect(complaints).toEqual([]);
    await close();
  });

  test("are read as a table and saved as numbers, those that are shown", async () => {
    const { page, close } = await studio.at("#/run/loans");
    await page.getByRole("button", { name: "Objective as a table" }).click();
    const rows = page.getByRole("table", { name: "Numbers of Objective" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(12);
    expect(await rows.last().locator("td").first().textContent()).toBe(String(logged.at(-1)?.step));
    await expect.poll(() => page.url()).toMatch(/table=Objective/);
    const csv = (await saved(page, "Save Objective as CSV")).bytes.toString().trim().split("\r\n");
    expect(csv[0]).toBe("step,objective");
    expect(csv.length).toBe(1 + logged.length);
    for (const [i, row] of csv.slice(1).entries()) {
      const [step, objective] = row.split(",").map(Number);
      expect(step).toBe(logged[i].step);
      expect(Math.abs(objective / logged[i].objective - 1)).toBeLessThan(1e-5);
    }
    await close();
  });

  test("are logarithmic, smooth and over time where the reader wants it, and again after a reload", async () => {
    const { page, close } = await studio.at("#/run/loans");
    const path = async () => (await chart(page, "Objective").locator("[data-line]").getAttribute("d")) ?? "";
    const plain = await path();
    await page.getByRole("button", { name: "log scale of Objective" }).click();
    await expect.poll(path).not.toBe(plain);
    await chart(page, "Objective").getByText("objective, logarithmic").waitFor();
    await page.getByLabel("Smoothing").fill("0.9");
    await chart(page, "Objective").getByText("objective, logarithmic, smoothed").waitFor();
    await page.getByRole("combobox", { name: /^Over/ }).selectOption("time");
    const slider = page.getByRole("slider", { name: /^Objective of/ });
    await expect.poll(() => slider.getAttribute("aria-valuetext")).toMatch(/^seconds /);
    const [from, to] = [logged[0], logged[logged.length - 1]].map(({ time }) => Date.parse(time) / 1000);
    expect(Number(await slider.getAttribute("aria-valuemax"))).toBeCloseTo(to - from, 2);
    const before = await path();
    await page.reload();
    await slider.waitFor();
    await settled(page);
    await expect.poll(path).toBe(before);
    await close();
  });
});
