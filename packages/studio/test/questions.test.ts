// Questions about levels that the page asks of `pliant insist`: one at a time, cancelled, kept beside the run, and only by the page.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Question, type Questions, questionsTo } from "../src/questions.js";
import { createStudio } from "../src/studio.js";
import type { Study } from "../src/study.js";
import { requirement, temporaryFolder, writeRun } from "./fixtures.js";

const answer = { reached: 0.2, had: true, missed: 0, costs: 0.01, others: { other: 0.02 }, in: "errors" };
/** A program in place of pliant: writes down what it is asked, waits while a file is there, and answers. */
const program = `
const { appendFileSync, existsSync } = require("node:fs");
const [folder, ...words] = process.argv.slice(2);
appendFileSync(folder + "/asked", JSON.stringify(words) + "\\n");
appendFileSync(folder + "/process", process.pid + "\\n");
const wait = () => existsSync(folder + "/wait") ? setTimeout(wait, 20) : end();
const end = () => {
  if (words.at(-1) === "15") process.exitCode = 1;
  if (words.at(-1) === "13") { console.error("pliant: 13 is no level."); process.exit(1); }
  console.log(words.at(-1) === "14" ? "nothing" : '${JSON.stringify(answer)}');
};
wait();
`;

const base = "http://localhost:4747/api/";
const headers = { host: "localhost:4747", "content-type": "application/json" };
let folder: ReturnType<typeof temporaryFolder>;
let runs: string;
let questions: Questions;
let studio: ReturnType<typeof createStudio>;
const token = "of the page";

beforeEach(async () => {
  folder = temporaryFolder();
  runs = join(folder.path, "runs");
  mkdirSync(runs);
  const main = join(folder.path, "program.cjs");
  writeFileSync(main, program);
  chmodSync(main, 0o755);
  questions = questionsTo([process.execPath, main, folder.path]);
  studio = createStudio({ runs, page: folder.path, questions, pageToken: token });
  for (const seed of [1, 2]) {
    const run = writeRun(runs, `study/seed-${seed}`);
    const gave = requirement({ reached: 0.25, relaxation: 0.15, price: 0.6, status: "gave way" });
    const report = { certificate: { holds: true }, requirements: { "--help": gave } };
    writeFileSync(join(run, "report.json"), JSON.stringify(report));
  }
});
afterEach(() => {
  questions.close();
  folder.remove();
});

const run = "study/seed-1";
const send = (path: string, body: object, more: Record<string, string> = { "x-pliant-page": token }) =>
  studio(
    new Request(base + path, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    }),
  );
const ask = async (level: unknown, more: object = {}): Promise<Question> =>
  (await send("questions", { name: run, requirement: "--help", level, ...more })).json();
const list = async (): Promise<Question[]> =>
  (await studio(new Request(`${base}questions`, { headers }))).json();
