// What a person says of a run: kept beside it, checked, and none of its own files touched.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStudio } from "../src/studio.js";
import { temporaryFolder, writeRun } from "./fixtures.js";

const folder = temporaryFolder();
const runs = join(folder.path, "runs");
beforeAll(() => {
  mkdirSync(runs);
  writeRun(runs, "demo");
});
afterAll(() => folder.remove());

const pageToken = "of the page";
const studio = createStudio({ runs, page: folder.path, pageToken });
const headers = { host: "localhost:4747", "content-type": "application/json" };
const send = async (body: object) => {
  return studio(
    new Request("http://localhost:4747/api/note", {
      method: "POST",
      headers: { ...headers, "x-pliant-page": pageToken },
      body: JSON.stringify(body),
    }),
  );
};
const listed = async () =>
  (await (await studio(new Request("http://localhost:4747/api/runs", { headers }))).json()).runs[0];

test("a title, tags and notes are kept, shown and taken back, and the run's own files stay as they are", async () => {
  const before = readFileSync(join(runs, "demo", "run.json"), "utf8");
  const note = { title: "the good one", tags: ["paper", "paper", " best "], notes: "As in the talk.\n" };
  expect((await send({ name: "demo", ...note })).status).toBe(200);
  expect(await listed()).toMatchObject({
    title: "the good one",
    note: { title: "the good one", tags: ["paper", "best"], notes: "As in the talk." },
  });
  expect(readFileSync(join(runs, "demo", "run.json"), "utf8")).toBe(before);
  expect(readdirSync(join(runs, "demo")).filter((name) => name.startsWith("."))).toEqual([]);
  expect((await send({ name: "demo", title: "", tags: [], notes: "" })).status).toBe(200);
  expect(existsSync(join(runs, "demo", "studio.json"))).toBe(false);
  expect((await listed()).title).toBe(null);
});

test.each([
  [{ title: 5 }],
  [{ title: "x".repeat(201) }],
  [{ tags: "paper" }],
  [{ tags: [3] }],
  [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }],
  [{ notes: {} }],
])("%j is refused", async (note) => {
  expect((await send({ name: "demo", ...note })).status).toBe(400);
  expect(existsSync(join(runs, "demo", "studio.json"))).toBe(false);
});

test("no run, no note", async () => {
  expect((await send({ name: "none", title: "x" })).status).toBe(404);
  expect((await send({ name: "../runs/demo", title: "x" })).status).toBe(404);
});

test("a link in the place of the note leads nowhere", async () => {
  const outside = join(folder.path, "outside.json");
  writeFileSync(outside, JSON.stringify({ title: "from outside" }));
  symlinkSync(outside, join(runs, "demo", "studio.json"));
  expect((await listed()).title).toBe(null);
  expect((await send({ name: "demo", title: "mine" })).status).toBe(200);
  expect(readFileSync(outside, "utf8")).toContain("from outside");
  expect(lstatSync(join(runs, "demo", "studio.json")).isSymbolicLink()).toBe(false);
});

test("a damaged note is as none", async () => {
  writeFileSync(join(runs, "demo", "studio.json"), '{"title": 4, "tags": [1, "a"], "notes": null}');
  expect(await listed()).toMatchObject({ title: null, note: { title: "", tags: ["a"], notes: "" } });
});

describe("two who edit a note at once", () => {
  const before = { title: "a", tags: ["x", "y"], notes: "n" };
  const nobody = { title: "", tags: [], notes: "" };
  const both = async (first: object, second: object) => {
    await send({ name: "demo", ...before });
    const sent = [first, second].map((changed) => send({ name: "demo", ...before, ...changed, before }));
    return (await Promise.all(sent)).map(({ status }) => status);
  };
  test("both keep what they changed, where it is not the same", async () => {
    expect(await both({ title: "b", tags: ["x", "z"] }, { notes: "m", tags: ["x", "y", "w"] })).toEqual([
      200, 200,
    ]);
    // Whichever came first.
    const { tags, ...note } = (await listed()).note;
    expect([note, [...tags].sort()]).toEqual([{ title: "b", notes: "m" }, ["w", "x", "z"]]);
  });
  test("the second is refused if both changed the same thing, and receives the current value", async () => {
    await send({ name: "demo", ...before });
    await send({ name: "demo", ...before, title: "b", before });
    expect((await send({ name: "demo", ...before, title: "c", notes: "m", before })).status).toBe(409);
    expect((await listed()).note).toEqual({ ...before, title: "b" });
    const refused = await send({ name: "demo", ...before, title: "c", before });
    expect((await refused.json()).error).toBe("Somebody else changed the title of this run meanwhile, to: b");
  });
  test("the same change by both is one", async () => {
    expect(await both({ title: "b" }, { title: "b" })).toEqual([200, 200]);
    expect((await listed()).note.title).toBe("b");
    await send({ name: "demo", ...nobody });
  });
});
