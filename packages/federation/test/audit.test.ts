// An audit finds what hashes alone do not show: sums that nobody agreed to, another history than a site has seen, an end that is missing.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { audit, type LedgerRow } from "@pliant/federation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linkedHash, noHash } from "../src/ports/log.js";
import { served, siteHere } from "./here.js";
import { specOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-audit-"));
afterAll(() => rmSync(folder, { recursive: true }));
const out = path(folder, "coordinator");
let witness = "";

beforeAll(async () => {
  const spec = specOf({ sites: { number: 3 }, training: { rounds: 2, communicationRounds: 2 } });
  const site = siteHere(folder, spec);
  const coordinator = await served({ spec, out });
  const sites = [];
  for (const [i, name] of ["a", "b", "c"].entries()) sites.push(await site(out, name, i));
  witness = sites[0].out;
  await Promise.all([coordinator.over, ...sites.map(({ over }) => over)]);
}, 60_000);

interface Entry {
  readonly kind: string;
  readonly name?: string;
  readonly value?: string;
  readonly site?: string;
  readonly key?: string;
  readonly row?: LedgerRow;
}

/** The folder with other entries, as whoever owns it can write them: all hashes are right again. */
function rewritten(
  change: (row: LedgerRow) => LedgerRow | undefined,
  note = true,
  changeOther: (entry: Entry) => Entry[] = (entry) => [entry],
): string {
  const copy = mkdtempSync(path(folder, "copy-"));
  cpSync(out, copy, { recursive: true });
  const file = path(copy, "ledger.log");
  const bodies = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line.slice(line.indexOf("{"))) as Entry)
    .flatMap(changeOther)
    .flatMap((entry) => {
      const row = entry.row && change(entry.row);
      return entry.row && !row ? [] : [JSON.stringify({ ...entry, ...(row && { row }) })];
    });
  let hash = noHash;
  const lines = bodies.map((body) => {
    hash = linkedHash(hash, body);
    return `${hash} ${Buffer.byteLength(body)} ${body}\n`;
  });
  writeFileSync(file, lines.join(""));
  if (note) writeFileSync(`${file}.head`, `${lines.length} ${hash}\n`);
  return copy;
}
const last = (row: LedgerRow): boolean => row.exchange === 3;

test("finds nothing where all is well, also with what a site has seen", async () => {
  expect((await audit(out)).problems).toEqual([]);
  expect((await audit(out, witness)).problems).toEqual([]);
  expect((await audit(rewritten((row) => row))).problems).toEqual([]);
});

test.each<[string, (row: LedgerRow) => LedgerRow, string]>([
  ["survivors whom nobody agreed to", (row) => ({ ...row, survivors: ["a", "b"] }), "a sum over 2 sites"],
  [
    "a model that sites were not shown",
    (row) => ({ ...row, shown: { ...row.shown, meanPrice: 7 } }),
    "signed another statement than what this ledger shows them",
  ],
  [
    "signatures that are missing",
    (row) => ({ ...row, agreed: undefined }),
    "nobody agreed to the sum of exchange",
  ],
  [
    "signatures of something else",
    (row) => ({ ...row, agreed: row.agreed?.map((one) => ({ ...one, cohort: "ab".repeat(32) })) }),
    "too few of its sites signed it",
  ],
  [
    "a round that is said to be given up",
    (row) => ({ ...row, void: { reason: "", suspects: [] } }),
    "the history that sites are shown next does not follow from exchange 1",
  ],
])("finds %s, however well all hashes are written anew", async (_, change, why) => {
  const copy = rewritten((row) => (row.exchange === 1 ? change(row) : row));
  expect((await audit(copy)).problems.join()).toContain(why);
});

test("finds another final model, by the hash that a site was given, and says what no signature covers", async () => {
  const copy = rewritten((row) =>
    last(row) ? { ...row, shown: { ...row.shown, model: "ab".repeat(32) } } : row,
  );
  const { problems, unproven } = await audit(copy, witness);
  expect(problems.join()).toContain("was given another final model");
  expect(unproven).toContain("mean losses, ε, counts of updates that were scaled, and the evaluation.");
  expect((await audit(out)).unproven).toContain("and the model after the last exchange.");
});

