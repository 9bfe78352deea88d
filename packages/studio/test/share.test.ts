// A server that others can reach: it asks for a token, and shared for reading it changes nothing. And the process of a run is ended only
// where it is one of ours.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FetchHandler, type Serving, serveStudio } from "../src/index.js";
import { createStudio } from "../src/studio.js";
import { temporaryFolder, writeRun } from "./fixtures.js";

const folder = temporaryFolder();
const runs = join(folder.path, "runs");
const page = join(folder.path, "page");
beforeAll(() => {
  mkdirSync(runs);
  mkdirSync(page);
  writeFileSync(join(page, "index.html"), "the page");
  writeRun(runs, "demo");
});
afterAll(() => folder.remove());

const pageToken = "of the page";
const headers = { host: "localhost:4747" };
const post = async (
  studio: FetchHandler,
  path: string,
  body: object,
  more: Record<string, string> = {},
): Promise<Response> => {
  const sent = { ...headers, ...more };
  return studio(
    new Request(`http://localhost:4747${path}`, {
      method: "POST",
      headers: { ...sent, "content-type": "application/json", "x-pliant-page": pageToken },
      body: JSON.stringify(body),
    }),
  );
};

describe("a token", () => {
  const studio = createStudio({ runs, page, pageToken, token: "right" });
  const get = (path: string, cookie?: string) =>
    studio(
      new Request(`http://localhost:4747${path}`, { headers: { ...headers, ...(cookie && { cookie }) } }),
    );

  test.each([
    "/",
    "/index.html",
    "/api/runs",
    "/api/run?name=demo",
    "/?token=wrong",
    "/?token=",
    "/api/runs?token=right",
  ])("is needed for %s", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain("asks for a token");
    expect(answer.headers.get("set-cookie")).toBe(null);
  });

  test("opens the page once, goes out of the address and stays in a cookie that no script reads", async () => {
    const answer = await get("/?token=right");
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/"]);
    const set = answer.headers.get("set-cookie") ?? "";
    expect(set).toMatch(/HttpOnly/);
    expect(set).toMatch(/SameSite=Strict/);
    const [cookie] = set.split(";");
    expect((await get("/", cookie)).status).toBe(200);
    expect((await get("/api/runs", cookie)).status).toBe(200);
    expect((await get("/api/runs", cookie.replace("right", "wrong"))).status).toBe(401);
  });

  test("is needed for a change too", async () => {
    expect((await post(studio, "/api/delete", { names: ["demo"] })).status).toBe(401);
  });
});

describe("shared for reading", () => {
  const studio = createStudio({ runs, page, pageToken, readOnly: true });

  test.each(["/api/delete", "/api/restore", "/api/stop", "/api/note"])("%s is refused", async (path) => {
    const answer = await post(studio, path, { names: ["demo"], name: "demo", id: "1-00000000" });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({
      error: "This Studio is shared for reading; nothing can be changed from here.",
    });
    expect(existsSync(join(runs, "demo", "run.json"))).toBe(true);
  });

  test("the page knows it", async () => {
    const list = await (await studio(new Request("http://localhost:4747/api/runs", { headers }))).json();
    expect(list.readOnly).toBe(true);
  });
});

describe("serving", () => {
  const served = async <T>(options: object, work: (serving: Serving) => Promise<T>): Promise<T> => {
    const serving = await serveStudio({ runs, page, port: 0, ...options });
    try {
      return await work(serving);
    } finally {
      await serving.close();
    }
  };
  const statuses = async ({ url, pageToken }: Serving): Promise<number[]> => {
    const bare = await fetch(new URL("api/runs", url));
    const opened = await fetch(url, { redirect: "manual" });
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    const change = await fetch(new URL("api/restore", url), {
      method: "POST",
      headers: { cookie, "content-type": "application/json", "x-pliant-page": pageToken },
      body: JSON.stringify({ id: "none" }),
    });
    return [bare.status, opened.status, change.status];
  };

  test("on this machine needs no token", async () => {
    expect(await served({}, statuses)).toEqual([200, 200, 404]);
  });
  test("where others can reach it makes one, for every start another", async () => {
    expect(await served({ host: "0.0.0.0" }, statuses)).toEqual([401, 302, 404]);
    const tokens = [1, 2].map(() => served({ host: "0.0.0.0" }, async ({ url }) => new URL(url).search));
    const [first, second] = await Promise.all(tokens);
    expect(first).toMatch(/^\?token=[\w-]{24}$/);
    expect(first).not.toBe(second);
  });
  test("shared, nothing can be changed", async () => {
    expect(await served({ share: true, host: "127.0.0.1" }, statuses)).toEqual([401, 302, 403]);
  });
});

describe("ending a run", () => {
  const studio = createStudio({ runs, page, pageToken });
  const mark = (name: string, process: number, more: object = {}) =>
    writeFileSync(
      join(writeRun(runs, name, { finished: false }), "at-work.json"),
      JSON.stringify({ process, host: hostname(), since: new Date().toISOString(), ...more }),
    );
  const stoppable = async (name: string) =>
    (await (await studio(new Request(`http://localhost:4747/api/run?name=${name}`, { headers }))).json())
      .stoppable;

  test("tells its process to end", async () => {
    const program = join(folder.path, "pliant.js");
    writeFileSync(program, "setInterval(() => {}, 1000);");
    const child = spawn(process.execPath, [program, "train"]);
    await once(child, "spawn");
    mark("ours", child.pid as number);
    expect(await stoppable("ours")).toBe(true);
    const over = once(child, "exit");
    expect((await post(studio, "/api/stop", { name: "ours" })).status).toBe(200);
    expect(await over).toEqual([null, "SIGINT"]);
    expect((await post(studio, "/api/stop", { name: "ours" })).status).toBe(409);
  });

  test.skipIf(process.platform !== "linux")("ends no process that is not one of ours", async () => {
    const child = spawn("sleep", ["1000"]);
    await once(child, "spawn");
    try {
      mark("forged", child.pid as number);
      mark("elsewhere", process.pid, { host: "another" });
      mark("self", process.pid);
      for (const name of ["forged", "elsewhere", "self", "demo"]) {
        expect(await stoppable(name)).toBe(false);
        expect((await post(studio, "/api/stop", { name })).status).toBe(409);
      }
      expect(child.exitCode).toBe(null);
      expect(child.signalCode).toBe(null);
    } finally {
      child.kill();
    }
  });
});
