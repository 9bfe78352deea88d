// The pages of the paper's experiments: runs that the real commands made, and the repository's own recorded results.
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { number } from "../page/src/lib/format.js";
import { clientsHeadline } from "../page/src/words/clients.js";
import { resultsOf } from "../page/src/words/said.js";
import { headline } from "../page/src/words/verdict.js";
import { ensurePage, type RunSummary, type Serving, serveStudio } from "../src/index.js";
import { visit } from "./browser.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

const results = fileURLToPath(new URL("../../lab/results", import.meta.url));
const runsOf = async ({ url }: Serving): Promise<RunSummary[]> =>
  (await (await fetch(`${url}api/runs`)).json()).runs;

describe.skipIf(!browserPath)("reproductions", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
    names.federated = (await studio.federated("federated")).resilient;
    names.invariance = (await studio.invariance("invariance")).unconstrained;
  });
  afterAll(() => studio?.close());
  const names = { federated: "", invariance: "" };
  type Experiment = keyof typeof names;
  const runOf = async (experiment: Experiment): Promise<RunSummary> =>
    (await runsOf(studio.server)).find(({ name }) => name === names[experiment]) as RunSummary;
  const reportOf = ({ name }: RunSummary) =>
    JSON.parse(readFileSync(join(studio.runs, name, "report.json"), "utf8"));

  test("a federated run counts the same rounds everywhere, and says which clients gave way", async () => {
    const run = await runOf("federated");
    const { page, close } = await studio.at(`#/run/${encodeURIComponent(run.name)}`);
    const header = ((await page.locator("dl.key").textContent()) ?? "").replace(/\s+/g, " ");
    expect(header).toMatch(/rounds 10\b/);
    await expect
      .poll(() => page.locator("[data-chart=Objective] .readout").textContent())
      .toContain("round 10");
    const { clients, level } = reportOf(run);
    const losses: number[] = clients.map(({ trainLoss }: { trainLoss: number }) => trainLoss);
    const mean = losses.reduce((a, b) => a + b) / losses.length;
    const beyond = losses.filter((loss) => loss - mean > level + 1e-3).length;
    const headline = (await page.locator(".headline").textContent()) ?? "";
    expect(headline).toMatch(new RegExp(`^${beyond} of 4 clients`));
    expect(headline).toContain(`client ${losses.indexOf(Math.max(...losses)) + 1} the most`);
    expect(headline).toContain(`${number(Math.max(...losses) - mean, 3)} above the mean`);
    await page.getByRole("link", { name: "See its clients" }).click();
    expect(await page.locator("[data-round]").getAttribute("data-round")).toBe("10");
    await close();
  });

  test("an objective measured again at the end is distinguished from the one that was logged", async () => {
    for (const experiment of ["federated", "invariance"] as const) {
      const run = await runOf(experiment);
      const lines = readFileSync(join(studio.runs, run.name, "metrics.jsonl"), "utf8")
        .trim()
        .split("\n");
      const logged = JSON.parse(lines.at(-1) as string).objective;
      const { objective } = reportOf(run);
      expect(Math.abs(logged - objective)).toBeGreaterThan(1e-3 * objective);
      const { page, close } = await studio.at(`#/run/${encodeURIComponent(run.name)}`);
      const chart = page.locator("[data-chart=Objective]");
      await expect.poll(() => chart.locator(".readout").textContent()).toContain(number(logged));
      expect(await chart.textContent()).toContain(`measured at the end it was ${number(objective)}`);
      const header = ((await page.locator("dl.key").textContent()) ?? "").replace(/\s+/g, " ");
      expect(header).toContain(`objective, measured at the end ${number(objective)}`);
      await close();
    }
  });

  test("an invariance run says what its steps and its accuracy are, and that nothing was required", async () => {
    const run = await runOf("invariance");
    const { page, close } = await studio.at(`#/run/${encodeURIComponent(run.name)}`);
    const header = ((await page.locator("dl.key").textContent()) ?? "").replace(/\s+/g, " ");
    expect(header).toMatch(/epochs 3 /);
    expect(header).toContain(`accuracy ${reportOf(run).accuracy.toFixed(2)}%`);
    expect(await page.locator(".headline").textContent()).toBe("Nothing was required of this model.");
    await close();
  });

  test.each(["federated", "invariance"] as const)(
    "%s is trained again by the command on its page, in a folder of its own",
    async (experiment) => {
      const run = await runOf(experiment);
      const said = async (): Promise<string[]> => {
        const { page, close } = await studio.at(`#/run/${encodeURIComponent(run.name)}`);
        const words = ((await page.locator("[aria-label=Spec] .command code").textContent()) ?? "").split(
          " ",
        );
        await close();
        expect(words.slice(0, 2)).toEqual(["npx", "pliant"]);
        return words.slice(2);
      };
      const written = () => statSync(join(studio.runs, run.name, "report.json")).mtimeMs;
      const recipeOf = (name: string) => {
        const asked = JSON.parse(readFileSync(join(studio.runs, name, "run.json"), "utf8"));
        return [asked.recipe ?? asked.settings, asked.seeds ?? asked.seed];
      };
      const [before, command] = [written(), await said()];
      expect(existsSync(command[command.indexOf("--out") + 1])).toBe(false);
      const alike = async () => (await runsOf(studio.server)).filter(({ title }) => title === run.title);
      // What it was asked for is in its folder before it begins to train.
      const child = studio.begin(...command);
      const failed = once(child, "exit").then(([code]) => {
        if (code) throw new Error(`pliant ${command.join(" ")} ended with ${code}`);
      });
      await Promise.race([expect.poll(async () => (await alike()).length).toBe(2), failed]);
      child.kill("SIGKILL");
      await failed;
      expect(written()).toBe(before);
      const both = await alike();
      expect(both).toHaveLength(2);
      expect(recipeOf(both[1].name)).toEqual(recipeOf(both[0].name));
      expect(await said()).not.toEqual(command);
    },
  );

  describe("recorded results, of which only reports were kept", () => {
    let server: Serving;
    beforeAll(async () => {
      server = await serveStudio({ runs: results, port: 0, page: await ensurePage() });
    });
    afterAll(() => server?.close());

    const filesOf = (name: string): Record<string, unknown>[] =>
      ["run.json", "report.json"].map((file) => JSON.parse(readFileSync(join(results, name, file), "utf8")));
    /** Pages are of one kind where the files know the same of one method. */
    const kindOf = ({ name }: RunSummary): string => {
      const [asked, report] = filesOf(name);
      const { method } = (asked.recipe ?? asked.settings) as { method: string };
      return JSON.stringify([asked.command, method, Object.keys(asked), Object.keys(report)]);
    };

    test("have a headline each", async () => {
      const runs = await runsOf(server);
      expect(runs.length).toBeGreaterThan(100);
      for (const { name } of runs) {
        const [asked, report] = filesOf(name);
        const requirements = resultsOf(report);
        const said = Object.keys(requirements).length > 0 ? headline(requirements) : clientsHeadline(report);
        // Nothing is required where training has no constraint.
        if (!said) expect(JSON.stringify(asked.recipe)).toMatch(/unconstrained|augerino|uniform/);
        else expect(said.join("")).toMatch(/^\S.+\.$/);
      }
    });

    test("show every kind of result, and the clients they are about", async () => {
      const { page, complaints, close } = await studio.at("#/runs");
      const kinds = new Map((await runsOf(server)).map((run) => [kindOf(run), run]));
      expect(kinds.size).toBeGreaterThan(10);
      for (const { name, clients } of kinds.values()) {
        await visit(page, `${server.url}#/run/${encodeURIComponent(name)}`);
        await page.locator(".headline").waitFor();
        await page.getByText("Only the report is here").waitFor();
        expect(await page.getByText("No evaluation has been logged").count()).toBe(0);
        if (clients === null) continue;
        await page.getByRole("link", { name: "See its clients" }).click();
        await page.getByText("the rounds before it were not kept").waitFor();
        await expect.poll(() => page.locator("svg .dot").count()).toBe(clients);
      }
      expect(complaints).toEqual([]);
      await close();
    });
  });
});
