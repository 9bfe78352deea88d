// What is not as it should be: answers and files that no page expects, names that every object has, starts that failed.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeRun } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("a page over what is not as it should be", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  test("says so, stays usable, and tries again", async () => {
    writeRun(studio.runs, "good");
    const { page, close } = await studio.at("#/runs");
    let broken = true;
    await page.route("**/api/series?*", (route) => (broken ? route.fulfill({ json: {} }) : route.continue()));
    await page.getByRole("link", { name: "good", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("This page cannot be shown").waitFor();
    broken = false;
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.locator("[data-chart=Price]").waitFor();
    await close();
  });

  test("says so of a page that does not come, and has it once the server is there again", async () => {
    writeRun(studio.runs, "good");
    const { page, close } = await studio.at("#/runs");
    await page.route("**/assets/Run-*.js", (route) => route.abort());
    await page.getByRole("link", { name: "good", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("Is pliant studio still running?").waitFor();
    await page.unroute("**/assets/Run-*.js");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.locator("[data-chart=Price]").waitFor();
    await close();
  });

  test("says so of one page, and the next is whole", async () => {
    const { page, close } = await studio.at("#/runs");
    await page.route("**/api/series?*", (route) => route.fulfill({ json: {} }));
    await page.getByRole("link", { name: "good", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await page.locator("[data-run=good]").waitFor();
    await close();
  });

  test.each([
    [
      "report.json",
      '{"requirements": {"a": {"level": 1, "price": 1, "train": 5, "test": {"strict": {"value": {}}}}}, "certificate": "yes", "test": 7, "clients": [null]}',
    ],
    [
      "report.json",
      '{"requirements": [1, 2], "certificate": {"holds": true}, "objective": "x", "clients": {"a": [1]}}',
    ],
    ["report.json", "not JSON"],
    [
      "run.json",
      '{"command": 5, "name": {}, "spec": 3, "recipe": [], "started": "never", "sweep": 1, "versions": "x"}',
    ],
    ["run.json", ""],
    [
      "metrics.jsonl",
      '{"step": 1, "requirements": {"a": 4, "b": {"level": [], "price": 1}}, "certificate": 3}\nnull\n[]\n{"step": "x"}\n',
    ],
  ])("a %s of %s leaves no page that reads for ever", async (file, text) => {
    const folder = writeRun(studio.runs, "odd", { finished: file !== "metrics.jsonl" });
    writeFileSync(join(folder, file), text);
    for (const route of ["#/run/odd", "#/compare?run=odd&run=good", "#/federation/odd"]) {
      const { page, complaints, close } = await studio.at(route);
      expect(await page.getByText("Reading odd").count()).toBe(0);
      // What cannot be read gives no verdict.
      if (route === "#/run/odd" && file === "report.json")
        expect(
          await page.locator("[aria-label=Verdict]:has([data-standing=unreadable]) .headline").innerText(),
        ).toMatch(/^No verdict/);
      expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
      await close();
    }
  });

  test("compares requirements called as every object's own parts are", async () => {
    const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
    const folder = writeRun(studio.runs, "proto", { names });
    const { page, complaints, close } = await studio.at("#/compare?run=proto&run=good");
    for (const name of names) await page.getByRole("rowheader", { name, exact: true }).waitFor();
    await expect.poll(() => page.locator("td .verdict").count()).toBe(names.length + 3);
    await page.goto(`${studio.server.url}#/run/proto`);
    await page.locator("[data-chart=Price] [data-line]").first().waitFor();
    await expect.poll(() => page.locator("[data-requirement]").count()).toBe(names.length);
    appendFileSync(join(folder, "metrics.jsonl"), "");
    expect(complaints).toEqual([]);
    await close();
  });

  test("a start that fails leaves nothing that looks like a run", async () => {
    const out = join(studio.runs, "failed");
    const start = studio.pliant("train", studio.loans, "--out", out, "--set", "data.file=nowhere.csv");
    await expect(start).rejects.toThrow(/nowhere\.csv/);
    expect(existsSync(join(out, "run.json"))).toBe(false);
    const wrong = studio.pliant("train", studio.loans, "--out", out, "--set", "model.kind=none");
    await expect(wrong).rejects.toThrow();
    if (existsSync(join(out, "run.json")))
      expect(readFileSync(join(out, "run.json"), "utf8").trim()).not.toBe("");
    const { page, close } = await studio.at("#/runs");
    await page.locator("[data-run=good]").waitFor();
    expect(await page.locator("[data-run=failed]").count()).toBe(0);
    await close();
  });

  test("runs that differ by what was insisted on are distinguished", async () => {
    const B = "missed defaults [group=B]";
    const train = (name: string, ...more: string[]) =>
      studio.pliant(
        ...["train", studio.loans, "--device", "cpu", "--out", join(studio.runs, "loans", name)],
        ...["--set", "budget.steps=25", "--no-insist", ...more],
      );
    await train("a");
    await train("b", "--hard", B).catch(() => {});
    const { page, close } = await studio.at("#/runs");
    const row = (name: string) => page.locator(`[data-run="loans/${name}"]`);
    const difference = (name: string) => row(name).locator(".apart").textContent();
    await row("b").waitFor();
    expect(await difference("b")).toContain("hard B");
    expect(await row("a").locator(".apart").count()).toBe(0);
    await page.goto(`${studio.server.url}#/compare?run=loans%2Fa&run=loans%2Fb`);
    await expect
      .poll(() => page.locator("thead th[scope=col] > a:first-child").allTextContents())
      .toEqual(["loans", expect.stringContaining("hard B")]);
    await close();
  });
});
