// Members that come late, are removed, or lie; and a second coordinator on one folder.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import {
  audit,
  decodeSummand,
  encodeSummand,
  fileLedger,
  invite,
  memoryBlobs,
  remove,
  serve,
  status,
} from "@pliant/federation";
import { afterAll, expect, test } from "vitest";
import { served, siteHere, until } from "./here.js";
import { inProcess, ledgerWith, sitesOf } from "./in-process.js";
import { specOf, tablesOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-members-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a site joins late, another is removed and replaced, and the ledger has it all", async () => {
  const spec = specOf({
    sites: { number: 4, begin: 3 },
    training: { rounds: 14, communicationRounds: 2 },
  });
  const out = path(folder, "coordinator");
  const site = siteHere(folder, spec);
  let done = 0;
  const coordinator = await served({
    ...{ spec, out, patience: { training: 60_000, answer: 60_000, again: 300 } },
    onCommitted: ({ shown }) => {
      done = shown.step;
    },
  });
  const [a, b, c] = [await site(out, "a", 0), await site(out, "b", 1), await site(out, "c", 2)];
  await until(() => done >= 1);
  // A second coordinator is told who the first is, and the first goes on.
  await expect(serve({ out })).rejects.toThrow(
    `This federation has a coordinator: process ${process.pid} on `,
  );
  const d = await site(out, "d", 3);
  const seen = done;
  await until(() => done >= seen + 3);
  await remove(out, "b", "moved away");
  await expect(b.over).rejects.toThrow("b was removed from the federation by its coordinator.");
  await expect(invite(out, "b")).resolves.toContain("pliant1-");
  await Promise.all([coordinator.over, a.over, c.over, d.over]);

  const ledger = fileLedger(path(out, "ledger.log"));
  const rows = await ledger.rows();
  await ledger.close();
  const cohorts = [...new Set(rows.map(({ survivors }) => survivors.join()))];
  expect(cohorts).toContain("a,b,c");
  expect(cohorts).toContain("a,b,c,d");
  expect(cohorts.at(-1)).toBe("a,c,d");
  // Everyone was shown the same code for the same roster.
  const codesIn = (said: readonly string[]) =>
    said.join("\n").match(/(?<=code [^\n]*is )[0-9a-f]{4}(-[0-9a-f]{4}){7}/g)!;
  expect(codesIn(a.said)).toHaveLength(3);
  expect(codesIn(c.said)).toEqual(codesIn(a.said));
  expect(codesIn(d.said)).toEqual(codesIn(a.said).slice(1));
  expect(a.said.join("\n")).toContain("The roster has changed: d takes part from now on (");
  expect(a.said.join("\n")).toContain("b takes part no more");
  const { sites } = await status(out);
  expect(sites.find((one) => one.site === "b" && one.joined)).toBeUndefined();
  expect(await audit(out)).toMatchObject({ exchanges: rows.length, problems: [] });
  // What a site keeps is its owner's alone.
  expect(statSync(a.out).mode & 0o777).toBe(0o700);
  for (const name of ["identity.json", "site-state.json", "joined.json", "roster.json", "site.json"])
    expect(statSync(path(a.out, name)).mode & 0o777).toBe(0o600);
  expect(readdirSync(a.out).filter((name) => name.endsWith(".part"))).toEqual([]);
}, 240_000);

test("a loss that no honest site has is found, and its site excluded", async () => {
  const blobs = memoryBlobs();
  /** Under the masks, 1000 less in the first number that rides along: of 64 bits, 40 are behind the point. */
  const lying = (bytes: Buffer): Buffer => {
    const { words, numbers } = decodeSummand(bytes);
    numbers[2] -= 1000n << 40n;
    return encodeSummand({ words, numbers });
  };
  const spec = specOf({ training: { rounds: 8, communicationRounds: 2 }, sites: { number: 5 } });
  const who = sitesOf(5);
  const ledger = await ledgerWith(who);
  const { rows, state } = await inProcess(spec, tablesOf(5), {
    ...{ ledger, blobs, leaves: ["c"] },
    siteBlobsOf: (i) => ({
      put: async (bytes) => blobs.put(i === 2 ? lying(bytes) : bytes),
      get: (hash) => blobs.get(hash),
    }),
  });
  const gone = (await ledger.sites()).filter(({ removed }) => removed !== undefined);
  expect(gone.map(({ site }) => site)).toEqual(["c"]);
  expect(rows.find((row) => row.void)!.void!.reason).toContain(
    "and each site's is between 0 and sites.lossBound, 20: a site lied.",
  );
  expect(state.meanLoss).toBeGreaterThan(0);
  expect(rows.at(-1)!.survivors).toEqual(["a", "b", "d", "e"]);
}, 240_000);
