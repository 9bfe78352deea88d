// A federation between processes, on the page while it runs; and one site's own page.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FederationReport, invite, join as joinSite, serve } from "@pliant/federation";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { csvOf, specOf, tablesOf } from "../../federation/test/problem.js";
import { publish } from "../src/index.js";
import { offered } from "../src/offered.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("a federation between machines", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  test("is followed to its end; a site's own numbers are on the site's page only", async () => {
    const demo = studio.begin("federate", "demo", "--sites", "4", "--rounds", "3", "--out", "runs/demo");
    const ended = new Promise((resolve) => demo.once("exit", resolve));
    const at = (...names: string[]) => join(studio.runs, "demo", ...names);
    await vi.waitUntil(() => existsSync(at("coordinator", "federation.json")), { timeout: 100_000 });
    const { page, complaints, close } = await studio.at("#/federation/demo%2Fcoordinator");
    await page.locator("[data-phase='finished']").waitFor();
    expect(await page.locator("h1").textContent()).toBe("demo");
    // Sites hear that it is over one after another; who has not is late.
    expect(await ended).toBe(0);
    await page.getByText("on time").nth(3).waitFor();
    const said = () => page.locator("main").innerText();
    for (const text of [
      "3 of 3",
      "4 of 4 sites",
      "15 of 15",
      "on time",
      "loss at most mean + 0.02",
      "none: 3",
    ])
      await expect.poll(said).toContain(text);
    const { site, relaxation, price } = JSON.parse(readFileSync(at("west", "site.json"), "utf8"));
    expect(relaxation).toBeGreaterThan(0);
    expect(await said()).not.toContain(relaxation.toFixed(4));
    expect(complaints).toEqual([]);
    await close();

    const { secret } = JSON.parse(readFileSync(at("west", "identity.json"), "utf8"));
    for (const run of ["coordinator", "west"]) {
      const answer = await fetch(`${studio.server.url}api/run?name=demo%2F${run}`);
      const { files } = (await answer.json()) as { files: { name: string }[] };
      const names = files.map(({ name }) => name);
      expect(names.filter((name) => !Object.hasOwn(offered, name))).toEqual([]);
      for (const file of readdirSync(at(run)).filter((file) => !names.includes(file))) {
        const { status } = await fetch(`${studio.server.url}api/file?name=demo%2F${run}&file=${file}`);
        expect([file, status]).toEqual([file, 404]);
      }
    }
    const out = join(studio.folder, "published");
    await publish({ runs: join(studio.runs, "demo"), out });
    for (const file of readdirSync(out, { recursive: true, encoding: "utf8" }))
      if (statSync(join(out, file)).isFile())
        expect([file, readFileSync(join(out, file)).includes(secret)]).toEqual([file, false]);

    const own = await studio.at("#/federation/demo%2Fwest");
    await own.page.getByText(`${site} is one site of demo`).waitFor();
    const numbers = () => own.page.locator("main").innerText();
    for (const value of [relaxation.toPrecision(3), price.toPrecision(3), "64"])
      await expect.poll(numbers).toContain(value);
    expect(own.complaints).toEqual([]);
    await own.close();
  });

  test("with private records shows the ε that is spent, of all sites and at a site", async () => {
    const spec = specOf({
      sites: { number: 3 },
      training: { rounds: 1, clip: undefined },
      privacy: { epsilon: 6, delta: 1e-3, noise: 2 },
    });
    const out = join(studio.runs, "private");
    let serving: Promise<FederationReport> | undefined;
    await new Promise<void>((listening, failed) => {
      serving = serve({ spec, out, onListening: () => listening() });
      serving.catch(failed);
    });
    const joining = [];
    for (const [i, table] of tablesOf(3, 32).entries()) {
      const data = join(studio.folder, `private-${i}.csv`);
      writeFileSync(data, csvOf(table, spec));
      const code = await invite(out, `site-${i}`);
      joining.push(joinSite({ code, data, out: join(studio.runs, `private-${i}`) }));
    }
    const [report, ...sites] = await Promise.all([serving!, ...joining]);
    const { spent, budget, unit } = report.privacy!;
    expect([budget, unit]).toEqual([6, "a record of a site"]);
    const names = sites.map((_, i) => `site-${i}`);
    expect(Object.keys(spent).sort()).toEqual(names);
    expect(sites.map(({ privacy }) => privacy!.epsilon)).toEqual(names.map((name) => spent[name]));

    const most = Math.max(...Object.values(spent)).toPrecision(3);
    for (const [place, waiting] of [
      ["private", "on time"],
      ["private-1", "site-1 is one site of test"],
    ]) {
      const { page, complaints, close } = await studio.at(`#/federation/${place}`);
      await page.getByText(waiting).first().waitFor();
      await expect.poll(() => page.locator("main").innerText()).toContain(`ε ${most} of 6 spent`);
      expect(complaints).toEqual([]);
      await close();
    }
  });

  test("is not there for a run that is none", async () => {
    const { status } = await fetch(`${studio.server.url.replace(/#.*/, "")}api/networked?name=nothing`);
    expect(status).toBe(404);
  });
});
