// Asks the server. How many answers are still awaited stands on the document, so that anyone can wait for the whole page.
import type { Deleted, Federation, RunDetail, RunList, Series } from "../../../src/api.js";

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

/** Nobody answers: the server is gone, or the way to it. */
export class Unreachable extends Error {}

async function ask<T>(path: string, query: Record<string, string> = {}): Promise<T> {
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

const address = (path: string, query: Record<string, string>): string =>
  `/api/${path}?${new URLSearchParams(query)}`;

const change = <T>(path: string, body: object): Promise<T> =>
  fetch(`/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then(answer<T>);

export const listRuns = (): Promise<RunList> => ask("runs");
export const readRun = (name: string): Promise<RunDetail> => ask("run", { name });
/** A glimpse of a long run comes sooner than the whole. */
export const readSeries = (name: string, { glimpse = false } = {}): Promise<Series> =>
  ask("series", glimpse ? { name, glimpse: "" } : { name });
export const readFederation = (name: string): Promise<Federation> => ask("federation", { name });
/** All of them or none. */
export const deleteRuns = (names: readonly string[]): Promise<readonly Deleted[]> =>
  change("delete", { names });
export const restoreRun = (id: string): Promise<Deleted> => change("restore", { id });
export const fileAddress = (name: string, file: string): string => address("file", { name, file });
export const liveAddress = (name: string, from: { version: string; rows: number }): string =>
  address("live", { name, from: `${from.version}:${from.rows}` });
