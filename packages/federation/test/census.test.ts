// A site that leaves for good: its records' budget is spent. Prices are summed anew over the others, who go on, also through a kill.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nextMeanPrice } from "@pliant/federated";
import {
  type FederationReport,
  fileLedger,
  identityOf,
  invite,
  type SiteReport,
  status,
} from "@pliant/federation";
import { afterAll, expect, test } from "vitest";
import { endLives, lives } from "./lives.js";
import { csvOf, specOf, tablesOf } from "./problem.js";
import { replayed } from "./replay.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-census-"));
afterAll(() => {
  endLives();
  rmSync(folder, { recursive: true });
});
const read = <T>(...names: string[]): T => JSON.parse(readFileSync(join(folder, ...names), "utf8")) as T;

test("a mean moves by what those present changed, and is taken anew where the roster is another", () => {
  const some = { before: 1, after: 1.5, participants: 2, present: 4 };
  expect(nextMeanPrice({ meanPrice: 3, over: 4 }, some)).toBe(3.25);
  expect(nextMeanPrice({ meanPrice: 3, over: 5 }, some)).toBe(1.5);
  expect(nextMeanPrice({ meanPrice: 3, over: 4 }, { ...some, participants: 4 })).toBe(1.5);
});

test("processes go on without a site that left, at the mean price of those who are present", async () => {
  // In 16 rows a batch of 8 is a larger sample than in 64, and tells more of each.
  const tables = [tablesOf(4, 16)[0], ...tablesOf(4, 64).slice(1)];
  const names = ["small", "b", "c", "d"];
  const spec = specOf({
    training: { rounds: 3, batch: 8, clip: undefined },
    privacy: { epsilon: 2.6, delta: 1e-3, noise: 2 },
  });
  const out = join(folder, "coordinator");
  const patience = { training: 250_000, answer: 250_000, again: 500 };
  let serving: Promise<number> | undefined;
  await new Promise<void>((listening, failed) => {
    serving = lives("serve", { spec, out, patience }, { out, patience }, [["committed", 4]], listening);
    serving.catch(failed);
  });
  const joining = [];
  for (const [i, name] of names.entries()) {
    const data = join(folder, `${name}.csv`);
    writeFileSync(data, csvOf(tables[i], spec));
    joining.push(lives("join", { data, out: join(folder, name), code: await invite(out, name) }, {}, []));
  }
  const [deaths] = await Promise.all([serving, ...joining]);
  expect(deaths).toBe(1);

  const report = read<FederationReport>("coordinator", "report.json");
  const sites = names.map((name) => read<SiteReport>(name, "site.json"));
  expect(report).toMatchObject({ rounds: 3, finished: { sites: 4, of: 4 }, left: ["small"] });
  expect(report.ended).toBeUndefined();
  expect(report.counted).toEqual({ small: 3, b: 6, c: 6, d: 6 });
  for (const { privacy } of sites) expect(privacy!.epsilon).toBeLessThanOrEqual(2.6);
  expect((await status(out)).sites.map(({ epsilon }) => epsilon)).toEqual(
    sites.map(({ privacy }) => privacy!.epsilon),
  );

  // To what sums in fixed point resolve; with the one that left it is another.
  const mean = (prices: readonly number[]) => prices.reduce((a, b) => a + b, 0) / prices.length;
  const prices = sites.map(({ price }) => price);
  expect(Math.abs(report.meanPrice - mean(prices.slice(1)))).toBeLessThan(1e-11);
  expect(Math.abs(report.meanPrice - mean(prices))).toBeGreaterThan(1e-3);

  const ledger = fileLedger(join(out, "ledger.log"));
  const rows = await ledger.rows();
  await ledger.close();
  const identities = names.map((name) => identityOf(read<{ secret: string }>(name, "identity.json").secret));
  const wanted = await replayed(spec, names, tables, rows, { run: report.run, identities });
  expect(report.model).toBe(wanted.model);
  expect(prices).toEqual(wanted.states.map(({ price }) => price));
});
