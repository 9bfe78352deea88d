// The page of a run, over runs that the real commands made.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("the page of a run", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  /** The words of the command on the page, after `npx pliant`. */
  const again = async (route: string): Promise<string[]> => {
    const { page, close } = await studio.at(route);
    const command = (await page.locator(".command code").textContent()) ?? "";
    await close();
    const [npx, pliant, ...args] = command.split(" ");
    expect([npx, pliant]).toEqual(["npx", "pliant"]);
    return args;
  };

  test.each([
    ["invariance", "--method resilient --subset 100 --epochs 2"],
    ["federated", "--method resilient --clients 3 --rounds 5"],
  ])("the command that trains a reproduction again makes a new run: %s", async (experiment, asked) => {
    const first = ["--dataset", "strokes", ...asked.split(" "), "--seeds", "3", "--device", "cpu"];
    await studio.pliant("reproduce", experiment, ...first, "--out", join(studio.runs, experiment));
    const list = async () => {
      const { runs } = await (await fetch(`${studio.server.url}api/runs`)).json();
      return runs
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => name.includes(experiment));
    };
    const [name] = await list();
    const report = join(studio.runs, name, "report.json");
    const before = statSync(report).mtimeMs;
    const command = await again(`#/run/${encodeURIComponent(name)}`);
    expect(existsSync(command[command.indexOf("--out") + 1])).toBe(false);
    await studio.pliant(...command);
    expect(await list()).toHaveLength(2);
    expect(await again(`#/run/${encodeURIComponent(name)}`)).not.toEqual(command);
    expect(statSync(report).mtimeMs).toBe(before);
    const recipes = (await list()).map((run: string) => {
      const { recipe, settings, seeds, seed } = JSON.parse(
        readFileSync(join(studio.runs, run, "run.json"), "utf8"),
      );
      return { recipe: recipe ?? settings, seeds, seed };
    });
    expect(recipes[1]).toEqual(recipes[0]);
  });
});
