// Who takes part, as people compare it: a name and a fingerprint a site, and one short code for all of them together, which is
// the same at every site that was told the same roster.
import { InputError } from "@pliant/core";
import { digest } from "../sums/index.js";
import { fingerprint } from "./identity.js";
import { type Roster, rosterHash } from "./transcript.js";

/**
 * Whoever invents members may try many until the codes of two rosters meet. 128 bits leave about 2⁶⁴ tries, and each takes
 * this many hashes.
 */
const rounds = 1 << 15;

/** Eight groups of four digits, to be read out. */
export function rosterCode(run: string, roster: Roster): string {
  let hash = digest(`pliant roster ${run} ${rosterHash(roster)}`);
  for (let i = 0; i < rounds; i++) hash = digest(hash);
  return hash.slice(0, 32).replace(/(.{4})(?=.)/g, "$1-");
}

/** Whoever had several places could sum with itself, and its clones would count as sites. */
export function checkOneEach(roster: Roster): void {
  const names = new Map<string, string>();
  for (const [site, key] of Object.entries(roster)) {
    const other = names.get(key);
    if (other !== undefined)
      throw new InputError(
        `The roster has one identity twice, as ${other} and as ${site}; this site takes no part.`,
      );
    names.set(key, site);
  }
}

/** One line a site. */
export const rosterLines = (roster: Roster): string[] =>
  Object.entries(roster).map(([site, key]) => `  ${site.padEnd(16)} ${fingerprint(key)}`);

/** What changed, as sentences; nothing where nothing did. */
export function rosterChanges(
  before: Roster,
  now: Roster,
): { readonly newcomers: string[]; readonly gone: string[] } {
  const newcomers = Object.keys(now).filter(
    (site) => !Object.hasOwn(before, site) || before[site] !== now[site],
  );
  return { newcomers, gone: Object.keys(before).filter((site) => !Object.hasOwn(now, site)) };
}

/** A roster after others have joined, in their order, and some have gone. */
export function changedRoster(
  before: Roster,
  { joined, gone }: { readonly joined: Roster; readonly gone: readonly string[] },
): Roster {
  const left = new Set([...gone, ...Object.keys(joined)]);
  const staying = Object.entries(before).filter(([site]) => !left.has(site));
  return Object.fromEntries([...staying, ...Object.entries(joined)]);
}

/** What a site says of a new roster, with the code that it has from now on. */
export function rosterNews(run: string, before: Roster, now: Roster): string {
  const { newcomers, gone } = rosterChanges(before, now);
  const parts = [
    ...newcomers.map((site) => {
      const how = Object.hasOwn(before, site) ? "has another identity" : "takes part";
      return `${site} ${how} from now on (${fingerprint(now[site])})`;
    }),
    ...gone.map((site) => `${site} takes part no more`),
  ];
  return `The roster has changed: ${parts.join("; ")}. Its code is ${rosterCode(run, now)}.`;
}
