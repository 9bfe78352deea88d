// A run that is followed: what is appended is told, and a file that is another by now.
import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Federation, Series } from "../src/api.js";
import { appendLine, federatedLine, line, writeFederated, writeRun } from "./fixtures.js";
import { get, readReport, runs, serveEach, server } from "./served.js";

serveEach();

/** Events of a live run, one after another. */
async function* events(
  name: string,
  from = "",
): AsyncGenerator<{ event: string; data: Record<string, unknown> }> {
  const stop = new AbortController();
  const response = await fetch(`${server.url}api/live?${new URLSearchParams({ name, from })}`, {
    signal: stop.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = /^event: (.*)$/m.exec(block)?.[1];
        if (event) yield { event, data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null") };
      }
    }
  } finally {
    stop.abort();
  }
}

/** The next event of a kind; points in place of a reset, or the other way round, are none to wait through. */
async function next(stream: AsyncGenerator<{ event: string; data: Record<string, unknown> }>, kind: string) {
  for (;;) {
    const { value, done } = await stream.next();
    if (done) throw new Error("the stream ended");
    if (value.event === kind) return value.data;
    if (value.event !== "run") throw new Error(`${value.event} were told where ${kind} was to be`);
  }
}

test("evaluations are sent as they are appended, from the position of the page", async () => {
  const run = writeRun(runs, "live", { finished: false, rows: 3 });
  const { version, rows } = await get<Series>("series", { name: "live" });
  const stream = events("live", `${version}:${rows}`);
  expect((await next(stream, "run")).status).toBe("running");
  appendLine(run, 400);
  const points = await next(stream, "points");
  expect(points).toMatchObject({ step: [400], rows: 4, version });
  expect(points.requirements).toHaveProperty("misses in B");
  writeFileSync(join(run, "report.json"), readReport());
  expect((await next(stream, "run")).status).toBe("finished");
  await stream.return(undefined);
});

test("a file that was cut, or replaced by another, is sent as a reset", async () => {
  const run = writeRun(runs, "live", { finished: false, rows: 5 });
  const metrics = join(run, "metrics.jsonl");
  const first = await get<Series>("series", { name: "live" });
  const stream = events("live", `${first.version}:${first.rows}`);
  await next(stream, "run");
  truncateSync(metrics, line(100).length);
  const cut = await next(stream, "reset");
  expect(cut.version).not.toBe(first.version);
  writeFileSync(`${metrics}.new`, line(100) + line(200) + line(300));
  renameSync(`${metrics}.new`, metrics);
  expect(await next(stream, "reset")).toMatchObject({ rows: 3 });
  appendLine(run, 400);
  expect(await next(stream, "points")).toMatchObject({ step: [400] });
  await stream.return(undefined);
});

test("a file rewritten in place to the same length or more is read again", async () => {
  const run = writeRun(runs, "again", { rows: 4 });
  await get<Series>("series", { name: "again" });
  const rewritten = [900, 1000, 1100, 1200, 1300, 1400].map((step) => line(step, { seed: 5 })).join("");
  writeFileSync(join(run, "metrics.jsonl"), rewritten);
  expect((await get<Series>("series", { name: "again" })).objective.x).toEqual([
    900, 1000, 1100, 1200, 1300, 1400,
  ]);
});

test("a federation's rounds come with what each client has", async () => {
  const run = writeFederated(runs, "fed", { clients: 4, rounds: 2, finished: false });
  const { version, rows } = await get<Federation>("federation", { name: "fed" });
  const stream = events("fed", `${version}:${rows}`);
  await next(stream, "run");
  appendFileSync(join(run, "metrics.jsonl"), federatedLine(3, { clients: 4 }));
  const { clients } = await next(stream, "points");
  expect((clients as Record<string, number[]>).testAccuracy).toHaveLength(4);
  await stream.return(undefined);
});
