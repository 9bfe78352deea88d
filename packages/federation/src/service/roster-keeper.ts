// Whom a site sums with: shown when it is first told, kept in its folder, and every change is said before the site sums again.
import { InputError } from "@pliant/core";
import { z } from "zod";
import { readIfThere, sealed, unsealed, writeDurably } from "../ports/index.js";
import {
  checkOneEach,
  type Roster,
  rosterChanges,
  rosterCode,
  rosterHash,
  rosterLines,
  rosterNews,
} from "../protocol/index.js";
import type { Policy } from "./policy.js";

const keptSchema = z.object({ index: z.number(), roster: z.array(z.tuple([z.string(), z.string()])) });

/** The roster in a site's folder. */
export const readKeptRoster = (bytes: Buffer, file: string): Roster =>
  Object.fromEntries(keptSchema.parse(JSON.parse(unsealed(bytes, file))).roster);

/** Who keeps it, and what for. */
export interface RosterKeeperOptions {
  readonly run: string;
  readonly site: string;
  /** The site's own identity. */
  readonly key: string;
  readonly policy: Policy;
  readonly say: (what: string) => void;
}

/** Takes each roster that the coordinator names, or stops the site with a sentence. */
export function rosterKeeper(
  file: string,
  { run, site, key, policy, say }: RosterKeeperOptions,
): { take(roster: Roster): { readonly index: number } } {
  const text = readIfThere(file);
  const kept = text && keptSchema.parse(JSON.parse(unsealed(text, file)));
  let before: Roster | undefined = kept && Object.fromEntries(kept.roster);
  let index = kept?.index;
  const check = (roster: Roster) => {
    checkOneEach(roster);
    if (!Object.hasOwn(roster, site) || roster[site] !== key)
      throw new InputError(
        `The coordinator's roster does not have ${site} with this site's identity; it stops.`,
      );
    const code = rosterCode(run, roster);
    if (typeof policy.roster === "string" && policy.roster !== code)
      throw new InputError(
        `The roster has the code ${code}, and this site takes part only with ${policy.roster}; it stops.`,
      );
    if (policy.roster === true && before && rosterChanges(before, roster).newcomers.length > 0)
      throw new InputError(
        `${rosterNews(run, before, roster)} This site takes part with no newcomers; it stops.`,
      );
  };
  return {
    take: (roster) => {
      // Also of a roster that it knows: its floors may have risen since.
      check(roster);
      if (before && rosterHash(before) === rosterHash(roster)) return { index: index! };
      if (before) say(rosterNews(run, before, roster));
      else
        say(
          [
            `It begins with ${Object.keys(roster).length} sites:`,
            ...rosterLines(roster),
            `The code of this roster is ${rosterCode(run, roster)}. Every site sees the same code, or not the same sites: compare it by phone.`,
          ].join("\n"),
        );
      index ??= Object.keys(roster).indexOf(site);
      before = roster;
      writeDurably(file, sealed(JSON.stringify({ index, roster: Object.entries(roster) })));
      return { index };
    },
  };
}
