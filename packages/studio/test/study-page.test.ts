// A study on its page, over a sweep that the real command made: what is traded, in order, the best on top; and everything a reader
// chooses is in the address.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCommand } from "../../cli/test/fixtures/command.js";
import { number } from "../page/src/lib/format.js";
import { visit } from "./browser.js";
import { temporaryFolder } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

/** Solved to an equilibrium in a second. */
const losses = `
name: losses
data: { file: loans.csv, target: defaulted, positive: yes, columns: { id: ignore, group: group }, test: 0.3 }
model: { kind: linear }
objective: { loss: cross-entropy, decay: 0.01 }
requirements:
  loss: { metric: loss, by: group, level: 0.25 }
cost: quadratic(2)
seed: 1
`;

/** The command, which begins only once a file is gone. */
const program = `
const { existsSync } = require("node:fs");
const { spawn } = require("node:child_process");
const [file, ...words] = process.argv.slice(2);
const begin = () => {
  if (existsSync(file)) return setTimeout(begin, 20);
  const child = spawn(process.execPath, words, { stdio: "inherit" });
  child.on("exit", (code) => process.exit(code));
};
begin();
`;

describe.skipIf(!browserPath)("a study", () => {
  let studio: Opened;
  const folder = temporaryFolder();
  /** While it is there, no question is answered. */
  const held = join(folder.path, "held");
  beforeAll(async () => {
    const late = join(folder.path, "late.cjs");
    writeFileSync(late, program);
    studio = await openStudio({ command: [process.execPath, late, held, await builtCommand()] });
    await studio.swept();
  });
  afterAll(async () => {
    await studio?.close();
    folder.remove();
  });
  const reportOf = (value: number) =>
    JSON.parse(readFileSync(join(studio.runs, `swept-cost-${value}`, "report.json"), "utf8"));

  test("is found from the list, and shows its points in order with their labels", async () => {
    const { page, complaints, close } = await studio.at("#/runs");
    await page.getByRole("link", { name: "swept-cost 3" }).click();
    await page.locator("[data-figure=trade-off] [data-point]").first().waitFor();
    expect(await page.locator("main h1").textContent()).toBe("swept-cost");
    const labels = () => page.locator("[data-figure=trade-off] text.name").allTextContents();
    await expect.poll(labels).toEqual(["0.5", "2", "8"]);
    const points = page.locator("[data-figure=trade-off] [data-point]");
    expect(await points.evaluateAll((all) => all.map((a) => a.getAttribute("data-point")))).toEqual([
      "cost × 0.5",
      "cost × 2",
      "cost × 8",
    ]);
    // The verdict on all of them, with the next step of the run to go on with.
    const verdict = page.getByRole("region", { name: "Verdict" });
    expect(await verdict.locator("[data-study]").textContent()).toBe("no run of 3 meets everything asked");
    expect(
      await verdict
        .locator("[data-question]")
        .evaluateAll((all) => all.map((one) => one.querySelector("dt")?.textContent)),
    ).toEqual(["What was asked", "Did it hold", "What gave way", "What it costs"]);
    await verdict
      .locator("[data-next]")
      .getByText(/^npx pliant train .*swept-cost-/)
      .waitFor();
    const losses = [0.5, 2, 8].map((value) => number(reportOf(value).test.loss.value));
    const cells = await page
      .locator("[data-study-run]")
      .evaluateAll((rows) => rows.map((row) => row.textContent));
    for (const loss of losses) expect(cells.some((text) => text?.includes(loss))).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  test("gives each requirement one colour, as the page of a run and the comparison do", async () => {
    const { page, close } = await studio.at("#/study/swept-cost");
    const coloursOf = async (found: string) => {
      const all = page.locator(found);
      await all.first().waitFor();
      return Object.fromEntries(
        await all.evaluateAll((names) =>
          names.map((name) => [
            name.textContent?.trim(),
            getComputedStyle(name.querySelector("i") as Element).backgroundColor,
          ]),
        ),
      );
    };
    const inStudy = await coloursOf("[data-figure='on test data'] .legend span");
    expect(Object.keys(inStudy).length).toBeGreaterThan(2);
    await visit(page, `${studio.server.url}#/run/swept-cost-2`);
    expect(await coloursOf("[data-requirement] h3")).toEqual(inStudy);
    await visit(page, `${studio.server.url}#/compare?sweep=swept-cost`);
    expect(await coloursOf("[data-sweep-row] th")).toEqual(inStudy);
    await close();
  });

  test("on a phone a run of its table is whole, every number under its name", async () => {
    const { page, close } = await studio.at("#/study/swept-cost", { viewport: { width: 360, height: 760 } });
    const table = page.getByRole("region", { name: "Runs of the study" });
    const cell = table.locator("[data-study-run=swept-cost-8] td[data-head='test loss']");
    expect(await cell.evaluate((found) => getComputedStyle(found, "::before").content)).toBe('"test loss"');
    await expect.poll(() => table.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    await close();
  });

  test("is filtered, sorted and held against a baseline in the address, and kept as a view", async () => {
    const { page, close } = await studio.at("#/study/swept-cost");
    const rows = () =>
      page
        .locator("[data-study-run]")
        .evaluateAll((all) => all.map((row) => row.getAttribute("data-study-run")));
    await expect.poll(async () => (await rows()).length).toBe(3);
    await page.getByLabel("Filter by", { exact: true }).selectOption("cost ×");
    await page.getByLabel("Relation").selectOption("≥");
    await page.getByLabel("Value to filter by").fill("2");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await expect.poll(async () => (await rows()).length).toBe(2);
    await page.getByRole("button", { name: "cost ×", exact: true }).click();
    await expect.poll(rows).toEqual(["swept-cost-2", "swept-cost-8"]);
    await page.getByRole("button", { name: "pin loans, cost × 2 as the baseline" }).click();
    const difference = reportOf(8).test.loss.value - reportOf(2).test.loss.value;
    const beside = page.locator("[data-study-run=swept-cost-8] [data-beside='test loss']");
    expect((await beside.textContent())?.replace("−", "-").trim()).toContain(
      String(Number(Math.abs(difference).toPrecision(2))),
    );
    await page.getByText("Views", { exact: true }).click();
    await page.getByLabel("Name of this view").fill("dear ones");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.goto(`${studio.server.url}#/study/swept-cost`);
    await expect.poll(async () => (await rows()).length).toBe(3);
    await page.getByRole("link", { name: "dear ones" }).click();
    await expect.poll(rows).toEqual(["swept-cost-2", "swept-cost-8"]);
    await close();
  });

  test("a dragged level is sent to pliant insist, and its answer is used from then on", async () => {
    const spec = join(dirname(studio.loans), "losses.yaml");
    writeFileSync(spec, losses);
    const out = ["--device", "cpu", "--out", join(studio.runs, "losses"), "--no-insist"];
    await studio.pliant("train", spec, ...out, "--sweep", "cost=1,4");
    const { page, complaints, close } = await studio.at("#/study/losses-cost");
    const figure = page.locator("[data-figure=level]");
    await figure.getByLabel("Run that is asked").selectOption("losses-cost-1");
    await figure.getByLabel("Requirement that is asked").selectOption("loss [group=B]");
    const said = figure.getByRole("status");
    const level = async () => Number(await said.getAttribute("data-level"));
    await expect.poll(level).toBe(0.25);
    await said.getByText("Not known").waitFor();
    const { reached } = JSON.parse(readFileSync(join(studio.runs, "losses-cost-1", "report.json"), "utf8"))
      .requirements["loss [group=B]"];

    // By hand, towards what the run reached; then a step by key.
    const handle = figure.getByRole("slider");
    const [grip, own] = [figure.locator(".grip"), figure.locator("circle.own")];
    const middle = async (of: typeof grip) => {
      const box = (await of.boundingBox())!;
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const [from, to] = [await middle(grip), await middle(own)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, from.y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(level).toBeCloseTo(reached, 2);
    await said.getByText("nothing more is paid").waitFor();
    await handle.focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowLeft");
    const wanted = await level();
    expect(wanted).toBeLessThan(reached);

    await figure.getByRole("button", { name: "Ask what it costs" }).click();
    await said.getByText(/^\s*Costs [\d.e−-]+ of loss/).waitFor();
    const kept = JSON.parse(readFileSync(join(studio.runs, "losses-cost-1", "insisted.json"), "utf8"));
    expect(kept.answers).toEqual([
      expect.objectContaining({ requirement: "loss [group=B]", level: wanted, had: true }),
    ]);
    expect(kept.answers[0].costs).toBeGreaterThan(0);
    await figure.getByRole("button", { name: "What a level costs as a table" }).click();
    await expect.poll(() => figure.locator("tbody tr").count()).toBe(2);

    // One that is cancelled leaves nothing behind.
    await figure.getByRole("button", { name: "What a level costs as a table" }).click();
    await handle.focus();
    await page.keyboard.press("PageDown");
    writeFileSync(held, "");
    await figure.getByRole("button", { name: "Ask what it costs" }).click();
    await figure.getByRole("button", { name: "Cancel" }).click();
    await said.getByText("It was asked, and cancelled.").waitFor();
    await expect.poll(() => figure.locator("[data-question-state]").count()).toBe(0);
    rmSync(held);
    expect(complaints).toEqual([]);
    await close();
  });

  test("its menus close at Escape, with the focus on what opened them, and at a click elsewhere", async () => {
    const { page, close } = await studio.at("#/study/swept-cost");
    for (const name of ["Columns", "Views"]) {
      const menu = page.locator("details", { has: page.getByText(name, { exact: true }) });
      const open = () => menu.evaluate((details) => (details as HTMLDetailsElement).open);
      await page.getByText(name, { exact: true }).click();
      await expect.poll(open).toBe(true);
      await page.keyboard.press("Escape");
      await expect.poll(open).toBe(false);
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name);
      await page.getByText(name, { exact: true }).click();
      await expect.poll(open).toBe(true);
      await page.locator("main h1").click();
      await expect.poll(open).toBe(false);
    }
    await close();
  });

  test("is saved as a table of every setting and number", async () => {
    const { page, close } = await studio.at("#/study/swept-cost");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV", exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("swept-cost.csv");
    const text = readFileSync(await download.path(), "utf8");
    const [head, ...lines] = text.trim().split("\r\n");
    expect(head.startsWith("run,cost ×,standing,")).toBe(true);
    expect(lines).toHaveLength(3);
    expect(text).toContain(String(reportOf(8).test.loss.value));
    await close();
  });

  test("says so where there is none", async () => {
    const { page, close } = await studio.at("#/study/nothing");
    await page.getByRole("alert").getByText("There is no such study.").waitFor();
    await close();
  });
});
