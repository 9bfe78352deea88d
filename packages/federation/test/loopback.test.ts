// Floats in the open over loopback, a coordinator in a process of its own and ten sites over TLS: the simulator's numbers, to the bit.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { digest, encodeModel, type FederationReport, invite, join } from "@pliant/federation";
import { afterAll, describe, expect, test } from "vitest";
import { endLives, lives } from "./lives.js";
import { csvOf, simulated, specOf, tablesOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-loopback-"));
afterAll(() => {
  endLives();
  rmSync(folder, { recursive: true });
});

describe("ten sites, 4 rounds of 3, in the open over loopback equal the simulator to the bit", () => {
  const tables = tablesOf(10);
  test.each([
    ["resilient", {}],
    ["constrained", { cost: "hard" as const }],
  ])("%s", async (name, sites) => {
    const spec = specOf({
      training: { rounds: 4, communicationRounds: 3 },
      sites: { number: 10, ...sites },
      sums: { kind: "plain" },
    });
    const at = (...names: string[]) => path(folder, name, ...names);
    // However slow the machine is, nobody is left out, also one whose signs of life come late.
    const patience = { training: 240_000, answer: 120_000, again: 2_000, away: 120_000 };
    let serving: Promise<number> | undefined;
    await new Promise<void>((listening, failed) => {
      serving = lives("serve", { spec, out: at("coordinator"), patience }, {}, [], listening);
      serving.catch(failed);
    });
    const joining = [];
    for (const [i, table] of tables.entries()) {
      const data = path(folder, `${name}-${i}.csv`);
      writeFileSync(data, csvOf(table, spec));
      joining.push(join({ code: await invite(at("coordinator"), `site-${i}`), data, out: at(`site-${i}`) }));
    }
    const reports = await Promise.all(joining);
    await serving;
    const report = JSON.parse(readFileSync(at("coordinator", "report.json"), "utf8")) as FederationReport;
    const { state } = await simulated(spec, tables);
    expect(report.finished).toEqual({ sites: 10, of: 10 });
    expect(report.model).toBe(digest(encodeModel({ update: state.params, shared: state.solver.shared })));
    expect(reports.map(({ price }) => price)).toEqual(Array.from(state.prices.data));
    expect(reports.map(({ relaxation }) => relaxation)).toEqual(Array.from(state.relaxations.data));
    expect(Math.max(...state.prices.data)).toBeGreaterThan(0);
  });
});
