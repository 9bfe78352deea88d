// The trash: all of it or none, no link followed into it or out of it, nothing written over.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inTrash, moveToTrash, restore } from "../src/trash.js";
import { temporaryFolder, writeRun } from "./fixtures.js";

let folder: ReturnType<typeof temporaryFolder>;
let runs: string;
let outside: string;
beforeEach(() => {
  folder = temporaryFolder();
  [runs, outside] = ["runs", "outside"].map((name) => join(folder.path, name));
  mkdirSync(runs);
  mkdirSync(outside);
});
afterEach(() => folder.remove());
const isRun = (name: string): boolean => existsSync(join(runs, name, "run.json"));

test("several runs are all moved, or those that were moved come back", async () => {
  writeFileSync(join(runs, "run.json"), "{}");
  writeRun(runs, "first");
  writeRun(runs, "second");
  await expect(moveToTrash(runs, ["first", "second", "."])).rejects.toThrow("cannot be deleted from here");
  expect([isRun("first"), isRun("second")]).toEqual([true, true]);
  expect(await inTrash(runs)).toEqual([]);
});

test("the latest comes first", async () => {
  writeRun(runs, "first");
  writeRun(runs, "second");
  const [before] = await moveToTrash(runs, ["first"]);
  while (Date.now() === before.at);
  await moveToTrash(runs, ["second"]);
  expect((await inTrash(runs)).map(({ name }) => name)).toEqual(["second", "first"]);
});

test("a link in the place of the trash is refused, and nothing goes through it", async () => {
  writeRun(runs, "run");
  symlinkSync(outside, join(runs, ".trash"));
  await expect(moveToTrash(runs, ["run"])).rejects.toThrow("is not a folder");
  expect(isRun("run")).toBe(true);
  expect(readdirSync(outside)).toEqual([]);
});

test("a file behind a link is not in the trash", async () => {
  writeRun(runs, "run");
  await moveToTrash(runs, ["run"]);
  renameSync(join(runs, ".trash"), join(outside, "trash"));
  symlinkSync(join(outside, "trash"), join(runs, ".trash"));
  expect(await inTrash(runs)).toEqual([]);
});

test("a run is not restored through a link that took its folder's place", async () => {
  writeRun(runs, "inner/run");
  const [{ id }] = await moveToTrash(runs, ["inner/run"]);
  renameSync(join(runs, "inner"), join(runs, "away"));
  symlinkSync(outside, join(runs, "inner"));
  await expect(restore(runs, id)).rejects.toThrow("is a link by now");
  expect(readdirSync(outside)).toEqual([]);
});

test("a run is not restored over another", async () => {
  writeRun(runs, "run");
  const [{ id }] = await moveToTrash(runs, ["run"]);
  mkdirSync(join(runs, "run"));
  await expect(restore(runs, id)).rejects.toThrow("There is another run at run by now");
  expect(await inTrash(runs)).toHaveLength(1);
});

test.each(["../outside/run", "/etc/run", ".hidden/run", "a/../../outside/run"])(
  "a note that leads to %s leads nowhere",
  async (name) => {
    writeRun(runs, "run");
    const [{ id }] = await moveToTrash(runs, ["run"]);
    writeFileSync(join(runs, ".trash", id, "deleted.json"), JSON.stringify({ name, at: 1 }));
    expect(await inTrash(runs)).toEqual([]);
    await expect(restore(runs, id)).rejects.toThrow("no such run in the trash");
  },
);

test("a run that cannot be moved leaves nothing in the trash", async () => {
  writeRun(runs, "run");
  const both = await Promise.allSettled([moveToTrash(runs, ["run"]), moveToTrash(runs, ["run"])]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const all = await inTrash(runs);
  expect([all.length, readdirSync(join(runs, ".trash")).length]).toEqual([1, 1]);
  await restore(runs, all[0].id);
  expect([isRun("run"), await inTrash(runs)]).toEqual([true, []]);
});

test("nothing is made behind a link that took the place of a folder further up", async () => {
  writeRun(runs, "a/b/run");
  const [{ id }] = await moveToTrash(runs, ["a/b/run"]);
  rmSync(join(runs, "a"), { recursive: true });
  symlinkSync(outside, join(runs, "a"));
  await expect(restore(runs, id)).rejects.toThrow("is a link by now");
  expect(readdirSync(outside)).toEqual([]);
});

test("an entry of the trash that is a link, or holds one, is none", async () => {
  writeRun(runs, "run");
  await moveToTrash(runs, ["run"]);
  const [own] = readdirSync(join(runs, ".trash"));
  const elsewhere = join(outside, "entry");
  renameSync(join(runs, ".trash", own), elsewhere);
  symlinkSync(elsewhere, join(runs, ".trash", own));
  expect(await inTrash(runs)).toEqual([]);
  await expect(restore(runs, own)).rejects.toThrow("no such run");
});
