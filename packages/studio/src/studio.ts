// The Studio's server: answers about the runs in a folder, and the page that asks.

import { join } from "node:path";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import type { FirstLook, RunDetail, RunList, RunSummary, Series } from "./api.js";
import { glimpse } from "./glimpse.js";
import { guard, sealed } from "./guard.js";
import { follow, placeFrom } from "./live.js";
import { modelReader, rowsIn } from "./model.js";
import { networkedIn } from "./networked.js";
import { isPerRow } from "./offered.js";
import { pageFiles } from "./page-files.js";
import { folderOf, openFile, refuse } from "./places.js";
import { type Questions, questionFrom, questionsTo } from "./questions.js";
import { recentMetrics } from "./recent.js";
import { cells } from "./rows-behind.js";
import { filesIn, runsIn } from "./runs.js";
import { federationOf, seriesBytes, seriesOf } from "./series.js";
import { together } from "./together.js";
import { checkPage, newToken, pageGuard, tokenGuard } from "./token.js";
import { inTrash, moveToTrash, restore } from "./trash.js";

/** Which runs and which page, and who may ask. */
export interface StudioOptions {
  /** The folder with the runs; it may come later. */
  readonly runs: string;
  /** The folder with the built page. */
  readonly page: string;
  /** The name or address the server is reached by, beside those of this machine itself. */
  readonly host?: string;
  /** Asked for where others can reach the server. */
  readonly token?: string;
  /** What a page must send to change or ask anything; nothing can be changed without. */
  readonly pageToken?: string;
  /** Nothing can be changed: for those it is shared with. */
  readonly readOnly?: boolean;
  /** Milliseconds between two looks at a run that is followed. */
  readonly every?: number;
  /** Takes the page's questions about levels; nothing can be asked without. */
  readonly questions?: Questions;
}