const state = async (id: string) => (await list()).find((one) => one.id === id);
const asked = (): string[][] =>
  existsSync(join(folder.path, "asked"))
    ? readFileSync(join(folder.path, "asked"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
const hold = (): void => writeFileSync(join(folder.path, "wait"), "");

describe("a question", () => {
  test("runs pliant insist, whatever the requirement is called, and its answer is kept and read", async () => {
    const { id } = await ask(0.2);
    await expect.poll(async () => (await state(id))?.state).toBe("answered");
    expect(asked()).toEqual([["insist", "--json", "--", join(runs, run), "--help", "0.2"]]);
    const kept = { requirement: "--help", level: 0.2, reached: 0.2, had: true, costs: 0.01 };
    expect((await state(id))?.answer).toEqual({ ...kept, in: "errors", others: { other: 0.02 } });
    const study: Study = await (await studio(new Request(`${base}study?of=study`, { headers }))).json();
    expect(study.runs.map(({ insisted }) => insisted.length)).toEqual([1, 0]);
    expect(study.runs[0].insisted[0]).toMatchObject(kept);
    expect(study.runs[0].levels["--help"]).toEqual({
      sense: "at most",
      level: 0.1,
      reached: 0.25,
      in: "loss",
    });
  });

  test("about a requirement whose name no program can be given fails, and the next one runs", async () => {
    const name = "a\0b";
    const report = { certificate: { holds: true }, requirements: { [name]: requirement({}) } };
    writeFileSync(join(runs, "study/seed-2", "report.json"), JSON.stringify(report));
    hold();
    const first = await ask(0.2);
    const odd = await ask(0.2, { name: "study/seed-2", requirement: name });
    const last = await ask(0.21);
    rmSync(join(folder.path, "wait"));
    await expect.poll(async () => (await state(last.id))?.state).toBe("answered");
    expect((await state(first.id))?.state).toBe("answered");
    expect(await state(odd.id)).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("pliant insist did not start: "),
    });
  });

  test("waits for the one before it, and both are in the list", async () => {
    hold();
    const [first, second] = [await ask(0.2), await ask(0.21)];
    expect([(await state(first.id))?.state, (await state(second.id))?.state]).toEqual(["running", "waiting"]);
    expect((await state(second.id))?.ahead).toBe(1);
    await expect.poll(asked).toHaveLength(1);
  });

  test("that is asked twice is asked once", async () => {
    hold();
    expect((await ask(0.2)).id).toBe((await ask(0.2)).id);
  });

  test("is cancelled: its process ends, and the next begins", async () => {
    hold();
    const [first, second] = [await ask(0.2), await ask(0.21)];
    await expect.poll(asked).toHaveLength(1);
    const isThere = () => {
      try {
        return process.kill(Number(readFileSync(join(folder.path, "process"), "utf8").split("\n")[0]), 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isThere).toBe(true);
    expect((await (await send("questions/cancel", { id: first.id })).json()).state).toBe("cancelled");
    await expect.poll(isThere).toBe(false);
    await expect.poll(asked).toHaveLength(2);
    await send("questions/cancel", { id: second.id });
    expect((await list()).map((one) => one.state)).toEqual(["cancelled", "cancelled"]);
    expect(existsSync(join(runs, run, "insisted.json"))).toBe(false);
  });

  test("that fails says why, in the command's words", async () => {
    const [failed, silent, broken] = [await ask(13), await ask(14), await ask(15)];
    // What it printed before it failed is no answer.
    await expect.poll(async () => (await state(broken.id))?.state).toBe("failed");
    await expect.poll(async () => (await state(silent.id))?.state).toBe("failed");
    expect((await state(failed.id))?.problem).toBe("13 is no level.");
    expect((await state(silent.id))?.problem).toBe("pliant insist gave no answer.");
  });

  test("that is one too many is refused", async () => {
    hold();
    for (let i = 0; i < 20; i++) await ask(i / 100);
    const refused = await send("questions", { name: run, requirement: "--help", level: 0.5 });
    expect(refused.status).toBe(409);
  });
});

describe("who may ask", () => {
  const question = { name: run, requirement: "--help", level: 0.2 };
  test.each([{}, { "x-pliant-page": "" }, { "x-pliant-page": "wrong" }] as Record<string, string>[])(
    "not one without the page's token: %j",
    async (more) => {
      expect((await send("questions", question, more)).status).toBe(403);
      expect((await send("questions/cancel", { id: "x" }, more)).status).toBe(403);
      expect(await list()).toEqual([]);
    },
  );
  test("not another site, even with the token", async () => {
    const foreign = { ...headers, "sec-fetch-site": "cross-site", origin: "http://evil.example" };
    expect((await send("questions", question, { ...foreign, "x-pliant-page": token })).status).toBe(403);
  });
  test("not a reader of what is shared", async () => {
    const shared = createStudio({ runs, page: folder.path, questions, readOnly: true, pageToken: token });
    const sent = {
      method: "POST",
      headers: { ...headers, "x-pliant-page": token },
      body: JSON.stringify(question),
    };
    expect((await shared(new Request(`${base}questions`, sent))).status).toBe(403);
  });
  test.each([
    [{ requirement: "nobody's" }, 400],
    [{ requirement: "toString" }, 400],
    [{ level: "0.2; rm -rf" }, 400],
    [{ level: null }, 400],
    [{ name: "../outside" }, 404],
    [{ name: "nowhere" }, 404],
  ])("nothing about %j", async (more, status) => {
    expect((await send("questions", { ...question, ...more })).status).toBe(status);
    expect(asked()).toEqual([]);
  });
  test("nothing of a run that is not finished", async () => {
    writeRun(runs, "training", { finished: false });
    expect((await send("questions", { ...question, name: "training" })).status).toBe(409);
  });
  test("nothing where the Studio does not know the command", async () => {
    const other = createStudio({ runs, page: folder.path, pageToken: token });
    const sent = {
      method: "POST",
      headers: { ...headers, "x-pliant-page": token },
      body: JSON.stringify(question),
    };
    expect((await other(new Request(`${base}questions`, sent))).status).toBe(409);
  });
});
