// The page in a real browser: every page opens cleanly, is usable by keyboard and by a screen reader, and does what it says.
import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { solve } from "pliant";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Description, names, optionsFor, problemOf } from "../page/src/playground/problem.js";
import { ensurePage, type Serving, serveStudio } from "../src/index.js";
import { browserPath, launch, openPage, operable, settled, tabThrough, whyNoBrowser } from "./browser.js";
import {
  age,
  appendLine,
  federatedLine,
  temporaryFolder,
  writeFederated,
  writeRun,
  writeSweep,
} from "./fixtures.js";

const nasty = '<img src=x onerror="window.broken=1">';
const folder = temporaryFolder();
const runs = join(folder.path, "runs");
let server: Serving;
let browser: Browser;

if (!browserPath) console.warn(whyNoBrowser);

describe.skipIf(!browserPath)("the page in a browser", () => {
  beforeAll(async () => {
    mkdirSync(runs);
    writeRun(runs, "demo");
    writeRun(runs, "invariance/mnist/resilient-1", {
      seed: 2,
      command: "invariance",
      more: { dataset: "mnist" },
    });
    writeRun(runs, nasty, { names: [nasty, "other"], command: nasty, more: { data: { name: nasty } } });
    age(writeRun(runs, "stopped", { finished: false }));
    writeSweep(runs, "alpha", [0.1, 1, 10]);
    writeFederated(runs, "federation", { clients: 60, rounds: 12 });
    const long = "fed/clients-60-rounds-12-kept-0.1-level-0.01-first-client-dual-2-quadratic/seed-1";
    writeFederated(runs, long, { clients: 60, rounds: 12, constrained: true, title: "images constrained" });
    server = await serveStudio({ runs, port: 0, page: await ensurePage() });
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    folder.remove();
  });

  const open = async (page: Page, route: string): Promise<void> => {
    await page.goto(`${server.url}${route}`);
    await page.locator("main h1").first().waitFor();
  };

  const routes = {
    "the runs": "#/runs",
    "a run": "#/run/demo",
    "a run in a folder": "#/run/invariance%2Fmnist%2Fresilient-1",
    "a run that stopped": "#/run/stopped",
    "a comparison": "#/compare?run=demo&run=stopped",
    "an empty comparison": "#/compare",
    "a sweep": "#/compare?sweep=alpha",
    "a federation": "#/federation",
    "the playground": "#/playground",
  };
  /** What is there when a page has what it shows. */
  const shown: Record<string, string> = {
    "the runs": "[data-run=demo]",
    "a run": "[data-chart=Price] [data-line]",
    "a run in a folder": "[data-chart=Price] [data-line]",
    "a run that stopped": "[data-chart=Price] [data-line]",
    "a comparison": "td .bar",
    "an empty comparison": ".empty",
    "a sweep": "[data-sweep-row]",
    "a federation": "svg .dot",
    "the playground": "[data-settled=true]",
  };

  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

  /** Violations a person would stumble over. */
  const seriousIn = async (page: Page): Promise<string[]> => {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe.run(),
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

  describe.each(Object.entries(routes))("%s", (name, route) => {
    test("opens with no complaint, and reads and tabs well in both colours", async () => {
      const { page, complaints, close } = await openPage(browser);
      await open(page, route);
      await page.locator(shown[name]).first().waitFor();
      await settled(page);
      const reached = await tabThrough(page);
      expect((await operable(page)).filter(({ place }) => !reached.has(place))).toEqual([]);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        expect([colorScheme, await seriousIn(page)]).toEqual([colorScheme, []]);
      }
      expect(complaints).toEqual([]);
      await close();
    });
  });

  test("no page is wider than a narrow screen", async () => {
    const { page, close } = await openPage(browser, { viewport: { width: 390, height: 800 } });
    for (const [name, route] of Object.entries(routes)) {
      await open(page, route);
      await page.locator(shown[name]).first().waitFor();
      await settled(page);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([name, Math.max(0, over)]).toEqual([name, 0]);
    }
    await close();
  });

  test("text from disk is text: names with HTML in them do nothing", async () => {
    const { page, complaints, close } = await openPage(browser);
    for (const route of [
      "#/runs",
      `#/run/${encodeURIComponent(nasty)}`,
      `#/compare?${new URLSearchParams([
        ["run", nasty],
        ["run", "demo"],
      ])}`,
    ]) {
      await open(page, route);
      await page.getByText(nasty, { exact: true }).first().waitFor();
    }
    expect(
      await page.evaluate(() => [document.querySelectorAll("img").length, "broken" in globalThis]),
    ).toEqual([0, false]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("runs are searched, grouped and sorted", async () => {
    const { page, close } = await openPage(browser);
    await open(page, "#/runs");
    const rows = page.locator("[data-run]");
    await rows.first().waitFor();
    const all = await rows.count();
    await page.keyboard.press("/");
    await page.keyboard.type("mnist resil");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel("Search runs").fill("");
    await expect.poll(() => rows.count()).toBe(all);
    // At first by their outermost folder.
    expect(await page.locator("tr.group").allTextContents()).toContain("alpha 3");
    await page.getByLabel("Group by").selectOption("command");
    await expect.poll(() => page.locator("tr.group").allTextContents()).toContain("federated 2");
    await page.getByLabel("Group by").selectOption("none");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const order = await rows.locator(".name a").allTextContents();
    expect(order).toEqual([...order].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
    await close();
  });

  test("a deleted run can be brought back at once, and later", async () => {
    writeRun(runs, "unwanted");
    const { page, close } = await openPage(browser);
    await open(page, "#/runs");
    const row = page.locator("[data-run=unwanted]");
    for (const back of ["Undo", "Restore unwanted"]) {
      await page.getByRole("button", { name: "Delete unwanted" }).click();
      await row.waitFor({ state: "detached" });
      if (back !== "Undo") await page.getByText("Recently deleted").click();
      await page.getByRole("button", { name: back }).click();
      await row.waitFor();
    }
    await close();
  });

  test("chosen runs are compared", async () => {
    const { page, close } = await openPage(browser);
    await open(page, "#/runs");
    await page.getByLabel("Choose demo").check();
    await page.getByLabel("Choose stopped").check();
    await page.getByRole("link", { name: "Compare" }).last().click();
    await page.locator("td .bar").first().waitFor();
    await expect
      .poll(() => page.getByRole("region", { name: "Comparison" }).locator("thead th[scope=col]").count())
      .toBe(2);
    await close();
  });

  test("a run's cards are ordered by price and say what gave way", async () => {
    const { page, close } = await openPage(browser);
    await open(page, "#/run/demo");
    const cards = page.locator("[data-requirement]");
    await cards.first().waitFor();
    expect(
      await cards.evaluateAll((list) => list.map((card) => card.getAttribute("data-requirement"))),
    ).toEqual(["false alarms", "misses in B", "misses in A"]);
    expect(await cards.nth(1).textContent()).toContain("it gave way by 0.215");
    expect(
      await page.locator("[data-requirement='misses in B'] svg[role=img]").getAttribute("aria-label"),
    ).toMatch(/∇h = 2 · 2 · u; the price 0\.9997 meets it at a relaxation of 0\.2499/);
    await close();
  });

  test("figures and files are saved", async () => {
    const { page, close } = await openPage(browser, { acceptDownloads: true });
    await open(page, "#/run/demo");
    const saved = async (click: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> => {
      const [download] = await Promise.all([page.waitForEvent("download"), click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const press = (name: string) => () => page.getByRole("button", { name, exact: true }).click();
    const drawn = await saved(press("Save equilibrium of misses in B as SVG"));
    expect(drawn.name).toBe("demo--equilibrium-of-misses-in-B.svg");
    expect(drawn.bytes.toString()).toMatch(/^<svg[^>]*width="340"/);
    expect(drawn.bytes.toString()).not.toMatch(/var\(|class=/);
    const curve = await saved(press("Save Price as SVG"));
    expect(curve.bytes.toString()).toContain("misses in B");
    const painted = await saved(press("Save equilibrium of misses in B as PNG"));
    expect(painted.bytes.subarray(1, 4).toString()).toBe("PNG");
    const report = await saved(() => page.getByRole("link", { name: "Report", exact: true }).click());
    expect(report.name).toBe("demo-report.json");
    expect(JSON.parse(report.bytes.toString())).toHaveProperty("certificate");
    await close();
  });

  test("a live run's curves grow while it trains, and its end is seen", async () => {
    const live = writeRun(runs, "live", { finished: false, rows: 5 });
    const { page, complaints, close } = await openPage(browser);
    await open(page, "#/run/live");
    const points = async () =>
      Number(await page.locator("[data-chart=Objective]").getAttribute("data-points"));
    await expect.poll(points).toBe(5);
    for (const step of [600, 700, 800]) appendLine(live, step);
    await expect.poll(points).toBe(8);
    const price = () => page.locator("[data-chart=Price]").getAttribute("data-points");
    await expect.poll(price).toBe("24");
    writeRun(runs, "live", { rows: 9 });
    await page.locator("main .status.finished").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("a slider moves along a sweep", async () => {
    const { page, close } = await openPage(browser);
    await open(page, "#/compare?sweep=alpha");
    const row = page.locator("[data-sweep-row='misses in B']");
    await row.waitFor();
    const gave = async () => Number((await row.locator("td").nth(1).textContent()) ?? "");
    const price = async () => Number((await row.locator("td").nth(2).textContent()) ?? "");
    const seen = [];
    for (const at of ["0", "1", "2"]) {
      await page.getByLabel("Position on the sweep").fill(at);
      seen.push({ gave: await gave(), price: await price() });
    }
    expect(seen[0].gave).toBeGreaterThan(seen[1].gave);
    expect(seen[1].gave).toBeGreaterThan(seen[2].gave);
    expect(seen[2].price).toBeGreaterThan(seen[0].price);
    await close();
  });

  test("a federation's rounds play, and new ones come while it runs", async () => {
    const made = { clients: 20, rounds: 6, finished: false };
    const run = writeFederated(runs, "rounds", made);
    const { page, complaints, close } = await openPage(browser);
    await open(page, "#/federation/rounds");
    const round = page.locator("[data-round]");
    await round.waitFor();
    expect(await round.getAttribute("data-round")).toBe("6");
    const slider = page.getByLabel("Round", { exact: true });
    await slider.fill("1");
    await expect.poll(() => round.getAttribute("data-round")).toBe("2");
    await page.getByLabel("Play the rounds").click();
    await expect.poll(() => round.getAttribute("data-round")).toBe("6");
    appendFileSync(join(run, "metrics.jsonl"), federatedLine(7, made));
    await expect.poll(() => round.getAttribute("data-round")).toBe("7");
    await page.getByLabel("Client attribute").selectOption("testAccuracy");
    expect(await page.locator("svg .dot").count()).toBe(20);
    expect(complaints).toEqual([]);
    await close();
  });

  test("a federation in which nobody gives way is shown by its prices, beside another", async () => {
    const { page, complaints, close } = await openPage(browser);
    await open(page, "#/runs");
    await page.getByRole("link", { name: "images constrained" }).click();
    await page.getByRole("link", { name: "See its clients" }).click();
    await page.getByRole("heading", { name: "Clients by price" }).waitFor();
    await page.getByRole("heading", { name: "images constrained", level: 1 }).waitFor();
    await page.getByLabel("Compare accuracies with").selectOption({ label: "federation" });
    await page.getByRole("img", { name: /Test accuracies in order, .*; of federation, / }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(["before", "while"])("a run that goes %s it is followed is said to be gone", async (when) => {
    const live = writeRun(runs, "going", { finished: false, rows: 5 });
    const { page, close } = await openPage(browser);
    const gone = () => rmSync(live, { recursive: true });
    if (when === "before")
      await page.route("**/api/live?*", (route) => {
        gone();
        return route.continue();
      });
    await open(page, "#/run/going");
    await page.locator("[data-chart=Price] [data-line]").first().waitFor();
    if (when === "while") gone();
    await page.getByText("There is no such run.").waitFor();
    await close();
  });

  test("colours follow the system until the reader chooses", async () => {
    const { page, close } = await openPage(browser, { colorScheme: "dark" });
    await open(page, "#/runs");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    await page.getByRole("button", { name: "Use light colours" }).click();
    expect(await paper()).not.toBe(dark);
    await page.reload();
    await page.getByRole("button", { name: "Use dark colours" }).click();
    expect(await paper()).toBe(dark);
    await close();
  });

  describe("the playground", () => {
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
    /** Moves a slider and waits until training took it up. */
    const move = async (page: Page, label: string, to: string): Promise<void> => {
      await page.getByLabel(label).fill(to);
    };

    test("sliders change u and λ to what the library computes", async () => {
      const { page, complaints, close } = await openPage(browser);
      await open(page, "#/playground");
      await page.getByRole("button", { name: "2: " }).click();
      const before = await compared(page);
      await move(page, "sick missed: cost of giving way", "0.9");
      const dearer = await compared(page);
      expect(dearer["sick missed"].relaxation).toBeLessThan(before["sick missed"].relaxation);
      expect(dearer["sick missed"].price).toBeGreaterThan(before["sick missed"].price);
      await move(page, "false alarms: level asked for", "0.05");
      const stricter = await compared(page);
      expect(stricter["false alarms"].price).toBeGreaterThan(dearer["false alarms"].price);
      await move(page, "false alarms: level asked for", "0.12");
      await page.locator("[data-ask='false alarms']").getByLabel("must not bend").check();
      const insisted = await compared(page);
      expect(insisted["false alarms"].relaxation).toBe(0);
      expect(complaints).toEqual([]);
      await close();
    });

    test("people drawn by pointer and by keyboard are learnt from", async () => {
      const { page, close } = await openPage(browser);
      await open(page, "#/playground");
      await page.locator("[data-settled=true]").waitFor();
      const count = async () =>
        JSON.parse((await page.locator("[data-problem]").getAttribute("data-problem")) ?? "").points
          .length as number;
      const before = await count();
      await page.getByRole("button", { name: "Clear" }).click();
      expect(await count()).toBe(0);
      await page.getByText("Draw at least one sick and one well person.").waitFor();
      // Neither the old model nor its numbers are of these people.
      expect(await page.locator("[data-ask][data-price]").count()).toBe(0);
      await expect.poll(() => page.locator("[data-ask] dd").first().textContent()).toBe("–");
      const board = page.getByRole("application");
      await board.focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      expect(await count()).toBe(1);
      await page.getByLabel("well", { exact: true }).check({ force: true });
      const box = await board.boundingBox();
      if (!box) throw new Error("the board is not shown");
      await page.mouse.move(box.x + 40, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + 140, box.y + 90, { steps: 6 });
      await page.mouse.up();
      expect(await count()).toBeGreaterThan(2);
      await compared(page);
      await page.getByLabel("Set of people").selectOption("apart");
      const apart = await compared(page);
      expect(apart["sick missed"].price).toBe(0);
      expect(before).toBeGreaterThan(50);
      await close();
    });

    test("each caption says what is counted beside it, and nothing flashes on the way", async () => {
      const { page, close } = await openPage(browser);
      await open(page, "#/playground");
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
      const { page, close } = await openPage(browser);
      await open(page, "#/playground");
      await page.getByRole("button", { name: "2: " }).click();
      for (const name of names)
        await page.locator(`[data-ask='${name}']`).getByLabel("must not bend").check();
      await page.getByText("the prices grow without end").first().waitFor();
      await close();
    });
  });
});
