// The list of runs, over runs that the real commands made.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { number } from "../page/src/lib/format.js";
import { openPage, settled, visit } from "./browser.js";
import { endless } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("the list of runs", () => {
  let studio: Opened;
  const names = ["first", "second", "third"];
  const train = (name: string, steps: number) => [
    ...["train", studio.loans, "--device", "cpu", "--out", join(studio.runs, name), "--no-insist"],
    ...["--set", `name=${name}`, "--set", `budget.steps=${steps}`, "--set", "budget.tolerance=1e-12"],
  ];
  beforeAll(async () => {
    studio = await openStudio();
    for (const [i, name] of names.entries()) await studio.pliant(...train(name, 25 * (i + 1)));
  });
  afterAll(() => studio?.close());

  test("deletes several runs or none of them, and brings all of them back", async () => {
    const busy = studio.begin(...train("busy", 1), ...endless);
    const begun = join(studio.runs, "busy", "metrics.jsonl");
    while (!existsSync(begun) && busy.exitCode === null) await setTimeout(20);
    const { page, close } = await studio.at("#/runs");
    const rows = page.locator("[data-run]");
    await expect.poll(() => rows.count()).toBe(4);
    const remove = page.getByRole("region", { name: "Chosen runs" }).getByRole("button", { name: "Delete" });
    for (const name of ["first", "busy", "second"]) await page.getByLabel(`Choose ${name}`).check();
    await remove.click();
    await page.getByText("busy is still running, so nothing was deleted").waitFor();
    for (const name of names) expect(existsSync(join(studio.runs, name, "run.json"))).toBe(true);
    busy.kill("SIGKILL");
    await page.getByLabel("Choose busy").uncheck();
    await remove.click();
    await page.getByText("Deleted 2 runs").waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => rows.count()).toBe(4);
    await close();
  });

  test("changes things from the printed address alone, which it takes out of sight", async () => {
    const { page, close } = await openPage(studio.browser);
    const remove = async () => {
      await page.getByRole("button", { name: "Delete first" }).click();
    };
    await page.goto(studio.server.url);
    await remove();
    await page.getByText("open the whole address that pliant studio printed").waitFor();
    expect(existsSync(join(studio.runs, "first", "run.json"))).toBe(true);
    await page.goto(studio.server.address());
    await page.locator("[data-run=first]").waitFor();
    await expect.poll(() => page.url()).not.toContain("page=");
    await remove();
    await page.getByText("Deleted first").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("[data-run=first]").waitFor();
    await close();
  });

  test("a link with a wrong token takes nothing away from a page that had the right one", async () => {
    const { page, close } = await studio.at("#/runs");
    await visit(page, `${studio.server.url}#/runs?page=wrong`);
    await page.getByRole("button", { name: "Delete first" }).click();
    await page.getByText("Deleted first").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("[data-run=first]").waitFor();
    await close();
  });

  test("loads at most 50 kB", async () => {
    const { page, close } = await openPage(studio.browser);
    // The list is asked for again every few seconds: what comes first counts.
    const first = new Map<string, Request>();
    page.on("requestfinished", (request) => {
      if (!first.has(request.url())) first.set(request.url(), request);
    });
    await page.goto(studio.server.url);
    await page.locator("[data-run]").first().waitFor();
    await settled(page);
    const loaded = await Promise.all([...first.values()].map((request) => request.sizes()));
    const bytes = loaded.reduce((sum, one) => sum + one.responseBodySize + one.responseHeadersSize, 0);
    expect(loaded.length).toBeGreaterThan(3);
    expect(bytes).toBeLessThanOrEqual(50_000);
    await close();
  });

  test("keeps the focus of a reader at the keyboard after a run is deleted", async () => {
    const { page, close } = await studio.at("#/runs?sort=steps&order=up");
    await page.locator("[data-run=first]").waitFor();
    const order = await page
      .locator("[data-run]")
      .evaluateAll((list) => list.map((row) => row.getAttribute("data-run")));
    // The run that was killed may have come to fewer steps, or to more.
    const after = order[order.indexOf("first") + 1];
    await page.getByRole("button", { name: "Delete first" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-run=first]").waitFor({ state: "detached" });
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[data-run]")?.getAttribute("data-run"));
    await expect.poll(focused).toBe(after);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("[data-run=first]").waitFor();
    await close();
  });

  test("is found again as it was looked at: by Back, by another reading and by its address", async () => {
    const { page, close } = await studio.at("#/runs");
    const rows = page.locator("[data-run]");
    await rows.first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ir");
    await page.getByLabel("Group by").selectOption("none");
    await page.getByRole("button", { name: "Steps" }).click();
    const order = () => rows.evaluateAll((list) => list.map((row) => row.getAttribute("data-run")));
    await expect.poll(order).toEqual(["first", "third"]);
    await page.getByRole("button", { name: "Steps" }).click();
    await expect.poll(order).toEqual(["third", "first"]);
    const same = async (): Promise<void> => {
      await expect.poll(order).toEqual(["third", "first"]);
      expect(await page.getByLabel("Search runs").inputValue()).toBe("ir");
      expect(await page.getByLabel("Group by").inputValue()).toBe("none");
    };
    await page.getByRole("link", { name: "third", exact: true }).click();
    await page.getByRole("heading", { name: "third", level: 1 }).waitFor();
    await page.goBack();
    await same();
    const address = page.url();
    await page.reload();
    await same();
    await visit(page, address);
    await same();
    await close();
  });

  test("an answer from before a run was deleted does not show it again", async () => {
    const { page, close } = await studio.at("#/runs");
    const row = page.locator("[data-run=first]");
    await row.waitFor();
    let answerLate = (): void => {};
    let late: Request | undefined;
    const asked = new Promise<void>((done) => {
      page.route("**/api/runs?*", async (route) => {
        if (late) return route.continue();
        late = route.request();
        const response = await route.fetch();
        const gone = new Promise<void>((answer) => {
          answerLate = answer;
        });
        done();
        await gone;
        await route.fulfill({ response });
      });
    });
    await asked;
    await page.getByRole("button", { name: "Delete first" }).click();
    await row.waitFor({ state: "detached" });
    const heard = page.waitForEvent("requestfinished", (request) => request === late);
    answerLate();
    await heard;
    await settled(page);
    expect(await row.count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
    await close();
  });

  test("a deleted run is brought back later", async () => {
    const { page, close } = await studio.at("#/runs");
    const row = page.locator("[data-run=first]");
    await page.getByRole("button", { name: "Delete first" }).click();
    await row.waitFor({ state: "detached" });
    await page.reload();
    await page.getByText("Recently deleted").click();
    await page.getByRole("button", { name: "Restore first" }).click();
    await row.waitFor();
    await close();
  });

  test("chosen runs are compared", async () => {
    const { page, close } = await studio.at("#/runs");
    for (const name of ["first", "second"]) await page.getByLabel(`Choose ${name}`).check();
    const chosen = page.getByRole("region", { name: "Chosen runs" });
    await chosen.getByRole("link", { name: "Compare" }).click();
    await expect
      .poll(() => page.getByRole("region", { name: "Comparison" }).locator("thead th[scope=col]").count())
      .toBe(2);
    await close();
  });

  test("all that are shown are chosen at once, and let go at once, whatever else is chosen", async () => {
    const { page, close } = await studio.at("#/runs?group=none&search=ir");
    const all = page.getByLabel("Choose all that are shown");
    const search = page.getByLabel("Search runs");
    const names = (rows: string) =>
      page.locator(rows).evaluateAll((found) => found.map((row) => row.getAttribute("data-run")));
    const chosen = () => names("[data-run]:has(input:checked)");
    const box = () =>
      all.evaluate((one) => [(one as HTMLInputElement).checked, (one as HTMLInputElement).indeterminate]);
    await all.check();
    await expect.poll(chosen).toEqual(["third", "first"]);
    await expect.poll(box).toEqual([true, false]);
    await search.fill("");
    await expect.poll(box).toEqual([false, true]);
    await all.check();
    await expect.poll(chosen).toEqual(await names("[data-run]"));
    // What is out of sight stays chosen.
    await search.fill("second");
    await expect.poll(() => names("[data-run]")).toEqual(["second"]);
    await all.uncheck();
    await search.fill("");
    await expect.poll(async () => (await names("[data-run]")).length).toBeGreaterThan(2);
    const others = (await names("[data-run]")).filter((name) => name !== "second");
    await expect.poll(chosen).toEqual(others);
    await all.check();
    await all.uncheck();
    await expect.poll(chosen).toEqual([]);
    await expect.poll(() => page.getByRole("region", { name: "Chosen runs" }).count()).toBe(0);
    await close();
  });

  test("one evaluation is one", async () => {
    const { page, close } = await studio.at("#/run/first");
    await expect.poll(() => page.locator("#curves").textContent()).toMatch(/\b1 evaluation\b(?!s)/);
    await close();
  });

  test("shows the numbers that are chosen, keeps the runs that are asked for, and is found again by its address", async () => {
    const { page, close } = await studio.at("#/runs?group=none&sort=steps&order=up");
    const rows = page.locator("[data-run]");
    const order = () => rows.evaluateAll((list) => list.map((row) => row.getAttribute("data-run")));
    const choice = page.locator("summary", { hasText: "Columns" });
    await choice.click();
    const B = "missed defaults [group=B]: reached";
    await page.getByRole("checkbox", { name: B }).check();
    await page.getByRole("checkbox", { name: "Device" }).uncheck();
    await choice.click();
    const heads = () => page.locator("thead th").allInnerTexts();
    await expect.poll(async () => (await heads()).join()).toContain(B);
    expect((await heads()).join()).not.toContain("Device");
    const { requirements } = JSON.parse(readFileSync(join(studio.runs, "second", "report.json"), "utf8"));
    const strict = requirements["missed defaults [group=B]"].train.strict.value;
    expect(await page.locator("[data-run=second]").textContent()).toContain(number(strict));
    await page.getByLabel("Filter by", { exact: true }).selectOption("steps");
    await page.getByLabel("Relation").selectOption(">");
    await page.getByLabel("Value to filter by").fill("25");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect.poll(async () => (await order()).includes("first")).toBe(false);
    const kept = await order();
    expect(kept).toEqual(expect.arrayContaining(["second", "third"]));
    await page.getByLabel("Choose all that are shown").check();
    await page.reload();
    await rows.first().waitFor();
    await expect.poll(order).toEqual(kept);
    expect((await heads()).join()).toContain(B);
    await page.getByText(`${kept.length} chosen`).waitFor();
    await page.getByRole("button", { name: "steps > 25" }).click();
    await expect.poll(async () => (await order()).includes("first")).toBe(true);
    await close();
  });

  test("runs are given another title, tags and notes, found by them, and keep their files", async () => {
    const asked = readFileSync(join(studio.runs, "third", "run.json"), "utf8");
    const { page, complaints, close } = await studio.at("#/runs");
    await page.getByRole("button", { name: "Notes on third" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").fill("the one for the talk");
    await dialog.getByLabel("Tags").fill("paper, best");
    await dialog.getByLabel("Notes", { exact: true }).fill("Ran twice.");
    await dialog.getByRole("button", { name: "Keep" }).click();
    await page.getByRole("link", { name: "the one for the talk" }).waitFor();
    await page.locator("[data-run=third] .tag", { hasText: "best" }).click();
    await expect.poll(() => page.locator("[data-run]").count()).toBe(1);
    await expect.poll(() => page.url()).toContain("tag=best");
    await page.goto(`${studio.server.url}#/run/third`);
    await page.getByRole("heading", { name: "the one for the talk", level: 1 }).waitFor();
    expect(readFileSync(join(studio.runs, "third", "run.json"), "utf8")).toBe(asked);
    expect(complaints).toEqual([]);
    await close();
  });

  test("the actions on a run are visible on a small laptop", async () => {
    const { page, close } = await studio.at("#/runs", { viewport: { width: 1024, height: 768 } });
    const list = await page.locator("section.scroller").boundingBox();
    const last = await page.getByRole("button", { name: "Delete first" }).boundingBox();
    if (!list || !last) throw new Error("not shown");
    expect(last.x + last.width).toBeLessThanOrEqual(list.x + list.width);
    await close();
  });

  test("its head stays where it can be seen", async () => {
    const { page, close } = await studio.at("#/runs?group=none", { viewport: { width: 1280, height: 460 } });
    await page.locator("[data-run]").last().scrollIntoViewIfNeeded();
    await page.locator("section.scroller").evaluate((list) => list.scrollTo(0, 10_000));
    const [head, list] = await Promise.all(
      ["thead th.name", "section.scroller"].map((place) => page.locator(place).boundingBox()),
    );
    expect(Math.abs((head?.y ?? 0) - (list?.y ?? 0))).toBeLessThan(3);
    await close();
  });
});
