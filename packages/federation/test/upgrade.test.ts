// Members of a federation that are upgraded in the middle of a run: within a minor version the run goes on, by another it does not.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FederationReport,
  fileLedger,
  invite,
  ownRelease,
  type SiteReport,
  status,
} from "@pliant/federation";
import { afterAll, expect, test } from "vitest";
import { builtAs, endLives, type Kill, lives } from "./lives.js";
import { csvOf, specOf, tablesOf } from "./problem.js";
import { replayed } from "./replay.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-upgrade-"));
afterAll(() => {
  endLives();
  rmSync(folder, { recursive: true });
});

const [major, minor, patch] = ownRelease.split(".").map(Number);
const first = await builtAs(ownRelease);
const later = await builtAs(`${major}.${minor}.${patch + 1}`);
const next = await builtAs(`${major}.${minor + 1}.0`);

const names = ["a", "b", "c", "d"];
const tables = tablesOf(4);
const spec = specOf({ training: { rounds: 4, communicationRounds: 2 } });
const out = join(folder, "coordinator");
const patience = { training: 120_000, answer: 60_000, again: 500 };
const dataOf = (i: number): string => {
  const file = join(folder, `${names[i]}.csv`);
  writeFileSync(file, csvOf(tables[i], spec));
  return file;
};

test("a coordinator and a site that come back as the next patch release finish the run with its bits", async () => {
  let listening = () => {};
  const listens = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const coordinatorKills: Kill[] = [["revealing", 3]];
  const siteKills: Kill[] = [["shared", 1]];
  const programs = [first, later];
  const serving = lives(
    ...(["serve", { spec, out, patience }, { out, patience }, coordinatorKills] as const),
    ...([() => listening(), programs] as const),
  );
  await Promise.race([listens, serving]);
  const refused = lives(
    "join",
    { data: dataOf(0), out: join(folder, "next"), code: await invite(out, "a") },
    {},
    [],
    undefined,
    [next],
  );
  await expect(refused).rejects.toThrow(
    /a runs pliant .*; all members of a federation use one minor version\./,
  );
  // The code can still be used.
  expect((await status(out)).sites.map(({ joined }) => joined)).toEqual([false]);
  const joining = [];
  for (const [i, name] of names.entries()) {
    const options = { data: dataOf(i), out: join(folder, name) };
    const code = await invite(out, name);
    // One is upgraded in the middle, one is new from the beginning.
    const own = i === 1 ? programs : i === 2 ? [later] : [first];
    joining.push(lives("join", { ...options, code }, options, i === 1 ? siteKills : [], undefined, own));
  }
  const deaths = await Promise.all([serving, ...joining]);
  expect(deaths).toEqual([1, 0, 1, 0, 0]);
  const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as FederationReport;
  const ledger = fileLedger(join(out, "ledger.log"));
  const wanted = await replayed(spec, names, tables, await ledger.rows());
  await ledger.close();
  expect(report.finished).toEqual({ sites: 4, of: 4 });
  expect(report.model).toBe(wanted.model);
  const prices = names.map(
    (name) => (JSON.parse(readFileSync(join(folder, name, "site.json"), "utf8")) as SiteReport).price,
  );
  expect(prices).toEqual(wanted.states.map(({ price }) => price));
});

test("the next minor release does not resume a folder", async () => {
  await expect(lives("serve", { out }, {}, [], undefined, [next])).rejects.toThrow(
    `The federation in ${out} was begun by pliant ${ownRelease}, not a release of ${major}.${minor + 1}, which this is`,
  );
});
