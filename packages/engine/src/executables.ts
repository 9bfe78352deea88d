// Executables, shared and let go. Two functions that compute the same use one; one that nobody uses any more stays for a
// while, since the same function is often made again (a sweep solves one problem after another), and then is released.
import type { Backend } from "./backend.js";

interface Released {
  release(): void;
}

/** An executable in use, until it is given back. Giving back twice is giving back once. */
export interface Lease<E> {
  readonly executable: E;
  giveBack(): void;
}

interface Entry {
  readonly made: Promise<Released>;
  users: number;
}

/** Executables kept without a user, for each back end. */
const kept = 16;

/** By program, those used last at the end. */
const shelves = new WeakMap<Backend, Map<string, Entry>>();

/** The executable of this key, made if there is none. */
export async function lease<E extends Released>(
  backend: Backend,
  key: string,
  make: () => Promise<E>,
): Promise<Lease<E>> {
  const shelf = shelves.get(backend) ?? new Map<string, Entry>();
  shelves.set(backend, shelf);
  const entry = shelf.get(key) ?? { made: make(), users: 0 };
  shelf.delete(key);
  shelf.set(key, entry);
  entry.users++;
  try {
    let used = true;
    return {
      executable: (await entry.made) as E,
      giveBack() {
        if (used) entry.users--;
        used = false;
        release(shelf);
      },
    };
  } catch (reason) {
    if (shelf.get(key) === entry) shelf.delete(key);
    throw reason;
  }
}

/** Lets go of the oldest without a user. */
function release(shelf: Map<string, Entry>): void {
  const idle = [...shelf].filter(([, { users }]) => users === 0);
  for (const [key, { made }] of idle.slice(0, Math.max(0, idle.length - kept))) {
    shelf.delete(key);
    void made.then((executable) => executable.release());
  }
}

type Made = ReadonlyMap<string, Promise<{ lease: Lease<unknown> }>>;

/** Gives back everything a compiled function holds. */
export function giveBackAll(made: Made): void {
  for (const one of made.values()) one.then(({ lease }) => lease.giveBack()).catch(() => {});
}

const collected = new FinalizationRegistry<Made>(giveBackAll);
const running = new Set<object>();

/** When the function is collected as garbage, what it holds is given back. */
export const giveBackWith = (fn: object, made: Made): void => collected.register(fn, made);

/** Runs something of a function that must not be collected meanwhile. */
export async function holding<T>(fn: object, run: () => Promise<T>): Promise<T> {
  // One object a call: the same function may run twice at once.
  const call = { fn };
  running.add(call);
  try {
    return await run();
  } finally {
    running.delete(call);
  }
}
