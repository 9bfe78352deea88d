// One of eight sites sends noise, all as processes of their own over TLS: it is named and excluded, and the others finish.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit, type FederationReport, fileLedger, invite } from "@pliant/federation";
import { afterAll, expect, test } from "vitest";
import { endLives, garbage, lives } from "./lives.js";
import { csvOf, specOf, tablesOf } from "./problem.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-garbage-"));
afterAll(() => {
  endLives();
  rmSync(folder, { recursive: true });
});

test("a process whose coordinates are noise behind masks is excluded within two rounds", async () => {
  const spec = specOf({ sites: { number: 8 }, training: { rounds: 3, communicationRounds: 2 } });
  const out = join(folder, "coordinator");
  const patience = { training: 120_000, answer: 60_000, again: 500 };
  let listening = () => {};
  const listens = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const serving = lives("serve", { spec, out, patience }, { out }, [], () => listening());
  await Promise.race([listens, serving]);
  const joining: Promise<number>[] = [];
  for (const [i, table] of tablesOf(8).entries()) {
    const name = "abcdefgh"[i];
    const data = join(folder, `${name}.csv`);
    writeFileSync(data, csvOf(table, spec));
    const options = { data, out: join(folder, name), code: await invite(out, name) };
    joining.push(lives("join", options, options, [], undefined, name === "f" ? [garbage] : []));
  }
  const [noisy] = joining.splice(5, 1);
  await Promise.all([serving, ...joining]);
  await expect(noisy).rejects.toThrow("f was removed from the federation by its coordinator.");

  const ledger = fileLedger(join(out, "ledger.log"));
  const [sites, rows] = [await ledger.sites(), await ledger.rows()];
  await ledger.close();
  expect(sites.filter(({ removed }) => removed !== undefined)).toMatchObject([
    { site: "f", removed: expect.stringContaining("it alone was in every sum that failed.") },
  ]);
  expect(rows.filter((row) => row.void).length).toBeLessThanOrEqual(2);
  expect(rows.at(-1)!.survivors.join("")).toBe("abcdegh");
  const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as FederationReport;
  expect(report.rounds).toBe(3);
  expect(await audit(out)).toMatchObject({ problems: [] });
}, 400_000);
