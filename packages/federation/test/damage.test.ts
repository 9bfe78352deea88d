// Bits that flip in a ledger or a blob: each is found, and none is read as something else.
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { PliantError } from "@pliant/core";
import { audit, fileLedger, folderBlobs } from "@pliant/federation";
import { afterAll, expect, test } from "vitest";
import { served, siteHere } from "./here.js";
import { specOf } from "./problem.js";
import { seededNumbers } from "./seeded.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-damage-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("300 flipped bits: 300 found, 0 read wrong", async () => {
  const spec = specOf({ sites: { number: 3 }, training: { rounds: 2, communicationRounds: 2 } });
  const out = path(folder, "coordinator");
  const site = siteHere(folder, spec);
  const coordinator = await served({ spec, out });
  const sites = [];
  for (const [i, name] of ["a", "b", "c"].entries()) sites.push(await site(out, name, i));
  await Promise.all([coordinator.over, ...sites.map(({ over }) => over)]);
  expect((await audit(out)).problems).toEqual([]);

  const ledgerFile = path(out, "ledger.log");
  const blobs = readdirSync(path(out, "blobs")).map((name) => path(out, "blobs", name));
  const files = [ledgerFile, ledgerFile, ...blobs];
  const read = async () => {
    const ledger = fileLedger(ledgerFile);
    try {
      const models = await Promise.all(
        blobs.map((file) => folderBlobs(path(out, "blobs")).get(path("/", file).split("/").at(-1)!)),
      );
      return JSON.stringify([await ledger.entries(), models.map(String)]);
    } finally {
      await ledger.close();
    }
  };
  const before = await read();
  const draw = seededNumbers("flips");
  let found = 0;
  for (let i = 0; i < 300; i++) {
    const file = files[Math.floor(draw() * files.length)];
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[Math.floor(draw() * bytes.length)] ^= 1 << Math.floor(draw() * 8);
    writeFileSync(file, flipped);
    if ((await audit(out)).problems.length > 0) found++;
    await expect(read()).rejects.toBeInstanceOf(PliantError);
    writeFileSync(file, bytes);
  }
  expect(found).toBe(300);
  expect(await read()).toBe(before);

  // A line that a crash cut short was never acknowledged: the ledger ends before it, and goes on from there.
  const { size } = statSync(ledgerFile);
  const ledger = fileLedger(ledgerFile);
  const { entries } = await ledger.head();
  await ledger.close();
  truncateSync(ledgerFile, size - 5);
  const cut = fileLedger(ledgerFile);
  expect((await cut.head()).entries).toBe(entries - 1);
  await cut.setValue("x", "1");
  expect((await cut.head()).entries).toBe(entries);
  await cut.close();
  expect((await fileLedger(ledgerFile).head()).entries).toBe(entries);
}, 120_000);
