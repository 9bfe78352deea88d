// Runs are deleted all or none, and brought back as they were.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunList } from "../src/api.js";
import { writeRun } from "./fixtures.js";
import { get, list, post, runs, serveEach } from "./served.js";

serveEach();

const idIn = (body: unknown): string => (body as { id: string }[])[0].id;

test("deleting moves a run to the trash, and undo brings it back as it was", async () => {
  const run = writeRun(runs, "group/one");
  const before = readFileSync(join(run, "metrics.jsonl"), "utf8");
  const { body } = await post("delete", { names: ["group/one"] });
  expect(existsSync(run)).toBe(false);
  const after = await get<RunList>("runs");
  expect(after.runs).toEqual([]);
  expect(after.deleted.map(({ name }) => name)).toEqual(["group/one"]);
  expect((await post("restore", { id: idIn(body) })).status).toBe(200);
  expect(readFileSync(join(run, "metrics.jsonl"), "utf8")).toBe(before);
  expect((await get<RunList>("runs")).deleted).toEqual([]);
});

test("several runs are deleted together or not at all, including runs inside others", async () => {
  for (const name of ["one", "outer", "outer/inner"]) writeRun(runs, name);
  writeRun(runs, "busy", { finished: false });
  const names = async () => (await list()).map(({ name }) => name).sort();
  const all = await names();
  for (const obstacle of ["busy", "nowhere"])
    expect((await post("delete", { names: ["one", "outer", "outer/inner", obstacle] })).status).not.toBe(200);
  expect(await names()).toEqual(all);
  const { status, body } = await post("delete", { names: ["outer", "one", "outer/inner"] });
  expect(status).toBe(200);
  expect(await names()).toEqual(["busy"]);
  for (const { id } of (body as unknown as { id: string }[]).reverse())
    expect((await post("restore", { id })).status).toBe(200);
  expect(await names()).toEqual(all);
});

test("a hidden folder inside a run is not a run, and does not prevent its deletion", async () => {
  writeRun(runs, "outer");
  writeRun(runs, "outer/.hidden/inner");
  expect((await get<RunList>("runs")).runs.map(({ name }) => name)).toEqual(["outer"]);
  expect((await post("delete", { names: ["outer"] })).status).toBe(200);
});

test("a run with other runs inside is not deleted with them", async () => {
  writeRun(runs, "outer");
  writeRun(runs, "outer/inner");
  expect(await post("delete", { names: ["outer"] })).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/inside outer/) },
  });
  expect((await post("delete", { names: ["outer/inner"] })).status).toBe(200);
  expect((await post("delete", { names: ["outer"] })).status).toBe(200);
});

test("a run that is at work is not deleted, and none is restored over another", async () => {
  writeRun(runs, "busy", { finished: false });
  expect(await post("delete", { names: ["busy"] })).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/still running/) },
  });
  writeRun(runs, "done");
  const { body } = await post("delete", { names: ["done"] });
  writeRun(runs, "done");
  expect(await post("restore", { id: idIn(body) })).toMatchObject({ status: 409 });
  expect(await post("restore", { id: "../done" })).toMatchObject({ status: 404 });
});