test("derives each roster from those who joined and were removed", async () => {
  const key = "cd".repeat(32);
  const join = (entry: Entry) => entry.kind === "join" && entry.site === "b";
  const again = rewritten(
    (row) => row,
    true,
    (entry) => (join(entry) ? [entry, { ...entry, key }] : [entry]),
  );
  expect((await audit(again)).problems.join()).toContain("b joins again, and was not removed before");
  const other = rewritten(
    (row) => row,
    true,
    (entry) => [join(entry) ? { ...entry, key } : entry],
  );
  const { problems } = await audit(other, witness);
  expect(problems.join()).toContain("the roster of exchange 0 does not follow from those who joined");
  expect(problems.join()).toContain("has a roster that this ledger never had");
  expect((await audit(out)).roster).toMatch(/^[0-9a-f]{4}(-[0-9a-f]{4}){7}$/);
});

test("finds a missing end, by the note beside the ledger and by what a site has seen", async () => {
  const without = (row: LedgerRow) => (last(row) ? undefined : row);
  const noted = rewritten(without, false);
  expect((await audit(noted)).problems.join()).toContain("1 entries at the end are missing");
  expect((await audit(rewritten(without), witness)).problems.join()).toContain(
    "1 exchanges at the end are missing",
  );
  const other = rewritten((row) =>
    last(row) ? { ...row, shown: { ...row.shown, past: "ab".repeat(32) } } : row,
  );
  expect((await audit(other, witness)).problems.join()).toContain(
    "has seen another history before exchange 4",
  );
});

const unchanged = (row: LedgerRow) => row;
const withPlain = (entry: Entry): Entry => {
  if (entry.kind !== "value" || entry.name !== "spec") return entry;
  const spec = JSON.parse(entry.value!) as { sums: object };
  return { ...entry, value: JSON.stringify({ ...spec, sums: { ...spec.sums, kind: "plain" } }) };
};

test("says how sums were taken, and finds another spec by a site's folder, or one that is written twice", async () => {
  expect((await audit(out)).sums).toMatchObject({ kind: "secure", least: 3 });
  const open = rewritten(unchanged, true, (entry) => [withPlain(entry)]);
  const { sums, problems } = await audit(open, witness);
  expect(sums).toMatchObject({ kind: "plain" });
  expect(problems.join()).toContain("has agreed to another spec than this ledger has");
  const again = rewritten(unchanged, true, (entry) =>
    withPlain(entry) === entry ? [entry] : [entry, withPlain(entry)],
  );
  expect((await audit(again)).problems.join()).toContain("the spec is written a second time");
});

test("finds a site that is counted though it was removed before the attempt began", async () => {
  const removed = { kind: "remove", site: "b", reason: "asked to leave" };
  const copy = rewritten(unchanged, true, (entry) =>
    entry.row?.exchange === 1 ? [entry, removed] : [entry],
  );
  const { problems } = await audit(copy);
  expect(problems.join()).toContain("the roster of exchange 2 does not follow from those who joined");
});

test("finds another result in the folder than the ledger ends with", async () => {
  const copy = rewritten(unchanged);
  const model = readFileSync(path(copy, "model.json"), "utf8");
  const zeros = JSON.stringify(JSON.parse(model), (key, value: unknown) =>
    key === "bytes" ? Buffer.alloc(Buffer.from(String(value), "base64").length).toString("base64") : value,
  );
  expect(zeros).not.toBe(model);
  writeFileSync(path(copy, "model.json"), zeros);
  expect((await audit(copy)).problems).toEqual(["model.json is not the model that the ledger ends with."]);
  writeFileSync(path(copy, "model.json"), model);
  const report = JSON.parse(readFileSync(path(copy, "report.json"), "utf8")) as object;
  writeFileSync(path(copy, "report.json"), JSON.stringify({ ...report, meanLoss: 0.01 }));
  expect((await audit(copy)).problems).toEqual([
    "report.json is not the report that follows from the ledger.",
  ]);
});

test("a row that nobody wrote is a sentence", async () => {
  const copy = rewritten((row) => (row.exchange === 3 ? ({ exchange: 3 } as LedgerRow) : row));
  expect((await audit(copy)).problems.join()).toMatch(
    /Entry \d+ of the ledger is none that was ever written/,
  );
});
