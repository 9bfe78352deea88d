// Processes of their own, killed by SIGKILL in every state, one after another; and what they come to nevertheless.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FederationReport, invite, type SiteReport, sqliteLedger } from "@pliant/federation";
import { afterEach, beforeEach, expect, test } from "vitest";
import { specOf, tablesOf } from "./problem.js";
import { replayed } from "./replay.js";

let folder: string;
const children = new Set<ChildProcess>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pliant-kills-"));
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const script = new URL("processes/killed.mjs", import.meta.url).pathname;
type Kill = readonly [phase: string, exchange: number];

/** A process that is started again whenever it was killed, with the next kill in mind; at its end, how often that was. */
function lives(
  role: "serve" | "join",
  first: object,
  again: object,
  kills: readonly Kill[],
  listening = () => {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = (life: number) => {
      const options = JSON.stringify(life === 0 ? first : again);
      const child = spawn(process.execPath, [script, role, options, ...(kills[life] ?? []).map(String)], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.add(child);
      let said = "";
      child.stdout.on("data", (data) => String(data).includes("Listening") && listening());
      child.stderr.on("data", (data) => {
        said += data;
      });
      child.on("exit", (code, signal) => {
        children.delete(child);
        if (signal === "SIGKILL") start(life + 1);
        else if (code === 0) resolve(life);
        else reject(new Error(`${role} ended with ${code ?? signal}: ${said}`));
      });
    };
    start(0);
  });
}

const tables = tablesOf(4);
const names = ["a", "b", "c", "d"];

async function federation(coordinatorKills: readonly Kill[], siteKills: readonly Kill[]) {
  const spec = specOf({ training: { rounds: 4, communicationRounds: 2 } });
  const out = join(folder, "coordinator");
  const patience = { training: 120_000, answer: 60_000, again: 500 };
  let listening = () => {};
  const listens = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const serving = lives("serve", { spec, out, patience }, { out, patience }, coordinatorKills, () =>
    listening(),
  );
  await Promise.race([listens, serving]);
  const joining = [];
  for (const [i, name] of names.entries()) {
    const data = join(folder, `${name}.csv`);
    const { x, y } = tables[i];
    const lines = Array.from(
      y.data,
      (label, r) => `${x.data[2 * r]},${x.data[2 * r + 1]},${spec.data.classes[label]}`,
    );
    writeFileSync(data, `a,b,class\n${lines.join("\n")}\n`);
    const options = { data, out: join(folder, name) };
    joining.push(
      lives("join", { ...options, code: await invite(out, name) }, options, i === 1 ? siteKills : []),
    );
  }
  const [coordinatorDeaths, ...siteDeaths] = await Promise.all([serving, ...joining]);
  const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as FederationReport;
  const sites = names.map(
    (name) => JSON.parse(readFileSync(join(folder, name, "site.json"), "utf8")) as SiteReport,
  );
  const ledger = sqliteLedger(join(out, "ledger.sqlite"));
  const rows = await ledger.rows();
  await ledger.close();
  const wanted = await replayed(spec, names, tables, rows);
  expect(report.finished).toEqual({ sites: 4, of: 4 });
  expect(report.rounds).toBe(4);
  expect(report.model).toBe(wanted.model);
  expect(sites.map(({ price }) => price)).toEqual(wanted.states.map(({ price }) => price));
  expect(sites.map(({ relaxation }) => relaxation)).toEqual(
    wanted.states.map(({ relaxation }) => relaxation),
  );
  return { rows, coordinatorDeaths, siteDeaths };
}

test("a coordinator killed in every state goes on with the same round, and ends with the bits of an undisturbed run", async () => {
  const kills: Kill[] = [
    ["gathering", 0],
    ["dealing", 1],
    ["uploading", 2],
    ["agreeing", 3],
    ["revealing", 4],
    ["absorbing", 5],
    ["committed", 6],
    ["finished", 8],
  ];
  const { rows, coordinatorDeaths } = await federation(kills, []);
  expect(coordinatorDeaths).toBe(kills.length);
  expect(rows.every(({ survivors }) => survivors.length === 4)).toBe(true);
});

test("a site killed in every state is absent or counted, and moves by what counted it", async () => {
  const kills: Kill[] = [
    ["training", -1],
    ["ready", -1],
    ["shared", 0],
    ["uploaded", 1],
    ["agreed", 1],
    ["revealed", 1],
  ];
  const { rows, siteDeaths } = await federation([], kills);
  expect(siteDeaths).toEqual([0, kills.length, 0, 0]);
  expect(rows.every(({ survivors }) => survivors.length >= 3)).toBe(true);
});
