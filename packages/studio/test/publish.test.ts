// Runs as a page of their own: opened from a disk, with no server, it shows what the server's page shows.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { publishCommand } from "../../cli/src/publish.js";
import { publish } from "../src/index.js";
import { openPage } from "./browser.js";
import { writeFederated, writeRun } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("a published page", () => {
  let studio: Opened;
  let out: string;
  beforeAll(async () => {
    studio = await openStudio();
    out = join(studio.folder, "page");
    await studio.trained("loans");
    writeRun(studio.runs, "</script><b>", { names: ["__proto__", "</script>"] });
    writeFederated(studio.runs, "federation", { clients: 12, rounds: 4 });
    await publish({ runs: studio.runs, out });
  });
  afterAll(() => studio?.close());

  test("opens from a disk and shows runs, curves, comparisons and clients, and asks nobody", async () => {
    const { page, complaints, close } = await openPage(studio.browser);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith("file:") && !request.url().startsWith("blob:")) asked.push(request.url());
    });
    const at = (route: string) => page.goto(`${pathToFileURL(join(out, "index.html"))}${route}`);
    await at("");
    await expect.poll(() => page.locator("[data-run]").count()).toBe(3);
    expect(await page.getByRole("button", { name: /^Delete/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Playground" }).count()).toBe(0);
    await page.getByRole("link", { name: "loans", exact: true }).click();
    await page.locator("[data-chart=Price] [data-line]").first().waitFor();
    const { requirements } = JSON.parse(readFileSync(join(studio.runs, "loans", "report.json"), "utf8"));
    await expect
      .poll(() => page.locator("[data-requirement]").count())
      .toBe(Object.keys(requirements).length);
    const report = await page.getByRole("link", { name: "Report", exact: true }).getAttribute("href");
    expect(readFileSync(join(out, report ?? ""), "utf8")).toBe(
      readFileSync(join(studio.runs, "loans", "report.json"), "utf8"),
    );
    await page.getByRole("link", { name: "Federation" }).click();
    await page.locator("svg .dot").first().waitFor();
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await page.getByLabel("Choose all that are shown").check();
    await page.getByRole("region", { name: "Chosen runs" }).getByRole("link", { name: "Compare" }).click();
    await expect.poll(() => page.locator("thead th[scope=col] .status").count()).toBe(3);
    expect(asked).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("overwrites nothing, and says where there is no run", async () => {
    await expect(publish({ runs: studio.runs, out })).rejects.toThrow(/is not empty/);
    const empty = join(studio.folder, "empty");
    mkdirSync(empty);
    writeFileSync(join(empty, "note.txt"), "");
    await expect(publish({ runs: empty, out: join(studio.folder, "x") })).rejects.toThrow(
      "there is no run in",
    );
    expect(existsSync(join(studio.folder, "x"))).toBe(false);
  });

  test("is written for one run by the command", async () => {
    const one = join(studio.folder, "one");
    const said = vi.spyOn(console, "log").mockImplementation(() => {});
    await publishCommand([join(studio.runs, "loans"), one]);
    expect(said.mock.lastCall?.[0]).toBe(`One run is in ${one}; open ${one}/index.html.`);
    await expect(publishCommand(["only"])).rejects.toThrow("pliant publish RUN OUT");
    const { page, close } = await openPage(studio.browser);
    await page.goto(`${pathToFileURL(join(one, "index.html"))}#/run/.`);
    await page.locator("[data-chart=Price] [data-line]").first().waitFor();
    expect(await page.locator("main h1").textContent()).toBe("loans");
    await close();
  });
});
