// A run that may still be going on: what is known of it, kept up to date by the server's events while the page is seen.
import type { Curve, NewPoints, RunDetail, RunSummary, Series } from "../../../src/api.js";
import { published } from "./ask.js";
import { liveAddress, readRun, readSeries, Unreachable } from "./client.js";

export interface LiveRun {
  readonly detail: RunDetail | undefined;
  readonly series: Series | undefined;
  /** Why there is nothing to show. */
  readonly problem: string | undefined;
  /** The server does not answer: what is shown may no longer be so. */
  readonly lost: boolean;
  close(): void;
}

/** Points a curve may grow by before it is asked for again, downsampled. */
const mostPoints = 2500;
/** Milliseconds before the server is asked again. */
const pause = 500;

export function followRun(
  name: string,
  {
    onClients,
    only = () => [],
  }: {
    onClients?: (points: NewPoints) => void;
    /** Where requirements are many, those whose curves are wanted; asked again when they change. */
    only?: () => readonly string[];
  } = {},
): LiveRun {
  let detail = $state.raw<RunDetail>();
  let series = $state.raw<Series>();
  let problem = $state<string>();
  let lost = $state(false);
  let source: EventSource | undefined;
  let closed = false;

  let askedFor = "";
  const load = async (): Promise<void> => {
    if (closed) return;
    askedFor = only().join("\n");
    try {
      const first = series === undefined;
      detail = await readRun(name);
      if (first) series = await readSeries(name, { glimpse: true, only: only() });
      if (!first || !series?.whole) series = await readSeries(name, { only: only() });
      problem = undefined;
      lost = false;
      listen();
    } catch (reason) {
      lost = reason instanceof Unreachable;
      if (lost) setTimeout(load, 4 * pause);
      // What was seen before stays, marked as lost.
      if (!lost || !detail) problem = (reason as Error).message;
    }
  };

  /** How many requirements are spread is worked out by the server, now and then. */
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const later = (): void => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      load();
    }, 4 * pause);
  };
  $effect(() => {
    if (series?.spread && only().join("\n") !== askedFor) load();
  });

  const listen = (): void => {
    source?.close();
    // One that stopped may be gone on with.
    if (published || closed || document.hidden || !series || detail?.summary.status === "finished") return;
    source = new EventSource(liveAddress(name, series));
    source.addEventListener("points", ({ data }) => {
      const points = JSON.parse(data) as NewPoints;
      if (!series) return;
      series = extended(series, points);
      if (points.clients) onClients?.(points);
      if (series.spread) later();
      else if (series.objective.x.length > mostPoints) load();
    });
    source.addEventListener("reset", load);
    source.addEventListener("open", () => {
      lost = false;
    });
    // A browser connects again by itself, but not where it was refused: the run may be gone.
    source.addEventListener("error", ({ target }) => {
      if ((target as EventSource).readyState === EventSource.CLOSED) setTimeout(load, pause);
      else lost = true;
    });
    source.addEventListener("run", async ({ data }) => {
      const summary = JSON.parse(data) as RunSummary | null;
      if (!summary) return load();
      // Cards and files are those of the latest evaluation.
      detail = await readRun(name).catch(() => detail);
      if (summary.status === "finished") source?.close();
    });
  };

  const onVisible = (): void => {
    if (document.hidden) source?.close();
    else if (detail?.summary.status !== "finished") load();
  };
  document.addEventListener("visibilitychange", onVisible);
  load();

  return {
    get detail() {
      return detail;
    },
    get series() {
      return series;
    },
    get problem() {
      return problem;
    },
    get lost() {
      return lost;
    },
    close() {
      closed = true;
      source?.close();
      clearTimeout(waiting);
      document.removeEventListener("visibilitychange", onVisible);
    },
  };
}

function extended(series: Series, points: NewPoints): Series {
  const add = (curve: Curve | undefined, y: readonly (number | null)[]): Curve => {
    const kept = y.flatMap((value, i) => (value === null ? [] : [{ x: points.step[i], y: value }]));
    return {
      x: [...(curve?.x ?? []), ...kept.map((p) => p.x)],
      y: [...(curve?.y ?? []), ...kept.map((p) => p.y)],
    };
  };
  const names = Object.keys(points.requirements);
  return {
    ...series,
    version: points.version,
    rows: points.rows,
    objective: add(series.objective, points.objective),
    time: add(series.time, points.time),
    residual: add(series.residual, points.residual),
    other: Object.fromEntries(
      Object.entries(points.other).map(([name, y]) => [name, add(series.other[name], y)]),
    ),
    requirements: series.spread
      ? series.requirements
      : Object.fromEntries(
          names.map((name) => {
            const before = Object.hasOwn(series.requirements, name) ? series.requirements[name] : undefined;
            const now = points.requirements[name];
            const pairs = now.relaxation.flatMap((u, i) => {
              const price = now.price[i];
              return u === null || price === null ? [] : [{ u, price }];
            });
            return [
              name,
              {
                slack: add(before?.slack, now.slack),
                relaxation: add(before?.relaxation, now.relaxation),
                price: add(before?.price, now.price),
                path: {
                  x: [...(before?.path.x ?? []), ...pairs.map(({ u }) => u)],
                  y: [...(before?.path.y ?? []), ...pairs.map(({ price }) => price)],
                },
              },
            ];
          }),
        ),
  };
}
