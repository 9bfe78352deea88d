// Asks the server. How many answers are still awaited stands on the document, so that anyone can wait for the whole page.
import type { WatchedCoordinator, WatchedSite } from "@pliant/federation";
import type {
  Deleted,
  Federation,
  Note,
  Published,
  RunDetail,
  RunList,
  RunSummary,
  Series,
} from "../../../src/api.js";

async function answer<T>(response: Response): Promise<T> {
  const value = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(value?.error ?? `The server answered ${response.status}.`);
  return value as T;
}

let awaited = 0;
function count(by: 1 | -1 | 0): void {
  awaited += by;
  document.documentElement.dataset.awaited = String(awaited);
}
count(0);

/** A page that was published has its runs with it. */
export const published = (globalThis as { pliantPublished?: Published }).pliantPublished;

function publishedRun(name: string): Published["runs"][string] {
  if (published && Object.hasOwn(published.runs, name)) return published.runs[name];
  throw new Error("There is no such run.");
}

/** Nobody answers: the server is gone, or the way to it. */
export class Unreachable extends Error {}

type Query = Record<string, string> | string[][];

async function ask<T>(path: string, query: Query = {}): Promise<T> {
  count(1);
  try {
    const response = await fetch(address(path, query)).catch(() => {
      throw new Unreachable("The server does not answer. Is pliant studio still running?");
    });
    return await answer<T>(response);
  } finally {
    count(-1);
  }
}

const address = (path: string, query: Query): string => `/api/${path}?${new URLSearchParams(query)}`;

const change = <T>(path: string, body: object): Promise<T> =>
  fetch(`/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then(answer<T>);

export const listRuns = async (): Promise<RunList> => published?.list ?? ask("runs");
export const readRun = async (name: string): Promise<RunDetail> =>
  published ? publishedRun(name).detail : ask("run", { name });
/** A glimpse of a long run comes sooner than the whole. */
export const readSeries = async (
  name: string,
  { glimpse = false, only = [] }: { glimpse?: boolean; only?: readonly string[] } = {},
): Promise<Series> =>
  published
    ? publishedRun(name).series
    : ask("series", [
        ["name", name],
        ...(glimpse ? [["glimpse", ""]] : []),
        ...only.map((requirement) => ["requirement", requirement]),
      ]);
export const readFederation = async (name: string): Promise<Federation> => {
  if (!published) return ask("federation", { name });
  const { federation } = publishedRun(name);
  if (!federation) throw new Error("The run has no clients.");
  return federation;
};
/** A federation between machines, as it is now. */
export const readNetworked = (name: string): Promise<WatchedCoordinator | WatchedSite> =>
  ask("networked", { name });
/** All of them or none. */
export const deleteRuns = (names: readonly string[]): Promise<readonly Deleted[]> =>
  change("delete", { names });
/** Keeps what a person says of a run. */
export const noteRun = (name: string, note: Note): Promise<RunSummary> => change("note", { name, ...note });
/** Has the process that trains a run save itself and end. */
export const stopRun = (name: string): Promise<unknown> => change("stop", { name });
export const restoreRun = (id: string): Promise<Deleted> => change("restore", { id });
export const fileAddress = (name: string, file: string): string =>
  published ? `${publishedRun(name).files}/${encodeURIComponent(file)}` : address("file", { name, file });
export const liveAddress = (name: string, from: { version: string; rows: number }): string =>
  address("live", { name, from: `${from.version}:${from.rows}` });
