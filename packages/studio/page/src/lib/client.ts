// Asks the server. How much is still awaited stands on the document, so that anyone can wait for the whole page.
import type { WatchedCoordinator, WatchedSite } from "@pliant/federation";
import type {
  Deleted,
  Federation,
  FirstLook,
  Note,
  Published,
  RunDetail,
  RunList,
  RunSummary,
  Series,
} from "../../../src/api.js";
import type { ModelView } from "../../../src/held-out.js";
import type { Question } from "../../../src/questions.js";
import type { AskedCell, RowsBehind } from "../../../src/rows-behind.js";
import type { Study } from "../../../src/study.js";
import {
  address,
  ask,
  askAsPage,
  firstAddresses,
  modelAddress,
  published,
  runAddress,
  runsAddress,
  seriesAddress,
  studyAddress,
} from "./ask.js";

async function answer<T>(response: Response): Promise<T> {
  const value = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(value?.error ?? `The server answered ${response.status}.`);
  return value as T;
}

let coming = 0;
function count(by: 1 | -1 | 0): void {
  coming += by;
  document.documentElement.dataset.awaited = String(coming);
}
count(0);

/** Counted until it is there, or is known not to come. */
export async function awaited<T>(one: Promise<T>): Promise<T> {
  count(1);
  try {
    return await one;
  } finally {
    count(-1);
  }
}

function publishedRun(name: string): Published["runs"][string] {
  if (published && Object.hasOwn(published.runs, name)) return published.runs[name];
  throw new Error("There is no such run.");
}

/** Nobody answers: the server is gone, or the way to it. */
export class Unreachable extends Error {}

async function answered<T>(at: string): Promise<T> {
  const response = await ask(at).catch(() => {
    throw new Unreachable("The server does not answer. Is pliant studio still running?");
  });
  return answer<T>(response);
}

const read = <T>(at: string): Promise<T> => awaited(answered<T>(at));

const change = async <T>(path: string, body: object): Promise<T> => {
  const response = await askAsPage(`/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer<T>(response);
};

export const listRuns = async (): Promise<RunList> => published?.list ?? read(runsAddress);
export const readRun = async (name: string): Promise<RunDetail> =>
  published ? publishedRun(name).detail : read(runAddress(name));
export const readSeries = async (
  name: string,
  options: Parameters<typeof seriesAddress>[1] = {},
): Promise<Series> => (published ? publishedRun(name).series : read(seriesAddress(name, options)));
/** Its decisions over the held-out rows. */
export const readModel = async (name: string): Promise<ModelView> => {
  if (!published) return read(modelAddress(name));
  const { model } = publishedRun(name);
  if (!model)
    throw new Error("This run was published without held-out rows, so its decisions cannot be shown.");
  return model;
};
/** The rows behind a cell of the confusion matrix. */
export const readRows = (name: string, { threshold, ...cell }: AskedCell): Promise<RowsBehind> =>
  awaited(
    askAsPage(address("rows", { name, ...cell, threshold: String(threshold) })).then(answer<RowsBehind>),
  );
/** The runs of a study: what was set in each, and what came of it. */
export const readStudy = async (id: string): Promise<Study> => {
  if (!published) return read(studyAddress(id));
  const found = published.list.runs.filter(({ study }) => study === id);
  if (found.length === 0) throw new Error("There is no such study.");
  // A server makes studies itself: only a published page needs this.
  const { studyOf } = await import("../../../src/study.js");
  return studyOf(
    id,
    found.map(({ name }) => publishedRun(name).detail),
  );
};
/** Numbers and a glimpse at the curves of several runs. */
export const readFirst = async (names: readonly string[]): Promise<FirstLook[]> => {
  if (!published) return (await Promise.all(firstAddresses(names).map(read<FirstLook[]>))).flat();
  const { runs } = published;
  return names.map((name) =>
    Object.hasOwn(runs, name) ? { name, ...runs[name] } : { name, problem: "There is no such run." },
  );
};
export const readFederation = async (name: string): Promise<Federation> => {
  if (!published) return read(address("federation", { name }));
  const { federation } = publishedRun(name);
  if (!federation) throw new Error("The run has no clients.");
  return federation;
};
/** A federation between machines, as it is now. */
export const readNetworked = (name: string): Promise<WatchedCoordinator | WatchedSite> =>
  read(address("networked", { name }));
/** All of them or none. */
export const deleteRuns = (names: readonly string[]): Promise<readonly Deleted[]> =>
  change("delete", { names });
/** Keeps what a person says of a run. */
export const noteRun = (name: string, note: Note, before: Note): Promise<RunSummary> =>
  change("note", { name, ...note, before });
/** Has the process that trains a run save itself and end. */
export const stopRun = (name: string): Promise<unknown> => change("stop", { name });
export const restoreRun = (id: string): Promise<Deleted> => change("restore", { id });
/** Questions to `pliant insist`, the newest last: those that wait or run, and what became of others. */
export const readQuestions = (): Promise<readonly Question[]> => answered(address("questions", {}));
/** Asks what a level of a requirement would cost a run. */
export const askLevel = (name: string, requirement: string, level: number): Promise<Question> =>
  change("questions", { name, requirement, level });
export const cancelQuestion = (id: string): Promise<Question> => change("questions/cancel", { id });
export const fileAddress = (name: string, file: string): string =>
  published ? `${publishedRun(name).files}/${encodeURIComponent(file)}` : address("file", { name, file });
/** A file with a line a row of the data, which is given to a page that was opened from the printed address alone. */
export const readFile = async (name: string, file: string): Promise<Blob> => {
  const response = await askAsPage(fileAddress(name, file));
  return response.ok ? response.blob() : answer<Blob>(response);
};
export const liveAddress = (name: string, from: { version: string; rows: number }): string =>
  address("live", { name, from: `${from.version}:${from.rows}` });
