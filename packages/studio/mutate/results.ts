// What was found of every fault the last time it was tried, in results.json.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rooms } from "./faults.js";

export interface Found {
  readonly file: string;
  readonly what: string;
  readonly seen: boolean;
  /** The test that failed, and what it said. */
  readonly by?: string;
  readonly why?: string;
}

const folder = join(dirname(fileURLToPath(import.meta.url)), "..");
const place = join(folder, folder.endsWith("mutate") ? "" : "mutate", "results.json");
const key = ({ file, what }: Pick<Found, "file" | "what">): string => `${file}: ${what}`;

export const kept = (): Found[] => (existsSync(place) ? JSON.parse(readFileSync(place, "utf8")) : []);

export const isKnown = (fault: Pick<Found, "file" | "what">): boolean =>
  kept().some((found) => key(found) === key(fault));

/** In the order of the faults; those that are no more are forgotten. */
export function keep(found: readonly Found[]): void {
  const known = new Map([...kept(), ...found].map((one) => [key(one), one]));
  const all = Object.values(rooms)
    .flat()
    .flatMap((fault) => known.get(key(fault)) ?? []);
  writeFileSync(place, `${JSON.stringify(all, null, 2)}\n`);
}