/** From a request to its response, as the Fetch standard has them. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** The Studio as a handler of requests, without a server. */
export function createStudio(options: StudioOptions): FetchHandler {
  const { runs, page, host = "127.0.0.1", token, readOnly = false, every = 500 } = options;
  const questions = options.questions ?? questionsTo(undefined);
  const app = new Hono();
  const shared = readOnly || token !== undefined;
  const all = runsIn(runs, { shared });
  const metricsOf = recentMetrics();
  const modelOf = modelReader({ shared });
  const pageFile = pageFiles(page);
  /** A look at a run, the same for all who follow it. */
  const looks = new Map<string, () => Promise<RunSummary>>();
  const lookAt = (name: string) => {
    const look = looks.get(name) ?? together(() => all.summary(name));
    looks.set(name, look);
    return look;
  };
  const freshMetrics = async (name: string) => {
    const metrics = metricsOf(await folderOf(runs, name));
    await metrics.refresh();
    return metrics;
  };

  const tooLong = () => {
    throw refuse(413, "The request is too long.");
  };
  app.use(sealed, guard(host), bodyLimit({ maxSize: 64 << 10, onError: tooLong }));
  if (token !== undefined) app.use(tokenGuard(token));
  if (readOnly)
    app.post("*", () => {
      throw refuse(403, "This Studio is shared for reading; nothing can be changed from here.");
    });
  const pageToken = options.pageToken ?? newToken();
  app.post("*", pageGuard(pageToken));
  app.onError((error, c) => {
    const known = error instanceof HTTPException;
    if (!known) console.error(error);
    return c.json(
      { error: known ? error.message : "The server failed at this; its log says more." },
      known ? error.status : 500,
    );
  });

  const listed = together(async () => {
    const list: RunList = {
      folder: runs,
      readOnly,
      runs: await all.list(),
      deleted: readOnly ? [] : await inTrash(runs),
    };
    return new TextEncoder().encode(JSON.stringify(list));
  });
  // While the first who looks opens a browser, what there is to see is read.
  listed().catch(() => {});
  // The list is asked for every few seconds: what has not changed is not sent again.
  app.use("/api/runs", compress(), etag());
  for (const path of ["/", "/assets/*", "/api/study", "/api/model"]) app.use(path, compress());
  app.get("/api/runs", async (c) => c.body(await listed(), 200, { ...json, "cache-control": "no-cache" }));
  const detailOf = async (name: string): Promise<RunDetail> => {
    const detail = await all.detail(name);
    return { ...detail, stoppable: detail.stoppable && !readOnly };
  };
  /** Of a long run that was not read before; undefined where the whole is as quick. */
  const glimpseOf = async (name: string, only?: readonly string[]): Promise<Series | undefined> => {
    const folder = await folderOf(runs, name);
    const table = metricsOf(folder).ready ? undefined : await glimpse(join(folder, "metrics.jsonl"));
    return table && seriesOf({ table, place: { version: "", rows: table.rows } }, { whole: false, only });
  };
  const firstLook = async (name: string): Promise<FirstLook> => {
    try {
      const detail = await detailOf(name);
      return { name, detail, series: (await glimpseOf(name)) ?? seriesOf(await freshMetrics(name)) };
    } catch (reason) {
      if (reason instanceof HTTPException) return { name, problem: reason.message };
      throw reason;
    }
  };
  app.get("/api/run", async (c) => c.json(await detailOf(asked(c.req.query("name")))));
  app.get("/api/series", async (c) => {
    const name = asked(c.req.query("name"));
    const only = c.req.queries("requirement");
    const some = c.req.query("glimpse") === undefined ? undefined : await glimpseOf(name, only);
    return some ? c.json(some) : c.body(seriesBytes(await freshMetrics(name), only), 200, json);
  });
  // Several runs in one answer: a browser asks for six things at a time.
  app.get("/api/first", async (c) =>
    c.json(await Promise.all(firstNames(c.req.queries("name")).map(firstLook))),
  );
  app.get("/api/model", async (c) => c.json(await modelOf(await folderOf(runs, asked(c.req.query("name"))))));
  app.get("/api/rows", async (c) => {
    // A row may be a person: its line stays on this machine.
    if (shared) throw refuse(403, "Rows are shown to the owner of this Studio alone.");
    checkPage(c, pageToken);
    const { column = "", value = "", cell, threshold } = c.req.query();
    const known = cells.find((one) => one === cell);
    const at = Number(threshold);
    if (!known || threshold === undefined || !Number.isFinite(at))
      throw refuse(400, "The request names no cell at a threshold.");
    const folder = await folderOf(runs, asked(c.req.query("name")));
    const rows = await rowsIn(folder, { column, value, cell: known, threshold: at });
    return c.json(rows, 200, { "cache-control": "no-store" });
  });
  app.get("/api/study", async (c) => c.json(await all.study(asked(c.req.query("of")))));
  app.get("/api/federation", async (c) => {
    const name = asked(c.req.query("name"));
    const { report } = await all.detail(name);
    return c.json(await federationOf(await freshMetrics(name), report));
  });
  app.get("/api/networked", async (c) =>
    c.json(await networkedIn(await folderOf(runs, asked(c.req.query("name"))))),
  );
  app.get("/api/live", async (c) => {
    const name = asked(c.req.query("name"));
    const from = placeFrom(c.req.header("last-event-id") ?? c.req.query("from")) ?? { version: "", rows: 0 };
    const metrics = metricsOf(await folderOf(runs, name));
    return streamSSE(c, (stream) => follow(stream, { metrics, summary: lookAt(name), from, every }));
  });
  app.get("/api/file", async (c) => {
    const [name, file] = [asked(c.req.query("name")), asked(c.req.query("file"))];
    // Others are told that there is none.
    if (isPerRow(file) && !shared) checkPage(c, pageToken);
    return download(await folderOf(runs, name), name, file, { shared, body: c.req.method !== "HEAD" });
  });
  app.post("/api/note", async (c) => {
    const sent = await body(c.req.raw);
    const name = asked(sent.name);
    await all.note(name, sent);
    return c.json(await all.summary(name));
  });
  app.post("/api/stop", async (c) => {
    const name = asked((await body(c.req.raw)).name);
    await all.stop(name);
    return c.json({ name });
  });
  app.post("/api/delete", async (c) => {
    const names = askedNames((await body(c.req.raw)).names);
    // All or none: whatever is in the way is found before anything is moved.
    for (const name of names) {
      if ((await all.summary(name)).status === "running")
        throw refuse(
          409,
          `${name} is still running, so nothing was deleted; stop it first, or leave it out.`,
        );
      const inside = (await all.inside(name)).map((inner) => (name === "." ? inner : `${name}/${inner}`));
      if (inside.some((inner) => !names.includes(inner)))
        throw refuse(409, `There are other runs inside ${name}, so nothing was deleted; delete them first.`);
    }
    return c.json(await moveToTrash(runs, names));
  });
  app.get("/api/questions", (c) => c.json(questions.list()));
  app.post("/api/questions", async (c) => {
    const sent = await body(c.req.raw);
    const run = asked(sent.name);
    const folder = await folderOf(runs, run);
    const { summary, report } = await all.detail(run);
    if (summary.status !== "finished")
      throw refuse(409, "Only a finished run can be asked what a level costs.");
    return c.json(questions.ask({ run, folder, ...questionFrom(sent, report) }));
  });
  app.post("/api/questions/cancel", async (c) => c.json(questions.cancel(asked((await body(c.req.raw)).id))));
  app.post("/api/restore", async (c) => c.json(await restore(runs, asked((await body(c.req.raw)).id))));

  app.get("*", async (c) => {
    const found = c.req.path.startsWith("/api/") ? undefined : await pageFile(c.req.path);
    return found ?? c.json({ error: "There is nothing here." }, 404);
  });
  return (request) => app.fetch(request);
}

