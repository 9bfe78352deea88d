// What the server refuses: other names, other sites, other files; and that text from disk stays text.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answersTo } from "../src/guard.js";
import { type Serving, serveStudio } from "../src/index.js";
import { createStudio } from "../src/studio.js";
import { temporaryFolder, writeRun } from "./fixtures.js";

const folder = temporaryFolder();
const runs = join(folder.path, "runs");
let server: Serving;
let port: number;

beforeAll(async () => {
  mkdirSync(join(folder.path, "page", "assets"), { recursive: true });
  writeFileSync(join(folder.path, "page", "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(folder.path, "page", "assets", "a.js"), "export {};");
  writeFileSync(join(folder.path, "secret.json"), '{"secret":true}');
  writeRun(runs, "one");
  writeRun(runs, "site");
  writeRun(join(folder.path, "outside"), "other");
  symlinkSync(join(folder.path, "outside", "other"), join(runs, "linked"));
  symlinkSync(join(folder.path, "outside"), join(runs, "linked-group"));
  const trap = writeRun(runs, "trap");
  symlinkSync(join(folder.path, "secret.json"), join(trap, "model.onnx"));
  mkdirSync(join(runs, "half"));
  symlinkSync(join(folder.path, "secret.json"), join(runs, "half", "run.json"));
  const peek = writeRun(runs, "peek", { finished: false });
  symlinkSync(join(folder.path, "secret.json"), join(peek, "report.json"));
  server = await serveStudio({ runs, port: 0, page: join(folder.path, "page") });
  port = Number(new URL(server.url).port);
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

interface Answer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

/** A request as it is written: fetch would tidy paths and headers. */
function ask(path: string, { method = "GET", headers = {}, body = "" } = {}): Promise<Answer> {
  return new Promise((done, fail) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

test("listens on this machine only by default", async () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((at) => at && !at.internal && at.family === "IPv4")?.address;
  if (outside === undefined) return;
  const refused = await fetch(`http://${outside}:${port}/`).then(
    () => "answered",
    () => "refused",
  );
  expect(refused).toBe("refused");
});

describe("names", () => {
  test.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "user@localhost",
  ])("a request for the host %j is refused", async (host) => {
    expect((await ask("/api/runs", { headers: { host } })).status).not.toBe(200);
    const refused = await ask("/", { headers: { host } });
    expect(refused.status).not.toBe(200);
    if (refused.status === 403)
      expect(refused.headers["content-security-policy"]).toContain("default-src 'none'");
  });
  test.each(["localhost:1", "127.0.0.1", "127.1.2.3:80", "[::1]:4747", "LOCALHOST"])(
    "%s is this machine",
    (host) => {
      expect(answersTo("127.0.0.1")(host)).toBe(true);
    },
  );
  test("requests for a configured name are answered, and those for addresses if it listens on all", () => {
    expect(answersTo("studio.lan")("studio.lan:4747")).toBe(true);
    expect(answersTo("studio.lan")("other.lan")).toBe(false);
    expect(answersTo("0.0.0.0")("192.168.1.5:4747")).toBe(true);
    expect(answersTo("0.0.0.0")("evil.example")).toBe(false);
    expect([undefined, "", "localhost/x"].map(answersTo("127.0.0.1"))).toEqual([false, false, false]);
  });
});

const token = (): string => server.pageToken;

describe("other sites", () => {
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ names: ["one"] });
  test.each([
    { origin: "http://evil.example", ...json },
    { origin: "null", ...json },
    { origin: "http://localhost:1", ...json },
    { "sec-fetch-site": "cross-site", ...json },
    { "sec-fetch-site": "same-site", ...json },
    // What a form on another page can send without asking first.
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
  ])("a change with %j is refused", async (headers) => {
    const sent = { ...headers, "x-pliant-page": token() };
    for (const path of ["/api/delete", "/api/restore"])
      expect((await ask(path, { method: "POST", headers: sent, body })).status).toBe(403);
    expect((await ask("/api/run?name=one")).status).toBe(200);
  });
  test.each(["delete", "note", "stop", "restore", "questions", "questions/cancel"])(
    "%s without the page's token is refused, also from no other page",
    async (path) => {
      const sent = JSON.stringify({ names: ["one"], name: "one", id: "one", title: "mine" });
      for (const headers of [json, { ...json, "x-pliant-page": "guessed" }]) {
        const { status, text } = await ask(`/api/${path}`, { method: "POST", headers, body: sent });
        expect([status, JSON.parse(text).error]).toEqual([
          403,
          expect.stringContaining("This page may not change"),
        ]);
      }
      expect(JSON.parse((await ask("/api/run?name=one")).text).summary.title).toBe(null);
    },
  );
  test("no answer holds the page's token: another process of this machine cannot ask for it", async () => {
    const paths = [
      "/",
      "/assets/a.js",
      "/api/page-token",
      "/api/questions",
      "/api/runs",
      "/api/run?name=one",
    ];
    for (const path of [...paths, "/api/first?name=one", "/api/file?name=one&file=run.json", "/index.html"])
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const { text, headers } = await ask(path, { method, headers: json });
        expect(text + JSON.stringify(headers)).not.toContain(server.pageToken);
      }
    expect((await ask("/api/page-token")).status).toBe(404);
    // It stands behind the hash of the printed address, which browsers do not send.
    expect(new URL(server.address()).hash).toBe(`#/runs?page=${server.pageToken}`);
    expect(new URL(server.address("a/b")).hash).toBe(`#/run/a%2Fb?page=${server.pageToken}`);
    expect(server.url).not.toContain(server.pageToken);
  });
  test("more names in one request than are read at once are refused", async () => {
    const first = (count: number) => ask(`/api/first?${"name=none&".repeat(count)}`);
    expect((await first(100)).status).toBe(200);
    const { status, text } = await first(101);
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      "The request names 101 runs; at most 100 are read at once.",
    ]);
  });
  test("the page's own origin may change things", async () => {
    const page = { origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" };
    const headers = { ...page, ...json, "x-pliant-page": token() };
    const { status, text } = await ask("/api/delete", { method: "POST", headers, body });
    expect(status).toBe(200);
    const [{ id }] = JSON.parse(text);
    expect(
      (await ask("/api/restore", { method: "POST", headers, body: JSON.stringify({ id }) })).status,
    ).toBe(200);
  });
  test("another site may not read the data either", async () => {
    expect((await ask("/api/runs", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
  });
  test("a request that is too long is not read", async () => {
    const long = JSON.stringify({ names: ["one".repeat(50_000)] });
    const { status, text } = await ask("/api/delete", { method: "POST", headers: json, body: long });
    expect([status, JSON.parse(text).error]).toEqual([413, "The request is too long."]);
  });
  test("reading never changes anything", async () => {
    expect((await ask("/api/delete?name=one")).status).toBe(404);
    expect((await ask("/api/delete", { method: "PUT", headers: json, body })).status).toBe(404);
  });
});

describe("files outside", () => {
  const names = [
    "../outside/other",
    "one/../../outside/other",
    "..",
    "/etc",
    "one/..",
    ".trash",
    "./one",
    "one//",
    "..\\outside\\other",
    "one\0",
    "linked",
    "linked-group/other",
    "half",
  ];
  test.each(names)("no run is called %j", async (name) => {
    for (const path of ["run", "series", "federation", "live"])
      for (const query of [encodeURIComponent(name), encodeURIComponent(encodeURIComponent(name))])
        expect((await ask(`/api/${path}?name=${query}`)).status).toBe(404);
    const { status } = await ask("/api/delete", {
      method: "POST",
      headers: { "content-type": "application/json", "x-pliant-page": token() },
      body: JSON.stringify({ names: [name] }),
    });
    expect(status).toBe(404);
  });
  test.each([
    "../../secret.json",
    "..%2f..%2fsecret.json",
    "/etc/passwd",
    "model.onnx",
    "run.json/../../../secret.json",
  ])("a run has no file called %j", async (file) => {
    const { status, text } = await ask(`/api/file?name=trap&file=${encodeURIComponent(file)}`);
    expect(status).toBe(404);
    expect(text).not.toContain('secret":');
  });
  /** What a federation keeps in its folders beside a run, and what a person may put there. */
  const kept = [
    "identity.json",
    "joined.json",
    "site-state.json",
    "roster.json",
    "listens.json",
    "ledger.json",
  ];
  test.each([...kept, "key.pem", "at-work.json", "notes.txt", "page.svg", "ledger.sqlite"])(
    "a run's %s is nobody's to have",
    async (file) => {
      const site = join(runs, "site");
      writeFileSync(join(site, file), '{"secret": "do not tell"}');
      const { files } = JSON.parse((await ask("/api/run?name=site")).text);
      expect(files.map(({ name }: { name: string }) => name)).toEqual([
        "checkpoint.safetensors",
        "metrics.jsonl",
        "report.json",
        "run.json",
      ]);
      for (const method of ["GET", "HEAD"])
        expect((await ask(`/api/file?name=site&file=${file}`, { method })).status).toBe(404);
    },
  );
  test("rows of people are for the owner, and not for those it is shared with", async () => {
    const site = join(runs, "site");
    for (const file of ["rows.csv", "held-out.json"]) writeFileSync(join(site, file), "{}");
    for (const [options, status] of [
      [{}, 200],
      [{ readOnly: true }, 404],
      [{ token: "t" }, 404],
    ] as const) {
      const studio = createStudio({ runs, page: folder.path, pageToken: "p", ...options });
      const headers = { host: "localhost", cookie: "pliant-80=t", "x-pliant-page": "p" };
      const get = (path: string) => studio(new Request(`http://localhost${path}`, { headers }));
      for (const file of ["rows.csv", "held-out.json"])
        expect((await get(`/api/file?name=site&file=${file}`)).status).toBe(status);
      const { files } = await (await get("/api/run?name=site")).json();
      expect(files.some(({ name }: { name: string }) => name === "rows.csv")).toBe(status === 200);
    }
  });
  test.each([
    "/../secret.json",
    "/%2e%2e/secret.json",
    "/assets/../../secret.json",
    "/assets/..%2f..%2fsecret.json",
    "//etc/passwd",
    "/..\\secret.json",
    "/../runs/one/run.json",
  ])("%s is no file of the page", async (path) => {
    const { status, text } = await ask(path);
    expect([400, 404]).toContain(status);
    expect(text).not.toContain('secret":');
  });
  test("links are not listed, and a linked report is not read", async () => {
    const { runs: found } = JSON.parse((await ask("/api/runs")).text);
    expect(found.map(({ name }: { name: string }) => name).sort()).toEqual(["one", "peek", "site", "trap"]);
    expect((await ask("/api/run?name=peek")).text).not.toContain("secret");
  });
});

test("nothing inline, nothing from elsewhere, nothing framed", async () => {
  for (const path of ["/", "/assets/a.js", "/api/runs", "/nothing"]) {
    const { headers } = await ask(path);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(headers["referrer-policy"]).toBe("no-referrer");
  }
});

test("text from disk travels as JSON or as a download, never as HTML", async () => {
  const nasty = '<img src=x onerror="alert(1)">';
  const run = writeRun(runs, "nasty", { names: [nasty, "other"], command: nasty });
  writeFileSync(join(run, "spec.yaml"), "<svg onload='alert(1)'/>");
  for (const path of [
    "/api/runs",
    "/api/run?name=nasty",
    "/api/series?name=nasty",
    `/api/run?name=${encodeURIComponent(nasty)}`,
  ])
    expect(String((await ask(path)).headers["content-type"])).toMatch(/^application\/json/);
  const { headers } = await ask("/api/file?name=nasty&file=spec.yaml");
  expect(headers["content-type"]).toBe("application/octet-stream");
  expect(String(headers["content-disposition"])).toMatch(/^attachment/);
});
