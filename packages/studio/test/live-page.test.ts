// The page of a run that trains, beside the process that trains it: slow, killed, gone on with; and a server that dies.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ensurePage, serveStudio } from "../src/index.js";
import { settled } from "./browser.js";
import { age, endless } from "./fixtures.js";
import { browserPath, type Opened, openStudio } from "./opened.js";

describe.skipIf(!browserPath)("a run that trains", () => {
  let studio: Opened;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  const begun: ChildProcess[] = [];
  const killed = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  afterEach(() => Promise.all(begun.splice(0).map(killed)));

  /** Trains without an end, with a line now and then. */
  const train = async (name: string, ...more: string[]): Promise<ChildProcess> => {
    const out = join(studio.runs, name);
    const child = studio.begin(
      ...["train", studio.loans, "--device", "cpu", "--out", out, ...more],
      ...[...endless, "--set", "budget.every=50"],
    );
    begun.push(child);
    while (!existsSync(join(out, "metrics.jsonl")) && child.exitCode === null) await setTimeout(20);
    expect(child.exitCode).toBe(null);
    return child;
  };
  const statusOf = async (name: string): Promise<string> => {
    const response = await fetch(`${studio.server.url}api/run?${new URLSearchParams({ name })}`);
    return (await response.json()).summary.status;
  };
  const deleted = async (name: string): Promise<Response> => {
    return fetch(`${studio.server.url}api/delete`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-pliant-page": studio.server.pageToken },
      body: JSON.stringify({ names: [name] }),
    });
  };

  test("is running however long it says nothing, and killed as soon as it is", async () => {
    const child = await train("slow");
    child.kill("SIGSTOP");
    age(join(studio.runs, "slow"));
    expect(await statusOf("slow")).toBe("running");
    expect((await deleted("slow")).status).toBe(409);
    child.kill("SIGCONT");
    await killed(child);
    expect(await statusOf("slow")).toBe("killed");
    expect((await deleted("slow")).status).toBe(200);
  });

  test("is followed through silence, a kill and going on", async () => {
    const first = await train("followed");
    const { page, complaints, close } = await studio.at("#/run/followed");
    const status = (word: string) => page.locator(`main .status.${word}`).waitFor();
    const points = async () =>
      Number(await page.locator("[data-chart=Objective]").getAttribute("data-points"));
    await status("running");
    first.kill("SIGSTOP");
    age(join(studio.runs, "followed"));
    const before = await points();
    first.kill("SIGCONT");
    await expect.poll(points).toBeGreaterThan(before);
    await killed(first);
    await status("killed");
    await train("followed", "--resume");
    await status("running");
    const resumed = await points();
    await expect.poll(points).toBeGreaterThan(resumed);
    expect(complaints).toEqual([]);
    await close();
  });

  test("is not called running by a page whose server is gone", async () => {
    await train("alone");
    const serve = async (port: number) => serveStudio({ runs: studio.runs, port, page: await ensurePage() });
    const first = await serve(0);
    const port = Number(new URL(first.url).port);
    const { page, close } = await studio.at("#/runs");
    for (const route of ["#/run/alone", "#/compare?run=alone"]) {
      const server = route === "#/run/alone" ? first : await serve(port);
      await page.goto("about:blank");
      await page.goto(`${server.url}${route}`);
      await page.locator("main .status.running").waitFor();
      await settled(page);
      await server.close();
      await page.locator("main .status.lost").waitFor();
      expect(await page.locator("main .status.running").count()).toBe(0);
      const back = await serve(port);
      await page.locator("main .status.running").waitFor();
      await back.close();
    }
    await close();
  });
});
