// What is told of a run as it goes on, look by look: no point twice, signs of life in between, and a change when its files changed.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { SSEStreamingApi } from "hono/streaming";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunSummary } from "../src/api.js";
import { follow, placeFrom } from "../src/live.js";
import { readMetrics } from "../src/metrics.js";
import { line, temporaryFolder, writeRun } from "./fixtures.js";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

interface Told {
  event: string;
  data: string;
  id?: string;
}

/** A stream whose time is the test's: before each look but the first, `next` may change things; it ends after the last. */
async function told(looks: number, { every = 500, rows = 3, from = 0, next = (_: number) => {} } = {}) {
  const run = writeRun(folder.path, "run", { rows, finished: false });
  const file = join(run, "metrics.jsonl");
  const metrics = readMetrics(file);
  await metrics.refresh();
  const events: Told[] = [];
  const signs: string[] = [];
  let look = 0;
  let status = "running";
  const stream = {
    aborted: false,
    closed: false,
    writeSSE: async (event: Told) => {
      events.push(event);
    },
    write: async (text: string) => {
      signs.push(text);
    },
    sleep: async () => {
      look++;
      if (look === looks) stream.closed = true;
      next(look);
    },
  };
  const { version } = metrics.place;
  const change = {
    append: (step: number) => appendFileSync(file, line(step)),
    finish: () => {
      status = "finished";
    },
  };
  changes = change;
  await follow(stream as unknown as SSEStreamingApi, {
    metrics,
    summary: async () => ({ name: "run", status }) as unknown as RunSummary,
    from: { version, rows: from },
    every,
  });
  return { events, signs, version };
}
let changes: { append(step: number): void; finish(): void };

test("every point is sent once, with the position from which a page continues", async () => {
  const { events, version } = await told(4, { next: (look) => look === 2 && changes.append(400) });
  const points = events.filter(({ event }) => event === "points");
  expect(points.map(({ data }) => JSON.parse(data).step)).toEqual([[100, 200, 300], [400]]);
  expect(points.map(({ id }) => placeFrom(id))).toEqual([
    { version, rows: 3 },
    { version, rows: 4 },
  ]);
});

test("a run that says nothing is heard of every fifteen seconds", async () => {
  const { signs } = await told(13, { every: 5000, from: 3 });
  // The first look tells of the run itself.
  expect(signs).toHaveLength(4);
  for (const sign of signs) expect(sign).toMatch(/^: .*\n\n$/);
});

test("a change of the run is sent when it happens, and only then", async () => {
  const { events } = await told(5, { from: 3, next: (look) => look === 3 && changes.finish() });
  const runs = events.filter(({ event }) => event === "run").map(({ data }) => JSON.parse(data).status);
  expect(runs).toEqual(["running", "finished"]);
});

test("a page that is far behind is asked to read again", async () => {
  const { events } = await told(2, { rows: 1200 });
  expect(events[0].event).toBe("reset");
  expect(events.filter(({ event }) => event === "points")).toEqual([]);
});
