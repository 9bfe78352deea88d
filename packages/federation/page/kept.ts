// What a tab must not lose, in the browser's own database, on its disk before anything that depends on it is sent.
const name = "pliant federation";

const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export interface Kept {
  get(key: string): Promise<string | undefined>;
  /** All of them, or none. */
  set(values: Readonly<Record<string, string>>): Promise<void>;
}

/** Of one site of one run. */
export async function keptFor(run: string, site: string): Promise<Kept> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
  const db = await answered(opening);
  const at = (key: string) => `${run} ${site} ${key}`;
  return {
    get: (key) => answered(db.transaction("kept").objectStore("kept").get(at(key))),
    set: (values) =>
      new Promise((resolve, reject) => {
        const change = db.transaction("kept", "readwrite", { durability: "strict" });
        for (const [key, value] of Object.entries(values)) change.objectStore("kept").put(value, at(key));
        change.oncomplete = () => resolve();
        change.onabort = () => reject(change.error);
      }),
  };
}
