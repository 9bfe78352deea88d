// A run as it goes on, as server-sent events: "points" for evaluations that were appended, "reset" where what was told
// before no longer stands, "run" when its files changed. It looks at the files, so training never waits for a page.
import type { SSEStreamingApi } from "hono/streaming";
import type { NewPoints, Place, RunSummary } from "./api.js";
import type { Metrics } from "./metrics.js";
import { pointsSince } from "./series.js";

export interface LiveOptions {
  readonly metrics: Metrics;
  readonly summary: () => Promise<RunSummary>;
  /** Where the page stands. */
  readonly from: Place;
  /** Milliseconds between two looks. */
  readonly every: number;
}

/** More than this at once is better asked for again, downsampled. */
const mostPoints = 1000;
const heartbeat = 15_000;

export async function follow(stream: SSEStreamingApi, { metrics, summary, from, every }: LiveOptions) {
  let place = from;
  let told = "";
  let quiet = 0;
  while (!stream.aborted && !stream.closed) {
    await metrics.refresh();
    // Another page may have the file read on while this one's news are made.
    const upTo = metrics.place;
    const event = await newsSince(metrics, place);
    if (event) {
      place = upTo;
      await stream.writeSSE({ ...event, id: `${place.version}:${place.rows}` });
    }
    const now = JSON.stringify(await summary().catch(() => null));
    if (now !== told) await stream.writeSSE({ event: "run", data: now });
    quiet = event || now !== told ? 0 : quiet + every;
    told = now;
    if (quiet >= heartbeat) {
      await stream.write(": still here\n\n");
      quiet = 0;
    }
    await stream.sleep(every);
  }
}

async function newsSince(metrics: Metrics, { version, rows }: Place) {
  const { place } = metrics;
  if (place.version !== version || place.rows - rows > mostPoints)
    return { event: "reset", data: JSON.stringify(place satisfies Place) };
  if (place.rows === rows) return undefined;
  return { event: "points", data: JSON.stringify((await pointsSince(metrics, rows)) satisfies NewPoints) };
}

/** The place in an event's id, which a browser sends back when it connects again. */
export function placeFrom(id: string | undefined): Place | undefined {
  const [, version, rows] = /^(.+):(\d+)$/.exec(id ?? "") ?? [];
  return version === undefined ? undefined : { version, rows: Number(rows) };
}
