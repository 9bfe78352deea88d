// A coordinator and its sites in this process, over loopback, each with a folder of its own.
import { writeFileSync } from "node:fs";
import { join as path } from "node:path";
import {
  type FederationSpec,
  invite,
  type JoinOptions,
  join,
  type ServeOptions,
  serve,
} from "@pliant/federation";
import { csvOf, tablesOf } from "./problem.js";

export const until = async (so: () => boolean): Promise<void> => {
  while (!so()) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Serves, and says what it said, where it listens and how it is stopped. */
export async function served(options: ServeOptions) {
  const stop = new AbortController();
  const said: string[] = [];
  let over: ReturnType<typeof serve> | undefined;
  const at = await new Promise<{ host: string; port: number }>((resolve, reject) => {
    over = serve({
      ...options,
      say: (what) => said.push(what),
      onListening: resolve,
      signal: stop.signal,
    });
    over.catch(reject);
  });
  const stopped = () => {
    stop.abort(new Error("stopped"));
    return over!.catch(() => {});
  };
  return { said, over: over!, stopped, ...at };
}

/** A site with a table of its own, in a folder beside the coordinator's. */
export function siteHere(folder: string, spec: FederationSpec) {
  const tables = tablesOf(8);
  const tableOf = (name: string, i: number): string => {
    const file = path(folder, `${name}.csv`);
    writeFileSync(file, csvOf(tables[i], spec));
    return file;
  };
  return async (coordinator: string, name: string, i: number, more: Partial<JoinOptions> = {}) => {
    const said: string[] = [];
    const stop = new AbortController();
    const code = await invite(coordinator, name);
    const [data, out] = [tableOf(name, i), path(folder, name)];
    const say = (what: string) => void said.push(what);
    const over = join({ code, data, out, say, signal: stop.signal, ...more });
    over.catch(() => {});
    return { said, over, data, out, code, stop: () => stop.abort(new Error("stopped")) };
  };
}