const json = { "content-type": "application/json" };

function asked(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw refuse(400, "The request names no run.");
}

function askedNames(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0) return value.map(asked);
  throw refuse(400, "The request names no run.");
}

/** Each costs the reading of a run; the page asks for ten at a time. */
const mostAtOnce = 100;

function firstNames(value: unknown): readonly string[] {
  const names = askedNames(value);
  if (names.length <= mostAtOnce) return names;
  throw refuse(400, `The request names ${names.length} runs; at most ${mostAtOnce} are read at once.`);
}

async function body(request: Request): Promise<Record<string, unknown>> {
  const given: unknown = await request.json().catch(() => undefined);
  if (typeof given === "object" && given !== null) return given as Record<string, unknown>;
  throw refuse(400, "The request is not a JSON object.");
}

/** A file of a run to be saved, never to be shown by the browser. */
async function download(
  folder: string,
  name: string,
  file: string,
  { shared, body }: { shared: boolean; body: boolean },
): Promise<Response> {
  const listed = filesIn(folder, { shared }).some((entry) => entry.name === file);
  const handle = listed ? await openFile(join(folder, file)) : undefined;
  if (!handle) throw refuse(404, "The run has no such file.");
  const { size } = await handle.stat();
  // A stream that nobody reads would keep the file open; what is appended meanwhile is not of this answer.
  if (!body || size === 0) await handle.close();
  const content = body && size > 0 ? Readable.toWeb(handle.createReadStream({ end: size - 1 })) : null;
  const as = `${name === "." ? "run" : name.replaceAll("/", "-")}-${file}`;
  return new Response(content as ReadableStream | null, {
    headers: {
      "content-type": "application/octet-stream",
      "cache-control": "no-store",
      "content-length": String(size),
      "content-disposition": `attachment; filename="${as.replace(/[^\w.-]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(as)}`,
    },
  });
}
