// What survives a reload, in this browser and nowhere else.
import type { Ask } from "./ask.js";
import type { Table, Trained } from "./messages.js";

export interface Kept {
  readonly table?: Table;
  readonly ask?: Ask;
  /** The spec, where it is written by hand. */
  readonly spec?: string;
  readonly run?: Trained;
}

const [database, store] = ["pliant-try", "state"];

function withStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(store);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const open = opening.result;
      const request = work(open.transaction(store, mode).objectStore(store));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.transaction!.oncomplete = () => open.close();
    };
  });
}

/** Each part under its own key: a table is large and changes seldom. A browser that keeps nothing forgets, and no more. */
export const keep = async (part: Kept): Promise<void> => {
  for (const [key, value] of Object.entries(part))
    await withStore<unknown>(
      "readwrite",
      (kept) => (value === undefined ? kept.delete(key) : kept.put(value, key)) as IDBRequest<unknown>,
    ).catch(() => undefined);
};

export const remembered = async (): Promise<Kept> => {
  try {
    const keys = await withStore("readonly", (kept) => kept.getAllKeys());
    const values = await withStore("readonly", (kept) => kept.getAll());
    return Object.fromEntries(keys.map((key, i) => [key, values[i]]));
  } catch {
    return {};
  }
};

export const forget = (): Promise<unknown> =>
  withStore("readwrite", (kept) => kept.clear()).catch(() => undefined);
